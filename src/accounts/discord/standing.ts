import { and, eq, isNull, sql } from 'drizzle-orm'
import { query, readFirst } from '../../db/query.ts'
import { discordUser, user } from '../../db/schema/index.ts'
import { type SignInUser, signInFields } from '../find-user.ts'

/** The account behind a Discord id. `is_active` is false when the account or its chat account was disabled. */
export type LinkedUser = SignInUser

export const linkedUser = (discordId: string) =>
  query
    .select({
      ...signInFields,
      is_active: sql<boolean>`${user.isActive} AND NOT ${discordUser.isDisabled}`.mapWith(Boolean),
    })
    .from(discordUser)
    .innerJoin(user, eq(user.id, discordUser.userId))
    .where(and(eq(discordUser.discordId, discordId), isNull(discordUser.unlinkedAt)))

export async function findLinked(env: Env, discordId: string): Promise<LinkedUser | null> {
  return readFirst(env.DB, linkedUser(discordId))
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
