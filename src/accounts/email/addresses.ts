import { forgetLinks } from './forget-links.ts'
import { copyPrimary } from './primary.ts'

/** An address of somebody. */
export interface Address {
  id: number
  address: string
  verified_at: number | null
  is_primary: number
}

/** Somebody's addresses, the primary one first. */
export async function listAddresses(env: Env, userId: number): Promise<Address[]> {
  const { results } = await env.DB.prepare(
    `SELECT id, address, verified_at, is_primary FROM email_address WHERE user_id = ? ORDER BY is_primary DESC, id`,
  )
    .bind(userId)
    .all<Address>()
  return results
}

/** Adds an unverified address; the first one is primary. False when it is theirs already. */
export async function addAddress(env: Env, userId: number, address: string, now: number): Promise<boolean> {
  const [added] = await env.DB.batch([
    env.DB.prepare(
      `INSERT INTO email_address (user_id, address, is_primary, created_at)
       VALUES (?1, ?2, NOT EXISTS (SELECT 1 FROM email_address WHERE user_id = ?1 AND is_primary), ?3)
       ON CONFLICT DO NOTHING`,
    ).bind(userId, address, now),
    env.DB.prepare(`${copyPrimary} WHERE id = ?`).bind(userId),
  ])
  return added?.meta.changes === 1
}

/** Whether the address may be primary: it is verified, or none of the person's addresses is. */
const mayBePrimary = `(verified_at IS NOT NULL
  OR NOT EXISTS (SELECT 1 FROM email_address o WHERE o.user_id = ?2 AND o.verified_at IS NOT NULL))`

/** Makes one of somebody's addresses the primary one; mailed reset links die. False when it may not be, or is gone. */
export async function makePrimary(env: Env, userId: number, id: number): Promise<boolean> {
  const chosen = `SELECT user_id FROM email_address WHERE id = ?1 AND user_id = ?2 AND ${mayBePrimary}`
  const [, made] = await env.DB.batch([
    env.DB.prepare(`UPDATE email_address SET is_primary = 0 WHERE user_id = (${chosen}) AND id <> ?1`).bind(id, userId),
    env.DB.prepare(`UPDATE email_address SET is_primary = 1 WHERE id = ?1 AND user_id = ?2 AND ${mayBePrimary}`).bind(
      id,
      userId,
    ),
    env.DB.prepare(`${copyPrimary} WHERE id = ?`).bind(userId),
    env.DB.prepare('DELETE FROM password_reset WHERE user_id = ?').bind(userId),
  ])
  return made?.meta.changes === 1
}

/**
 * Removes one of somebody's addresses with its mailed links. Never the primary one, and never the only verified one: it would
 * lock its owner out. False when nothing was removed.
 */
export async function removeAddress(env: Env, userId: number, id: number): Promise<boolean> {
  const [removed] = await env.DB.batch([
    env.DB.prepare(
      `DELETE FROM email_address WHERE id = ?1 AND user_id = ?2 AND NOT is_primary
         AND (verified_at IS NULL
              OR EXISTS (SELECT 1 FROM email_address o WHERE o.user_id = ?2 AND o.id <> ?1 AND o.verified_at IS NOT NULL))`,
    ).bind(id, userId),
    ...forgetLinks(env.DB, userId),
  ])
  return removed?.meta.changes === 1
}
