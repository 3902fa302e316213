import { and, desc, eq, gt, sql } from 'drizzle-orm'
import { prepared, query, read, type RowOf } from '../../db/query.ts'
import { session } from '../../db/schema/index.ts'
import type { AccountOwner } from '../owner.ts'
import { endSessionsWhere } from './end-sessions.ts'

const publicId = sql<string>`substr(${session.idHash}, 1, 16)`
export const publicIdOf = (idHash: string): string => idHash.slice(0, 16)

const lastUse = sql<number>`coalesce(${session.lastUsedAt}, ${session.createdAt})`

const livingOf = prepared(() =>
  query
    .select({
      id: publicId,
      created_at: session.createdAt,
      last_used_at: lastUse,
      ip_address: session.ipAddress,
      country: session.country,
      user_agent: session.userAgent,
    })
    .from(session)
    .where(and(eq(session.userId, sql.placeholder('userId')), gt(session.expiresAt, sql.placeholder('now'))))
    .orderBy(desc(lastUse), desc(session.createdAt))
    .limit(100),
)

/** `id` identifies it in a form and does not reveal the cookie. Times: ms since epoch. */
export type ListedSession = RowOf<ReturnType<typeof livingOf>>

/** A user's sessions that have not expired, at most 100, the most recently used first. */
export async function listSessions(env: Env, userId: number, now: number): Promise<ListedSession[]> {
  return read(env.DB, livingOf({ userId, now }))
}

/** Ends one of a user's sessions; false when it is not theirs or has ended. */
export async function endOneSession(env: Env, by: AccountOwner, id: string): Promise<boolean> {
  return (await endSessionsWhere(env, sql`${session.userId} = ${by.userId} AND ${publicId} = ${id}`)) > 0
}

/** Ends all of a user's sessions except one; returns how many. */
export async function endOtherSessions(env: Env, by: AccountOwner, keptIdHash: string): Promise<number> {
  return endSessionsWhere(env, sql`${session.userId} = ${by.userId} AND ${session.idHash} <> ${keptIdHash}`)
}
