import { hashOf, randomToken } from '../../web/signing.ts'
import { isClaimable } from '../claim-account.ts'
import type { MailedUser } from '../find-user.ts'

/** 3 days: django-allauth's (Django's PASSWORD_RESET_TIMEOUT). */
const lifetimeMs = 3 * 24 * 60 * 60_000

/** A new key for the user, as a statement for a batch; it writes nothing for user 0. The link holds the key, the table its hash. */
export async function makeResetKey(
  env: Env,
  user: Pick<MailedUser, 'id' | 'last_sign_in_at' | 'address'>,
  now: number,
): Promise<{ path: string; statement: D1PreparedStatement }> {
  const key = randomToken()
  return {
    path: `/accounts/password/reset/key/${user.id.toString(36)}-${key}/`,
    statement: env.DB.prepare(
      `INSERT INTO password_reset (key_hash, user_id, address, signed_in_at, created_at, expires_at)
       SELECT ?1, id, ?3, ?4, ?5, ?6 FROM user WHERE id = ?2`,
    ).bind(await hashOf(key), user.id, user.address, user.last_sign_in_at, now, now + lifetimeMs),
  }
}

/** Who a living key is for. */
export interface ResetOwner {
  id: number
  username: string
  email: string | null
  password_hash: string | null
  /** The address the link went to, if using it claims the account: it has no verified address yet. */
  claims: string | null
}

/** The address a key went to lets its owner claim the account. */
const claims = `EXISTS (SELECT 1 FROM email_address e
  WHERE e.user_id = r.user_id AND lower(e.address) = lower(r.address) AND ${isClaimable})`

/** The address a key went to is still the user's, verified. Those from before addresses were kept went to one of a verified user. */
const isOwners = `EXISTS (SELECT 1 FROM email_address v
  WHERE v.user_id = r.user_id AND v.verified_at IS NOT NULL AND (r.address IS NULL OR lower(v.address) = lower(r.address)))`

/**
 * A key is alive while it is unused, in time, its user active, and nobody signed in since it was made; and while the address it went
 * to is a verified one of the user, or can claim the account.
 */
const isAlive = `r.used_at IS NULL AND r.expires_at > ?2 AND r.user_id = ?3
  AND EXISTS (SELECT 1 FROM user a WHERE a.id = r.user_id AND a.is_active AND a.last_sign_in_at IS r.signed_in_at)
  AND (${isOwners} OR ${claims})`

/** Looks a key up without using it; null when it is dead or another user's. */
export async function findResetOwner(env: Env, userId: number, key: string, now: number): Promise<ResetOwner | null> {
  return env.DB.prepare(
    `SELECT u.id, u.username, u.email, u.password_hash, iif(${claims}, r.address, NULL) AS claims
     FROM password_reset r JOIN user u ON u.id = r.user_id
     WHERE r.key_hash = ?1 AND ${isAlive}`,
  )
    .bind(await hashOf(key), now, userId)
    .first<ResetOwner>()
}

/** Uses a key up; of two requests at once one changes a row. `claiming`: only while it claims the account. */
export async function useResetKey(
  env: Env,
  userId: number,
  key: string,
  { claiming }: { claiming: boolean },
  now: number,
): Promise<D1PreparedStatement> {
  return env.DB.prepare(
    `UPDATE password_reset AS r SET used_at = ?2 WHERE r.key_hash = ?1 AND ${isAlive} AND ${claims} = ?4`,
  ).bind(await hashOf(key), now, userId, claiming ? 1 : 0)
}
