import { and, eq, isNull, sql } from 'drizzle-orm'
import { query, readFirst } from '../../db/query.ts'
import { discordUser, user } from '../../db/schema/index.ts'
import { type SignInUser, signInFields } from '../find-user.ts'

/** The user whom a Discord account is linked to. `is_active` is false when either of the two was disabled. */
export const userLinkedTo = (discordId: string) =>
  query
    .select({
      ...signInFields,
      is_active: sql<boolean>`${user.isActive} AND NOT ${discordUser.isDisabled}`.mapWith(Boolean),
    })
    .from(discordUser)
    .innerJoin(user, eq(user.id, discordUser.userId))
    .where(and(eq(discordUser.discordId, discordId), isNull(discordUser.unlinkedAt)))

export async function findLinkedUser(env: Env, discordId: string): Promise<SignInUser | null> {
  return readFirst(env.DB, userLinkedTo(discordId))
}

export const isLinkedTo = (userId: number) => and(eq(discordUser.userId, userId), isNull(discordUser.unlinkedAt))

/** It stays disabled after it was disconnected. `isKnown`: it was admitted once. */
export async function findDiscordAccount(env: Env, discordId: string) {
  const { userId, unlinkedAt, isDisabled } = discordUser
  const hasId = eq(discordUser.discordId, discordId)
  const row = await readFirst(env.DB, query.select({ userId, unlinkedAt, isDisabled }).from(discordUser).where(hasId))
  const owner = row?.unlinkedAt === null ? row.userId : null
  return { owner, isDisabled: row?.isDisabled ?? false, isKnown: row !== null }
}
