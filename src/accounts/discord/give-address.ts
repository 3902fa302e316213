import { copyPrimary } from '../email/primary.ts'

/** Whether somebody has the address verified. */
export async function isAddressTaken(env: Env, address: string): Promise<boolean> {
  const query = 'SELECT 1 FROM email_address WHERE lower(address) = lower(?) AND verified_at IS NOT NULL'
  return (await env.DB.prepare(query).bind(address).first()) !== null
}

export async function hasVerifiedAddress(env: Env, userId: number): Promise<boolean> {
  const query = 'SELECT 1 FROM email_address WHERE user_id = ? AND verified_at IS NOT NULL'
  return (await env.DB.prepare(query).bind(userId).first()) !== null
}

/** The address that the owner of a Discord account gave and has not confirmed; null when there is none. */
export async function unconfirmedAddress(env: Env, discordId: string): Promise<string | null> {
  return env.DB.prepare(
    `SELECT address FROM email_address e JOIN discord_user d ON d.user_id = e.user_id
     WHERE discord_id = ? AND unlinked_at IS NULL AND is_primary AND verified_at IS NULL`,
  )
    .bind(discordId)
    .first<string>('address')
}

/**
 * Gives somebody who never confirmed an address another one in its place; whoever has confirmed one meanwhile keeps it. False when
 * a verified one is somebody else's. @param now ms since epoch
 */
export async function giveAddress(
  env: Env,
  userId: number,
  { address, isVerified }: { address: string; isVerified: boolean },
  now: number,
): Promise<boolean> {
  const unlessConfirmed = 'NOT EXISTS (SELECT 1 FROM email_address WHERE user_id = ?1 AND verified_at IS NOT NULL)'
  try {
    await env.DB.batch([
      env.DB.prepare(`DELETE FROM email_address WHERE user_id = ?1 AND ${unlessConfirmed}`).bind(userId),
      env.DB.prepare(
        `INSERT INTO email_address (user_id, address, verified_at, is_primary, created_at)
         SELECT ?1, ?2, ?3, 1, ?4 WHERE ${unlessConfirmed}`,
      ).bind(userId, address, isVerified ? now : null, now),
      env.DB.prepare(`${copyPrimary} WHERE id = ?`).bind(userId),
    ])
    return true
  } catch (error) {
    if (/UNIQUE constraint failed/.test(String(error))) return false
    throw error
  }
}
