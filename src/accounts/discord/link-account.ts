import { and, eq, isNotNull, isNull, type SQL, sql } from 'drizzle-orm'
import { type Query, query, writeTogether, isDuplicate, refusalIn, refuseUnless } from '../../db/query.ts'
import { discordUser, emailAddress, user } from '../../db/schema/index.ts'
import { copyPrimary } from '../email/address-changes.ts'
import { userHasVerified } from '../email/address-conditions.ts'
import { isUsernameTaken, loginUserFields, type LoginUser } from '../find-user.ts'
import { type AccountOwner, whileLoggedIn } from '../owner.ts'
import type { Tokens } from './discord-api.ts'
import { type DiscordProfile, usernameOf } from './profile.ts'
import { sealTokens } from './sealed-tokens.ts'
import { findDiscordAccount, userLinkedTo } from './discord-account.ts'

export interface DiscordLogin {
  profile: DiscordProfile
  tokens: Tokens
}

/** The columns that each login with Discord updates. */
async function loginColumnsOf(env: Env, { profile, tokens }: DiscordLogin) {
  const { discordId, username, discriminator, displayName, avatar, isVerified } = profile
  const sealedTokens = await sealTokens(env, discordId, tokens)
  return { username, discriminator, displayName, avatar, isVerified, sealedTokens, tokensExpireAt: tokens.expires_at }
}

/**
 * Stores the current profile and tokens of someone who came from Discord; the login itself is counted when it succeeds.
 * Null when the account is not linked to a user.
 */
export async function refreshLinked(env: Env, login: DiscordLogin, now: number): Promise<LoginUser | null> {
  const { discordId } = login.profile
  const [, { rows }] = await writeTogether(env.DB, [
    query
      .update(discordUser)
      .set({ ...(await loginColumnsOf(env, login)), lastLoginAt: now })
      .where(and(eq(discordUser.discordId, discordId), isNull(discordUser.unlinkedAt))),
    userLinkedTo(discordId),
  ])
  return rows[0] ?? null
}

/** `owned`: it is linked to someone else. `another`: the user already has one. `disabled`: it may not be used here. `logged_out`: the user was, meanwhile. */
export type Linking = 'linked' | 'owned' | 'another' | 'disabled' | 'logged_out'

/**
 * Links a Discord account to a user; of two simultaneous requests one succeeds.
 * @param notice stores its notice
 */
export async function linkAccount(
  env: Env,
  by: AccountOwner,
  login: DiscordLogin,
  now: number,
  notice: readonly Query[],
): Promise<Linking> {
  const { userId } = by
  const columns = await loginColumnsOf(env, login)
  try {
    const isFree = sql`(${isUnlinked} OR ${isAbandoned})`
    const linking = addLink({ owner: eq(user.id, userId), isFree, logins: 1 }, login.profile.discordId, columns, now)
    const [, linked] = await writeTogether(env.DB, [whileLoggedIn(by), linking, ...notice])
    if (linked.changes > 0) return 'linked'
  } catch (error) {
    if (refusalIn(error) !== null) return 'logged_out'
    if (!isDuplicate(error)) throw error
  }
  const { owner, isDisabled } = await findDiscordAccount(env, login.profile.discordId)
  if (owner !== null && owner !== userId) return 'owned'
  if (isDisabled) return 'disabled'
  return owner === userId ? 'linked' : 'another'
}

/** `address_taken`: someone else verified it. `linked`: it was, meanwhile. `disabled`: linked to no one. */
type CreatedAccount = { ok: true; user: LoginUser } | { ok: false; reason: 'address_taken' | 'linked' | 'disabled' }

/**
 * Adds an account for a new user: user, address and Discord account in one batch. An address that Discord did not
 * verify is stored unverified, even if another account has it too; only one account can have it verified.
 */
export async function createAccount(
  env: Env,
  login: DiscordLogin,
  { address, isVerified }: { address: string; isVerified: boolean },
  now: number,
): Promise<CreatedAccount> {
  const username = await freeUsername(env, login, now)
  const columns = await loginColumnsOf(env, login)
  const isAdded = sql`lower(${user.username}) = lower(${username})`
  try {
    const [{ rows }] = await writeTogether(env.DB, [
      query.insert(user).values({ username, email: address, createdAt: now }).returning(loginUserFields),
      query.insert(emailAddress).values({
        userId: idWhere(isAdded),
        address,
        verifiedAt: isVerified ? now : null,
        isPrimary: true,
        createdAt: now,
      }),
      copyPrimary(isAdded),
      addLink({ owner: isAdded, isFree: isUnlinked, logins: 0 }, login.profile.discordId, columns, now),
      refuseUnless(sql`changes() = 1`, 'The Discord account is not free.'),
    ])
    const [added] = rows
    if (!added) throw new Error('The account was not added.')
    return { ok: true, user: added }
  } catch (error) {
    if (!isDuplicate(error) && refusalIn(error) === null) throw error
    const { owner, isDisabled } = await findDiscordAccount(env, login.profile.discordId)
    return { ok: false, reason: owner !== null ? 'linked' : isDisabled ? 'disabled' : 'address_taken' }
  }
}

/** The usual name, unless it is taken by the account that this Discord account was disconnected from. */
async function freeUsername(env: Env, { profile }: DiscordLogin, now: number): Promise<string> {
  const usual = usernameOf(profile)
  if (!(await isUsernameTaken(env, usual))) return usual
  return usernameOf({ ...profile, discordId: `${profile.discordId}-${now.toString(36)}` })
}

const idWhere = (which: SQL): SQL => sql`(SELECT ${user.id} FROM ${user} WHERE ${which})`

const isUnlinked = isNotNull(discordUser.unlinkedAt)

/**
 * The user it is linked to has never logged in and has no confirmed address, so no one can use that user's account without
 * this Discord account. A disabled user keeps it: a banned person could otherwise connect it to a new account.
 */
const isAbandoned = sql`EXISTS (SELECT 1 FROM ${user} WHERE ${user.id} = ${discordUser.userId} AND ${user.isActive}
  AND ${user.lastLoginAt} IS NULL AND NOT ${userHasVerified(user.id)})`

interface NewLink {
  /** A condition on `user`. */
  owner: SQL
  /** A condition on a Discord account that is stored already: whether its link may be given to the new owner. */
  isFree: SQL
  /** How many logins to count: none while the user may still have to confirm an address. */
  logins: 0 | 1
}

/**
 * Adds the Discord account, or gives one that is free, with its role, school, limits and history, to its new owner.
 * Changes no row when it is not free, or is disabled.
 */
function addLink(
  { owner, isFree, logins }: NewLink,
  discordId: string,
  columns: Awaited<ReturnType<typeof loginColumnsOf>>,
  now: number,
) {
  const found = { ...columns, userId: idWhere(owner), lastLoginAt: now }
  return query
    .insert(discordUser)
    .values({ ...found, discordId, loginCount: logins, firstLoginAt: now })
    .onConflictDoUpdate({
      target: discordUser.discordId,
      set: { ...found, loginCount: sql`${discordUser.loginCount} + ${logins}`, unlinkedAt: null },
      setWhere: sql`${isFree} AND NOT ${discordUser.isDisabled}`,
    })
}
