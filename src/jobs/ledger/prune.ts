import { DAY_MS, MINUTE_MS } from '../../lib/time.ts'
import { readCounts, totalOf } from './counters.ts'
import { readSettings } from './settings.ts'
import type { Turn } from './sql.ts'

export const MAX_PRUNED = 1000
const KEEP_AUDIT_DAYS = 365

/** Deletes old and surplus ended jobs, and old figures, workers and audit entries; returns how many jobs. */
export function prune(turn: Turn): number {
  const { sql, now } = turn
  const { keep_days, keep_rows } = readSettings(turn)
  const oldest = now - keep_days * DAY_MS
  const old = sql.rows(
    `DELETE FROM job WHERE seq IN (SELECT seq FROM job WHERE ended_at IS NOT NULL AND ended_at < ? ORDER BY ended_at LIMIT ?)
     RETURNING seq`,
    oldest,
    MAX_PRUNED,
  ).length
  const tooMany = Math.min(MAX_PRUNED - old, totalOf(readCounts(turn)) - keep_rows)
  const surplus =
    tooMany <= 0
      ? 0
      : sql.rows(
          `DELETE FROM job WHERE seq IN (SELECT seq FROM job WHERE ended_at IS NOT NULL ORDER BY ended_at LIMIT ?) RETURNING seq`,
          tooMany,
        ).length
  sql.rows('DELETE FROM tally WHERE minute < ?', Math.floor(oldest / MINUTE_MS))
  sql.rows('DELETE FROM worker WHERE seen_at < ? AND running = 0', oldest)
  sql.rows('DELETE FROM audit WHERE at < ?', now - KEEP_AUDIT_DAYS * DAY_MS)
  turn.isQueueTouched ||= old + surplus > 0
  return old + surplus
}
