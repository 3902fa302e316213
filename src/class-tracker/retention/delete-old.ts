import { sql } from 'drizzle-orm'
import { into, names, statement, template, writeTogether } from '../../db/query.ts'
import { monthlyTotal } from '../../db/schema/index.ts'
import type { Deletable } from './deletable.ts'

/** Rows one batch walks past, and so deletes at most. */
export const MAX_ROWS_A_BATCH = 2000

interface Walked {
  deleted: number
  /** Where the next batch begins; null when no older row is left. */
  after: number | null
}

/**
 * Walks a table from the row after number `after`, and deletes what is older than `cutoff` (ms) and may go. What goes is counted
 * in `monthly_total` in the same batch, so a batch that is repeated finds nothing and counts nothing.
 */
export async function deleteOld(db: D1Database, rows: Deletable, after: number, cutoff: number): Promise<Walked> {
  const { table, row, at } = rows
  const page = sql`(SELECT id FROM ${table} WHERE id > ${after} ORDER BY id LIMIT ${MAX_ROWS_A_BATCH}) p
    CROSS JOIN ${table} ${row} ON ${row.id} = p.id`
  const old = sql`FROM ${page} WHERE ${at} < ${cutoff} AND ${rows.where(cutoff)}`
  const { month, what, channel, state, count: total } = monthlyTotal
  const [walked, , deleted] = await writeTogether(db, [
    template(
      {
        count: sql<number>`count(*)`,
        last: sql<number | null>`max(${row.id})`,
        oldest: sql<number | null>`min(${at})`,
      },
      (columns) => sql`SELECT ${columns} FROM ${page}`,
    ),
    statement(sql`INSERT INTO ${into(monthlyTotal, month, what, channel, state, total)}
      SELECT strftime('%Y-%m', ${at} / 1000, 'unixepoch'), ${rows.what}, ${rows.channel}, ${rows.state}, count(*) ${old}
      GROUP BY 1, 3, 4
      ON CONFLICT (${names(month, what, channel, state)}) DO UPDATE SET ${names(total)} = ${total} + excluded.${names(total)}`),
    template({ id: row.id }, () => sql`DELETE FROM ${table} WHERE id IN (SELECT ${row.id} ${old}) RETURNING id`),
  ])
  const { count = 0, last = null, oldest = null } = walked.rows[0] ?? {}
  const isOver = count < MAX_ROWS_A_BATCH || last === null || oldest === null || oldest >= cutoff
  return { deleted: deleted.rows.length, after: isOver ? null : last }
}
