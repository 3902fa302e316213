import { and, desc, eq, gt, sql, type SQL } from 'drizzle-orm'
import {
  prepared,
  type Query,
  query,
  read,
  type RowOf,
  template,
  writeTogether,
  parameter,
  condition,
} from '../../db/query.ts'
import { session, user } from '../../db/schema/index.ts'
import { type AccountOwner, whileLoggedIn } from '../owner.ts'
import { closeSockets } from '../../jobs/ledgers.ts'
import { deleteRecord } from '../../web/session/session-records.ts'

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
    .where(and(eq(session.userId, parameter('userId')), gt(session.expiresAt, parameter('now'))))
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
  return (
    (await endSessionsWhere(env, sql`${session.userId} = ${by.userId} AND ${publicId} = ${id}`, whileLoggedIn(by))) > 0
  )
}

/** Ends all of a user's sessions except one; returns how many. */
export async function endOtherSessions(env: Env, by: AccountOwner, keptIdHash: string): Promise<number> {
  const isOther = sql`${session.userId} = ${by.userId} AND ${session.idHash} <> ${keptIdHash}`
  return endSessionsWhere(env, sql`${isOther} AND ${session.expiresAt} > ${Date.now()}`, whileLoggedIn(by))
}

/**
 * Ends sessions everywhere: their rows are gone when this returns. Returns how many.
 * @param which a condition on `session` @param also carried out with it
 */
export async function endSessionsWhere(env: Env, which: SQL, ...also: Query[]): Promise<number> {
  const [{ rows }] = await writeTogether(env.DB, [deleteSessionsWhere(which), ...also])
  await deleteSessionRecords(env, rows)
  return rows.length
}

/** For a batch: deletes sessions. {@link deleteSessionRecords} takes what it returns and does the rest. */
export function deleteSessionsWhere(which: SQL) {
  const fields = {
    id_hash: session.idHash,
    is_superuser: condition(sql`(SELECT ${user.isSuperuser} FROM ${user} WHERE ${user.id} = ${session.userId})`),
  }
  return template(fields, (columns) => sql`DELETE FROM ${session} WHERE ${which} RETURNING ${columns}`)
}

export const deleteSessionsOf = (userId: number) => deleteSessionsWhere(eq(session.userId, userId))

type EndedSession = RowOf<ReturnType<typeof deleteSessionsWhere>>

/** A request may make a limited number of calls, and a record without its row is ignored. */
const MAX_DELETED_RECORDS = 200

/** Once their rows are gone: deletes their records in KV, and closes superusers' live pages. */
export async function deleteSessionRecords(env: Env, ended: readonly EndedSession[]): Promise<void> {
  const sessionHashes = ended.flatMap(({ id_hash, is_superuser }) => (is_superuser ? [id_hash] : []))
  const forgotten = ended.slice(0, MAX_DELETED_RECORDS).map(({ id_hash }) => deleteRecord(env, id_hash))
  await Promise.all([closeSockets(env, { sessionHashes }), ...forgotten])
}
