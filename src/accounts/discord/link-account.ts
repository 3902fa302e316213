import { insist, insistedSentence } from '../../db/insist.ts'
import { copyPrimary } from '../email/primary.ts'
import type { Tokens } from './discord-api.ts'
import { type DiscordProfile, usernameOf } from './profile.ts'
import { sealTokens } from './sealed-tokens.ts'
import { findStanding, type LinkedUser } from './standing.ts'

/** Somebody who came back from Discord. */
export interface Comer {
  profile: DiscordProfile
  tokens: Tokens
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
     WHERE discord_id = ?1 AND unlinked_at IS NULL
     RETURNING user_id AS id, (SELECT username FROM user u WHERE u.id = user_id) AS username,
       (SELECT password_hash FROM user u WHERE u.id = user_id) AS password_hash,
       (SELECT created_at FROM user u WHERE u.id = user_id) AS created_at,
       (SELECT is_active FROM user u WHERE u.id = user_id) AND NOT is_disabled AS is_active`,
  )
    .bind(...values(sealed, comer), now)
    .first<LinkedUser>()
  return row
}

/** `owned`: somebody else has it. `another`: the user already has one. `disabled`: it has no part in the site, whoever has it. */
export type Linking = 'linked' | 'owned' | 'another' | 'disabled'

/** Links a Discord account to a user; of two requests at once one does. */
export async function linkAccount(env: Env, userId: number, comer: Comer, now: number): Promise<Linking> {
  const sealed = await sealTokens(env, comer.profile.discordId, comer.tokens)
  try {
    const { meta } = await writeLink(env, 'SELECT id FROM user WHERE id = ?10', comer, sealed, now, userId).run()
    if (meta.changes > 0) return 'linked'
  } catch (error) {
    if (!isConflict(error)) throw error
  }
  const { owner, isDisabled } = await findStanding(env, comer.profile.discordId)
  if (owner !== null && owner !== userId) return 'owned'
  if (isDisabled) return 'disabled'
  return owner === userId ? 'linked' : 'another'
}

/**
 * `address_taken`: somebody has it verified. `linked`: the Discord account got an account in the meantime. `disabled`: it was
 * disabled, and is nobody's now.
 */
type NewAccount = { ok: true; user: LinkedUser } | { ok: false; reason: 'address_taken' | 'linked' | 'disabled' }

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
  const username = await freeUsername(env, comer, now)
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
      writeLink(env, `SELECT id FROM user WHERE lower(username) = lower(?10)`, comer, sealed, now, username),
      insist(env.DB, 'changes() = 1', [], 'The Discord account is not free.'),
    ])
  } catch (error) {
    if (!isConflict(error) && insistedSentence(error) === null) throw error
    const { owner, isDisabled } = await findStanding(env, comer.profile.discordId)
    return { ok: false, reason: owner !== null ? 'linked' : isDisabled ? 'disabled' : 'address_taken' }
  }
  const { owner } = await findStanding(env, comer.profile.discordId)
  if (owner === null) throw new Error('The account was not added.')
  return { ok: true, user: { id: owner, username, is_active: 1, password_hash: null, created_at: now } }
}

/** The usual name, unless the account has it that this Discord account was disconnected from. */
async function freeUsername(env: Env, { profile }: Comer, now: number): Promise<string> {
  const usual = usernameOf(profile)
  const query = 'SELECT 1 FROM user WHERE lower(username) = lower(?)'
  if ((await env.DB.prepare(query).bind(usual).first()) === null) return usual
  return usernameOf({ ...profile, discordId: `${profile.discordId}-${now.toString(36)}` })
}

/**
 * Adds the chat user, or hands on the one that was disconnected: role, school, limits and history are the Discord account's, whoever
 * links it. Changes no row when it is linked or disabled.
 * @param user a query for the user's id, whose parameter ?10 is `key`
 */
function writeLink(
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
     VALUES ((${user}), ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, 1, ?9, ?9)
     ON CONFLICT (discord_id) DO UPDATE SET user_id = excluded.user_id, username = excluded.username,
       discriminator = excluded.discriminator, display_name = excluded.display_name, avatar = excluded.avatar,
       is_verified = excluded.is_verified, sealed_tokens = excluded.sealed_tokens, tokens_expire_at = excluded.tokens_expire_at,
       login_count = login_count + 1, last_login_at = excluded.last_login_at, unlinked_at = NULL
     WHERE discord_user.unlinked_at IS NOT NULL AND NOT discord_user.is_disabled`,
  ).bind(...values(sealed, comer), now, key)
}

const isConflict = (error: unknown): boolean => /UNIQUE constraint failed/.test(String(error))
