import { hashOf } from '../../web/signing.ts'
import { isClaimable } from '../claim-account.ts'
import type { ProvenAccount } from '../known-browser.ts'
import { copyPrimary } from './primary.ts'

/** Of what account an address is to be confirmed. */
export interface Confirming {
  userId: number
  username: string
  address: string
  account: ProvenAccount
  /** Nobody has shown before whose the account is: it has no verified address. */
  isClaimable: boolean
}

/** What a mailed key is for. `dead`: never made, used, or its address was removed. */
export type ConfirmationKey =
  | ({ kind: 'live' | 'expired' } & Confirming)
  | { kind: 'taken'; address: string }
  | { kind: 'dead' }

interface KeyRow {
  user_id: number
  username: string
  password_hash: string | null
  user_created_at: number
  address: string
  expires_at: number
  used_at: number | null
  is_own: number
  is_claimable: number
  is_taken: number
}

/** Looks a key up and changes nothing: programs open links before people do. @param now ms since epoch */
export async function findConfirmationKey(env: Env, key: string, now: number): Promise<ConfirmationKey> {
  const row = await env.DB.prepare(
    `SELECT k.user_id, u.username, u.password_hash, u.created_at AS user_created_at, k.address, k.expires_at, k.used_at,
       EXISTS (SELECT 1 FROM email_address e
               WHERE e.user_id = k.user_id AND lower(e.address) = lower(k.address) AND e.verified_at IS NULL) AS is_own,
       EXISTS (SELECT 1 FROM email_address e
               WHERE e.user_id = k.user_id AND lower(e.address) = lower(k.address) AND ${isClaimable}) AS is_claimable,
       EXISTS (SELECT 1 FROM email_address e
               WHERE e.user_id <> k.user_id AND lower(e.address) = lower(k.address) AND e.verified_at IS NOT NULL) AS is_taken
     FROM email_confirmation k JOIN user u ON u.id = k.user_id
     WHERE k.key_hash = ?`,
  )
    .bind(await hashOf(key))
    .first<KeyRow>()
  if (!row || row.used_at !== null) return { kind: 'dead' }
  const { user_id: userId, username, address } = row
  if (row.is_taken === 1 && row.expires_at > now) return { kind: 'taken', address }
  if (row.is_own !== 1) return { kind: 'dead' }
  const account = { id: userId, password_hash: row.password_hash, created_at: row.user_created_at }
  const kind = row.expires_at > now ? 'live' : 'expired'
  return { kind, userId, username, address, account, isClaimable: row.is_claimable === 1 }
}

/**
 * Verifies the key's address, once: of two requests at once, and of two accounts with keys for one address, one gets it.
 * @returns whose address it was, or null when the key is not live any more
 */
export async function confirmAddress(
  env: Env,
  key: string,
  now: number,
): Promise<{ userId: number; address: string } | null> {
  const keyHash = await hashOf(key)
  const claimed = `SELECT user_id FROM email_confirmation WHERE key_hash = ?1 AND used_at = ?2`
  const [claim] = await env.DB.batch<{ user_id: number; address: string }>([
    env.DB.prepare(
      `UPDATE email_confirmation AS k SET used_at = ?2
       WHERE key_hash = ?1 AND used_at IS NULL AND expires_at > ?2
         AND EXISTS (SELECT 1 FROM email_address e
                     WHERE e.user_id = k.user_id AND lower(e.address) = lower(k.address) AND e.verified_at IS NULL)
         AND NOT EXISTS (SELECT 1 FROM email_address e
                         WHERE lower(e.address) = lower(k.address) AND e.verified_at IS NOT NULL)
       RETURNING user_id, address`,
    ).bind(keyHash, now),
    env.DB.prepare(
      `UPDATE email_address SET verified_at = ?2
       WHERE verified_at IS NULL AND user_id = (${claimed})
         AND lower(address) = (SELECT lower(address) FROM email_confirmation WHERE key_hash = ?1)`,
    ).bind(keyHash, now),
    env.DB.prepare(`${copyPrimary} WHERE id = (${claimed})`).bind(keyHash, now),
  ])
  const row = claim?.results[0]
  return row ? { userId: row.user_id, address: row.address } : null
}

/** Uses the key up while it claims the account: the first statement of a batch that hands it over, which changes one row or none. */
export async function useClaimingKey(env: Env, key: string, now: number): Promise<D1PreparedStatement> {
  return env.DB.prepare(
    `UPDATE email_confirmation AS k SET used_at = ?2
     WHERE key_hash = ?1 AND used_at IS NULL AND expires_at > ?2
       AND EXISTS (SELECT 1 FROM email_address e
                   WHERE e.user_id = k.user_id AND lower(e.address) = lower(k.address) AND ${isClaimable})`,
  ).bind(await hashOf(key), now)
}
