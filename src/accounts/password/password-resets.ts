import { hashOf, randomToken } from '../../web/signing.ts'
import type { MailedUser } from '../find-user.ts'

/** 3 days: django-allauth's (Django's PASSWORD_RESET_TIMEOUT). */
const lifetimeMs = 3 * 24 * 60 * 60_000

/** A new key for the user, as a statement for a batch. The link holds the key, the table its hash. */
export async function makeResetKey(
  env: Env,
  user: Pick<MailedUser, 'id' | 'last_sign_in_at'>,
  now: number,
): Promise<{ path: string; statement: D1PreparedStatement }> {
  const key = randomToken()
  return {
    path: `/accounts/password/reset/key/${user.id.toString(36)}-${key}/`,
    statement: env.DB.prepare(
      'INSERT INTO password_reset (key_hash, user_id, signed_in_at, created_at, expires_at) VALUES (?, ?, ?, ?, ?)',
    ).bind(await hashOf(key), user.id, user.last_sign_in_at, now, now + lifetimeMs),
  }
}

/** Who a living key is for. */
export interface ResetOwner {
  id: number
  username: string
  email: string | null
  password_hash: string | null
}

/** A key is alive while it is unused, in time, its user active, and nobody signed in since it was made. */
const isAlive = `r.used_at IS NULL AND r.expires_at > ?2 AND r.user_id = ?3
  AND EXISTS (SELECT 1 FROM user a WHERE a.id = r.user_id AND a.is_active AND a.last_sign_in_at IS r.signed_in_at)`

/** Looks a key up without using it; null when it is dead or another user's. */
export async function findResetOwner(env: Env, userId: number, key: string, now: number): Promise<ResetOwner | null> {
  return env.DB.prepare(
    `SELECT u.id, u.username, u.email, u.password_hash FROM password_reset r JOIN user u ON u.id = r.user_id
     WHERE r.key_hash = ?1 AND ${isAlive}`,
  )
    .bind(await hashOf(key), now, userId)
    .first<ResetOwner>()
}

/** Uses a key up; of two requests at once one gets true. */
export async function claimResetKey(env: Env, userId: number, key: string, now: number): Promise<boolean> {
  const claimed = await env.DB.prepare(
    `UPDATE password_reset AS r SET used_at = ?2 WHERE r.key_hash = ?1 AND ${isAlive} RETURNING user_id`,
  )
    .bind(await hashOf(key), now, userId)
    .first()
  return claimed !== null
}
