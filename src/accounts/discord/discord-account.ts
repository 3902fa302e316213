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

/** What we know about a Discord account. It stays disabled after it was disconnected. */
interface DiscordAccountState {
  owner: number | null
  isDisabled: boolean
  /** It was admitted once, and may be disconnected now. */
  isKnown: boolean
}

export async function findDiscordAccount(env: Env, discordId: string): Promise<DiscordAccountState> {
  const row = await readFirst(
    env.DB,
    query
      .select({
        userId: discordUser.userId,
        unlinkedAt: discordUser.unlinkedAt,
        isDisabled: discordUser.isDisabled,
      })
      .from(discordUser)
      .where(eq(discordUser.discordId, discordId)),
  )
  if (!row) return { owner: null, isDisabled: false, isKnown: false }
  return { owner: row.unlinkedAt === null ? row.userId : null, isDisabled: row.isDisabled, isKnown: true }
}
