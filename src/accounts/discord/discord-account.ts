import { and, eq, isNull, type SQL, sql, type SQLWrapper, not } from 'drizzle-orm'
import { query, readFirst, into, statement, write, writeTogether, isDuplicate, condition } from '../../db/query.ts'
import { discordUser, user, emailAddress } from '../../db/schema/index.ts'
import { type LoginUser, loginUserFields } from '../find-user.ts'
import { copyPrimary } from '../email/address-changes.ts'
import { userHasVerified } from '../email/address-conditions.ts'

/** The user whom a Discord account is linked to. `is_active` is false when either of the two was disabled. */
export const userLinkedTo = (discordId: string) =>
  query
    .select({
      ...loginUserFields,
      is_active: condition(sql`${user.isActive} AND NOT ${discordUser.isDisabled}`),
    })
    .from(discordUser)
    .innerJoin(user, eq(user.id, discordUser.userId))
    .where(and(eq(discordUser.discordId, discordId), isNull(discordUser.unlinkedAt)))

export async function findLinkedUser(env: Env, discordId: string): Promise<LoginUser | null> {
  return readFirst(env.DB, userLinkedTo(discordId))
}

export const isLinkedTo = (userId: number) => and(eq(discordUser.userId, userId), isNull(discordUser.unlinkedAt))

/** A condition: a user can log in with Discord. @param userId a column */
export const canUseDiscord = (userId: SQLWrapper): SQL =>
  sql`EXISTS (SELECT 1 FROM ${discordUser} WHERE ${discordUser.userId} = ${userId}
    AND ${discordUser.unlinkedAt} IS NULL AND NOT ${discordUser.isDisabled})`

/** Counts a login with Discord that succeeded, so that the first one is greeted as such. */
export async function countDiscordLogin(env: Env, userId: number): Promise<void> {
  const loginCount = sql`${discordUser.loginCount} + 1`
  await write(env.DB, query.update(discordUser).set({ loginCount }).where(isLinkedTo(userId)))
}

/** A disabled Discord account stays disabled when it is disconnected. `isKnown`: it was admitted once. */
export async function findDiscordAccount(env: Env, discordId: string) {
  const { userId, unlinkedAt, isDisabled } = discordUser
  const hasId = eq(discordUser.discordId, discordId)
  const row = await readFirst(env.DB, query.select({ userId, unlinkedAt, isDisabled }).from(discordUser).where(hasId))
  const owner = row?.unlinkedAt === null ? row.userId : null
  return { owner, isDisabled: row?.isDisabled ?? false, isKnown: row !== null }
}

/** The unconfirmed address of the user a Discord account is linked to; null when there is none. */
export async function unconfirmedAddress(env: Env, discordId: string): Promise<string | null> {
  const { address, userId, isPrimary, verifiedAt } = emailAddress
  const { discordId: linkedId, unlinkedAt } = discordUser
  const isMeant = and(eq(linkedId, discordId), isNull(unlinkedAt), sql`${isPrimary}`, isNull(verifiedAt))
  const found = query
    .select({ address })
    .from(emailAddress)
    .innerJoin(discordUser, eq(discordUser.userId, userId))
    .where(isMeant)
  return (await readFirst(env.DB, found))?.address ?? null
}

/** Only for a user who has not confirmed one. False when someone else has verified the new one. */
export async function giveAddress(
  env: Env,
  userId: number,
  { address, isVerified }: { address: string; isVerified: boolean },
  now: number,
): Promise<boolean> {
  const hasNone = not(userHasVerified(userId))
  const { verifiedAt, isPrimary, createdAt } = emailAddress
  const columns = into(emailAddress, emailAddress.userId, emailAddress.address, verifiedAt, isPrimary, createdAt)
  try {
    await writeTogether(env.DB, [
      query.delete(emailAddress).where(and(eq(emailAddress.userId, userId), hasNone)),
      statement(sql`INSERT INTO ${columns}
        SELECT ${user.id}, ${address}, ${isVerified ? now : null}, 1, ${now} FROM ${user}
        WHERE ${user.id} = ${userId} AND ${hasNone}`),
      copyPrimary(eq(user.id, userId)),
    ])
    return true
  } catch (error) {
    if (isDuplicate(error)) return false
    throw error
  }
}
