import type { AdminRow, AdminTable } from '../../web/admin-table.ts'
import { type Entry, entryColumns, entryOf } from '../audit/history.ts'
import { rowsOf } from '../table-parts.ts'

/** A count is made again when it is older than this. */
const oldestCountMs = 5 * 60_000
const recentEntries = 15

export interface Index {
  /** By table name: how many rows, and when (ms) they were counted. */
  counts: ReadonlyMap<string, { rows: number; at: number }>
  recent: Entry[]
}

/** The front page in one round trip; counts that are too old are renewed on the way. */
export async function readIndex(db: D1Database, tables: readonly AdminTable[], now: number): Promise<Index> {
  const [, counts, recent] = await db.batch<AdminRow>([
    renewCounts(db, tables, now),
    db.prepare('SELECT table_name, row_count, counted_at FROM admin_count'),
    db.prepare(`SELECT ${entryColumns} FROM audit ORDER BY id DESC LIMIT ${recentEntries}`),
  ])
  return {
    counts: new Map(
      (counts?.results ?? []).map((row) => [
        String(row['table_name']),
        { rows: Number(row['row_count']), at: Number(row['counted_at']) },
      ]),
    ),
    recent: (recent?.results ?? []).map(entryOf),
  }
}

/** A table whose count is young enough yields no row, and is not counted. (D1 takes five arms of a UNION at most.) */
function renewCounts(db: D1Database, tables: readonly AdminTable[], now: number): D1PreparedStatement {
  const counts = tables.map((table) => `WHEN '${table.name}' THEN (SELECT count(*) FROM ${rowsOf(table)} t)`)
  return db
    .prepare(
      `INSERT INTO admin_count (table_name, row_count, counted_at)
       SELECT n.value, CASE n.value ${counts.join(' ')} END, ?1 FROM json_each(?2) n
       WHERE NOT EXISTS (SELECT 1 FROM admin_count WHERE table_name = n.value AND counted_at > ?1 - ${oldestCountMs})
       ON CONFLICT (table_name) DO UPDATE SET row_count = excluded.row_count, counted_at = excluded.counted_at`,
    )
    .bind(now, JSON.stringify(tables.map(({ name }) => name)))
}
