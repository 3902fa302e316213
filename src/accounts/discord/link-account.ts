import { copyPrimary } from '../email/primary.ts'
import type { Tokens } from './discord-api.ts'
import { type DiscordProfile, usernameOf } from './profile.ts'
import { sealTokens } from './sealed-tokens.ts'

/** Somebody who came back from Discord. */
export interface Comer {
  profile: DiscordProfile
  tokens: Tokens
}

/** The account behind a Discord id. */
export interface LinkedUser {
  id: number
  username: string
  /** 0 when the account or its chat account was disabled. */
  is_active: number
}

const values = (sealed: string, { profile, tokens }: Comer) =>
  [
    profile.discordId,
    profile.username,
    profile.discriminator,
    profile.displayName,
    profile.avatar,
    profile.isVerified ? 1 : 0,
    sealed,
    tokens.expires_at,
  ] as const

/**
 * Writes down a sign-in of somebody we know: profile and tokens as they are now, one more log-in. Null when nobody has this
 * Discord account linked. @param now ms since epoch
 */
export async function refreshLinked(env: Env, comer: Comer, now: number): Promise<LinkedUser | null> {
  const sealed = await sealTokens(env, comer.profile.discordId, comer.tokens)
  const row = await env.DB.prepare(
    `UPDATE discord_user SET username = ?2, discriminator = ?3, display_name = ?4, avatar = ?5, is_verified = ?6,
       sealed_tokens = ?7, tokens_expire_at = ?8, login_count = login_count + 1, last_login_at = ?9
     WHERE discord_id = ?1
     RETURNING user_id AS id, (SELECT username FROM user u WHERE u.id = user_id) AS username,
       (SELECT is_active FROM user u WHERE u.id = user_id) AND NOT is_disabled AS is_active`,
  )
    .bind(...values(sealed, comer), now)
    .first<LinkedUser>()
  return row
}

export async function findLinked(env: Env, discordId: string): Promise<LinkedUser | null> {
  return env.DB.prepare(
    `SELECT u.id, u.username, u.is_active AND NOT d.is_disabled AS is_active
     FROM discord_user d JOIN user u ON u.id = d.user_id WHERE discord_id = ?`,
  )
    .bind(discordId)
    .first<LinkedUser>()
}

/** Whose a Discord account is; null when nobody's. */
export async function findOwner(env: Env, discordId: string): Promise<number | null> {
  return env.DB.prepare('SELECT user_id FROM discord_user WHERE discord_id = ?')
    .bind(discordId)
    .first<number>('user_id')
}

/** `owned`: somebody else has it. `another`: the user already has one. */
type Linking = 'linked' | 'owned' | 'another'

/** Links a Discord account to a user; of two requests at once one does. */
export async function linkAccount(env: Env, userId: number, comer: Comer, now: number): Promise<Linking> {
  const sealed = await sealTokens(env, comer.profile.discordId, comer.tokens)
  try {
    await insertLink(env, 'SELECT id FROM user WHERE id = ?10', comer, sealed, now, userId).run()
    return 'linked'
  } catch (error) {
    if (!isConflict(error)) throw error
  }
  const owner = await findOwner(env, comer.profile.discordId)
  if (owner === userId) return 'linked'
  return owner === null ? 'another' : 'owned'
}

/** `address_taken`: somebody has it verified. `linked`: the Discord account got an account in the meantime. */
type NewAccount = { ok: true; user: LinkedUser } | { ok: false; reason: 'address_taken' | 'linked' }

/**
 * Adds an account for somebody new: user, address and chat account in one batch. An address Discord did not verify is kept
 * unverified, whoever else may have it; a verified one can be had once.
 */
export async function createAccount(
  env: Env,
  comer: Comer,
  { address, isVerified }: { address: string; isVerified: boolean },
  now: number,
): Promise<NewAccount> {
  const username = usernameOf(comer.profile)
  const sealed = await sealTokens(env, comer.profile.discordId, comer.tokens)
  const added = `SELECT id FROM user WHERE lower(username) = lower(?1)`
  try {
    await env.DB.batch([
      env.DB.prepare(
        'INSERT INTO user (username, email, password_hash, is_superuser, is_active, created_at) VALUES (?, ?, NULL, 0, 1, ?)',
      ).bind(username, address, now),
      env.DB.prepare(
        `INSERT INTO email_address (user_id, address, verified_at, is_primary, created_at) VALUES ((${added}), ?, ?, 1, ?)`,
      ).bind(username, address, isVerified ? now : null, now),
      env.DB.prepare(`${copyPrimary} WHERE id = (${added})`).bind(username),
      insertLink(env, `SELECT id FROM user WHERE lower(username) = lower(?10)`, comer, sealed, now, username),
    ])
  } catch (error) {
    if (!isConflict(error)) throw error
    return { ok: false, reason: (await findOwner(env, comer.profile.discordId)) === null ? 'address_taken' : 'linked' }
  }
  const id = await findOwner(env, comer.profile.discordId)
  if (id === null) throw new Error('The account was not added.')
  return { ok: true, user: { id, username, is_active: 1 } }
}

/** @param user a query for the user's id, whose parameter ?10 is `key` */
function insertLink(
  env: Env,
  user: string,
  comer: Comer,
  sealed: string,
  now: number,
  key: string | number,
): D1PreparedStatement {
  return env.DB.prepare(
    `INSERT INTO discord_user (user_id, discord_id, username, discriminator, display_name, avatar, is_verified,
       sealed_tokens, tokens_expire_at, login_count, first_login_at, last_login_at)
     VALUES ((${user}), ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, 1, ?9, ?9)`,
  ).bind(...values(sealed, comer), now, key)
}

const isConflict = (error: unknown): boolean => /UNIQUE constraint failed/.test(String(error))
