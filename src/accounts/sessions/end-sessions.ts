import { eq, type SQL, sql } from 'drizzle-orm'
import { type RowOf, template, write } from '../../db/query.ts'
import { session, user } from '../../db/schema/index.ts'
import { closeSockets } from '../../jobs/ledgers.ts'
import { deleteRecord } from '../../web/session/session-records.ts'

/** Ends sessions everywhere: their rows are gone when this returns. Returns how many. @param which a condition on `session` */
export async function endSessionsWhere(env: Env, which: SQL): Promise<number> {
  const { rows } = await write(env.DB, deleteSessionsWhere(which))
  await deleteSessionRecords(env, rows)
  return rows.length
}

/** For a batch: deletes sessions. {@link deleteSessionRecords} takes what it returns and does the rest. */
export function deleteSessionsWhere(which: SQL) {
  const fields = {
    id_hash: session.idHash,
    is_superuser: sql<boolean>`(SELECT ${user.isSuperuser} FROM ${user} WHERE ${user.id} = ${session.userId})`.mapWith(
      Boolean,
    ),
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
