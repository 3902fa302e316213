import { sql } from 'drizzle-orm'
import {
  type Database,
  into,
  names,
  query,
  readTogether,
  statement,
  type Template,
  write,
  writeThenRead,
} from '../db/query.ts'
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

/**
 * The front page in one round trip. It shows what was counted last: counts that are too old are renewed for the next viewer,
 * and only a table that was never counted is waited for.
 * @param later takes work that the answer does not wait for
 */
export async function readIndex(
  db: Database,
  tables: readonly Table[],
  now: number,
  later: (work: Promise<unknown>) => void,
): Promise<Index> {
  const [kept, recent] = await readTogether(db, findCounts(), recentEntries(ENTRIES_SHOWN))
  const counted = new Map(kept.map(({ name, at }) => [name, at]))
  const isUncounted = tables.some(({ name }) => !counted.has(name))
  const isOld = tables.some(({ name }) => (counted.get(name) ?? 0) <= now - MAX_COUNT_AGE_MS)
  const [counts] = isUncounted ? await writeThenRead(db, [renewCounts(tables, now)], findCounts()) : [kept]
  if (isOld && !isUncounted) later(write(db, renewCounts(tables, now)))
  return {
    counts: new Map(counts.map(({ name, rows, at }) => [name, { rows, at }])),
    recent: recent.map(entryOf),
  }
}

function findCounts() {
  return query
    .select({ name: adminCount.tableName, rows: adminCount.rowCount, at: adminCount.countedAt })
    .from(adminCount)
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
