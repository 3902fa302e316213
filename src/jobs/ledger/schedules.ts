import { eq, sql } from 'drizzle-orm'
import { firstIn, runIn } from '../../db/own-database.ts'
import { excluded, query } from '../../db/query.ts'
import type { ScheduleRun, ScheduleState } from './calls.ts'
import { writeAudit } from './audit.ts'
import type { Reader, Transaction } from './sql.ts'
import { schedule } from './tables.ts'

const MAX_ERROR_LENGTH = 2000

/** Every known schedule by name; their number is bounded by the schedules that the code has ever had. */
export function readSchedules({ sql: db }: Reader): ScheduleState[] {
  return runIn(db, query.select().from(schedule).orderBy(schedule.name))
}

/**
 * Records when schedules ran and how that went. A late report does not replace a newer one. A failed run leaves the
 * time of the last one that succeeded, so that the next minute repeats it; a first one is noted as just before it.
 */
export function noteSchedules(tx: Transaction, runs: readonly ScheduleRun[]): void {
  tx.isQueueTouched ||= runs.length > 0
  for (const { name, at, error, by } of runs) {
    const last_error = error.slice(0, MAX_ERROR_LENGTH)
    const ranAt = Math.trunc(at) - (error === '' ? 0 : 1)
    const noted = query.insert(schedule).values({ name, last_run_at: ranAt, last_error })
    const { last_run_at } = schedule
    const time = error === '' ? { last_run_at: excluded(last_run_at) } : {}
    runIn(
      tx.sql,
      noted.onConflictDoUpdate({
        target: schedule.name,
        set: { ...time, last_error: excluded(schedule.last_error) },
        setWhere: sql`${last_run_at} IS NULL OR ${last_run_at} <= ${excluded(last_run_at)}`,
      }),
    )
    if (by !== undefined) writeAudit(tx, { who: by, act: 'run schedule', detail: name })
  }
}

/** Turns a schedule on or off. @returns why it was refused; '' when it was done */
export function setSchedule(tx: Transaction, name: string, isEnabled: boolean, by: string | null): string {
  const state = query.select({ is_enabled: schedule.is_enabled }).from(schedule).where(eq(schedule.name, name))
  if ((firstIn(tx.sql, state)?.is_enabled ?? true) === isEnabled)
    return `The schedule is already ${isEnabled ? 'on' : 'off'}.`
  const set = { is_enabled: isEnabled, enabled_at: isEnabled ? tx.now : null }
  runIn(
    tx.sql,
    query
      .insert(schedule)
      .values({ name, ...set })
      .onConflictDoUpdate({ target: schedule.name, set }),
  )
  const act = isEnabled ? 'turn on schedule' : 'turn off schedule'
  writeAudit(tx, { who: by, act, detail: name })
  return ''
}
