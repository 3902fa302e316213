import { sql } from 'drizzle-orm'
import { type Database, into, names, query, readTogether, statement, type Template } from '../db/query.ts'
import { adminCount } from '../db/schema/index.ts'
import { type Entry, entryOf, recentEntries } from './audit/history.ts'
import { rowsOf, type Table } from './table.ts'

/** A count is made again when it is older than this. */
const MAX_COUNT_AGE_MS = 5 * 60_000
const ENTRIES_SHOWN = 15

export interface Index {
  /** By table name: how many rows, and when (ms) they were counted. */
  counts: ReadonlyMap<string, { rows: number; at: number }>
  recent: Entry[]
}

/** The front page in one round trip; counts that are too old are renewed on the way. */
export async function readIndex(db: Database, tables: readonly Table[], now: number): Promise<Index> {
  const [, counts, recent] = await readTogether(
    db,
    renewCounts(tables, now),
    query.select({ name: adminCount.tableName, rows: adminCount.rowCount, at: adminCount.countedAt }).from(adminCount),
    recentEntries(ENTRIES_SHOWN),
  )
  return {
    counts: new Map(counts.map(({ name, rows, at }) => [name, { rows, at }])),
    recent: recent.map(entryOf),
  }
}

/** A table whose count is young enough yields no row, and is not counted. (D1 takes five arms of a UNION at most.) */
function renewCounts(tables: readonly Table[], now: number): Template<never> {
  const counts = tables.map((table) => sql` WHEN ${table.name} THEN (SELECT count(*) FROM ${rowsOf(table)})`)
  const { tableName, rowCount, countedAt } = adminCount
  return statement(sql`INSERT INTO ${into(adminCount, tableName, rowCount, countedAt)}
    SELECT n.value, CASE n.value${sql.join(counts)} END, ${now}
    FROM json_each(${JSON.stringify(tables.map(({ name }) => name))}) n
    WHERE NOT EXISTS (SELECT 1 FROM ${adminCount}
      WHERE ${tableName} = n.value AND ${countedAt} > ${now - MAX_COUNT_AGE_MS})
    ON CONFLICT (${names(tableName)}) DO UPDATE
      SET ${names(rowCount)} = excluded.${names(rowCount)}, ${names(countedAt)} = excluded.${names(countedAt)}`)
}
