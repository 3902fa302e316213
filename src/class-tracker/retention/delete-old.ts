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
  const page = `SELECT id FROM ${rows.table} WHERE id > ?1 ORDER BY id LIMIT ${MAX_ROWS_A_BATCH}`
  const old = `FROM (${page}) p CROSS JOIN ${rows.table} r ON r.id = p.id WHERE r.${rows.at} < ?2 AND ${rows.where}`
  const month = `strftime('%Y-%m', r.${rows.at} / 1000, 'unixepoch')`
  const [walked, , deleted] = await db.batch<{ count: number; last: number | null; oldest: number | null }>([
    db
      .prepare(
        `SELECT count(*) AS count, max(r.id) AS last, min(r.${rows.at}) AS oldest
         FROM (${page}) p CROSS JOIN ${rows.table} r ON r.id = p.id`,
      )
      .bind(after),
    db
      .prepare(
        `INSERT INTO monthly_total (month, what, channel, state, count)
         SELECT ${month}, '${rows.what}', ${rows.channel}, ${rows.state}, count(*) ${old} GROUP BY 1, 3, 4
         ON CONFLICT (month, what, channel, state) DO UPDATE SET count = count + excluded.count`,
      )
      .bind(after, cutoff),
    db.prepare(`DELETE FROM ${rows.table} WHERE id IN (SELECT r.id ${old}) RETURNING id`).bind(after, cutoff),
  ])
  const { count = 0, last = null, oldest = null } = walked?.results[0] ?? {}
  const isOver = count < MAX_ROWS_A_BATCH || last === null || oldest === null || oldest >= cutoff
  return { deleted: deleted?.results.length ?? 0, after: isOver ? null : last }
}
