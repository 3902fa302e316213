import { and, eq, inArray, isNotNull, lt, min, type SQL, sql } from 'drizzle-orm'
import { runIn } from '../../db/own-database.ts'
import { query } from '../../db/query.ts'
import { DAY_MS, MINUTE_MS } from '../../lib/time.ts'
import { readCounts, totalOf } from './counters.ts'
import { readSettings } from './settings.ts'
import type { Transaction } from './sql.ts'
import { audit, job, tally, worker } from './tables.ts'

export const MAX_PRUNED = 1000
const KEEP_AUDIT_DAYS = 365

/** Figures of the first day that is left: after the age was lowered, there may be millions of others. */
const isOfFirstDay = sql`${tally.minute} < (${query.select({ minute: min(tally.minute) }).from(tally)}) + ${DAY_MS / MINUTE_MS}`

/** Deletes old and surplus ended jobs, and old figures, workers and audit entries; returns how many jobs. */
export function prune(tx: Transaction): number {
  const { sql: db, now } = tx
  const { keep_days, keep_rows } = readSettings(tx)
  const oldest = now - keep_days * DAY_MS
  const old = deleteEnded(tx, MAX_PRUNED, lt(job.ended_at, oldest))
  const tooMany = Math.min(MAX_PRUNED - old, totalOf(readCounts(tx)) - keep_rows)
  const surplus = tooMany <= 0 ? 0 : deleteEnded(tx, tooMany)
  runIn(db, query.delete(tally).where(and(lt(tally.minute, Math.floor(oldest / MINUTE_MS)), isOfFirstDay)))
  runIn(db, query.delete(worker).where(and(lt(worker.seen_at, oldest), eq(worker.running, 0))))
  runIn(db, query.delete(audit).where(lt(audit.at, now - KEEP_AUDIT_DAYS * DAY_MS)))
  tx.isQueueTouched ||= old + surplus > 0
  return old + surplus
}

/** Deletes the jobs that ended first, `limit` at most; returns how many. */
function deleteEnded({ sql: db }: Transaction, limit: number, isOld?: SQL): number {
  const isEnded = and(isNotNull(job.ended_at), isOld)
  const ended = query.select({ seq: job.seq }).from(job).where(isEnded).orderBy(job.ended_at).limit(limit)
  return runIn(db, query.delete(job).where(inArray(job.seq, ended)).returning({ seq: job.seq })).length
}
