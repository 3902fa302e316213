import type { ProvenAccount } from '../known-browser.ts'

/** The account behind a Discord id. */
export interface LinkedUser extends ProvenAccount {
  username: string
  /** 0 when the account or its chat account was disabled. */
  is_active: number
}

export async function findLinked(env: Env, discordId: string): Promise<LinkedUser | null> {
  return env.DB.prepare(
    `SELECT u.id, u.username, u.password_hash, u.created_at, u.is_active AND NOT d.is_disabled AS is_active
     FROM discord_user d JOIN user u ON u.id = d.user_id WHERE discord_id = ? AND unlinked_at IS NULL`,
  )
    .bind(discordId)
    .first<LinkedUser>()
}

/** What is known of a Discord account. `isDisabled` outlives the link: nobody gets rid of it by disconnecting. */
interface Standing {
  /** Whose it is; null when nobody's. */
  owner: number | null
  isDisabled: boolean
  /** Whether it was ever let in, connected or not. */
  isKnown: boolean
}

export async function findStanding(env: Env, discordId: string): Promise<Standing> {
  const row = await env.DB.prepare(
    'SELECT iif(unlinked_at IS NULL, user_id, NULL) AS owner, is_disabled FROM discord_user WHERE discord_id = ?',
  )
    .bind(discordId)
    .first<{ owner: number | null; is_disabled: number }>()
  return { owner: row?.owner ?? null, isDisabled: row?.is_disabled === 1, isKnown: row !== null }
}
