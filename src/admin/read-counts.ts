import { sql } from 'drizzle-orm'
import { into, names, query, type RowOf, statement, type Template, setExcluded } from '../db/query.ts'
import { adminCount } from '../db/schema/index.ts'
import { rowsOf, type Table } from './table.ts'

/** A count older than this is renewed, in ms. */
const MAX_COUNT_AGE_MS = 5 * 60_000

/** By table name: how many rows, and when (ms) they were counted. */
export type Counts = ReadonlyMap<string, { rows: number; at: number }>

export function findCounts() {
  return query
    .select({ name: adminCount.tableName, rows: adminCount.rowCount, at: adminCount.countedAt })
    .from(adminCount)
}

export const countsOf = (found: readonly RowOf<ReturnType<typeof findCounts>>[]): Counts =>
  new Map(found.map(({ name, rows, at }) => [name, { rows, at }]))

export const isOld = (counts: Counts, now: number): boolean =>
  counts.size === 0 || [...counts.values()].some(({ at }) => at <= now - MAX_COUNT_AGE_MS)

/** A table whose count is recent enough yields no row and is not counted. (D1 allows at most five terms in a UNION.) */
export function renewCounts(tables: readonly Table[], now: number): Template<never> {
  const counts = tables.map((table) => sql` WHEN ${table.name} THEN (SELECT count(*) FROM ${rowsOf(table)})`)
  const { tableName, rowCount, countedAt } = adminCount
  return statement(sql`INSERT INTO ${into(adminCount, tableName, rowCount, countedAt)}
    SELECT n.value, CASE n.value${sql.join(counts)} END, ${now}
    FROM json_each(${JSON.stringify(tables.map(({ name }) => name))}) n
    WHERE NOT EXISTS (SELECT 1 FROM ${adminCount}
      WHERE ${tableName} = n.value AND ${countedAt} > ${now - MAX_COUNT_AGE_MS})
    ON CONFLICT (${names(tableName)}) DO UPDATE
      SET ${setExcluded(rowCount, countedAt)}`)
}
