import type { ScheduleRun, ScheduleState } from './calls.ts'
import { writeAudit } from './audit.ts'
import { figure, type Reader, type Turn } from './sql.ts'

const MAX_ERROR_LENGTH = 2000

/** Every known schedule by name; their number is bounded by the schedules that the code has ever had. */
export function readSchedules({ sql }: Reader): ScheduleState[] {
  return sql
    .rows<Omit<ScheduleState, 'is_enabled'> & { is_enabled: number }>(
      'SELECT name, is_enabled, last_run_at, last_error, enabled_at FROM schedule ORDER BY name',
    )
    .map((row) => ({ ...row, is_enabled: row.is_enabled === 1 }))
}

/** Records when schedules ran and how that went. A late report does not replace a newer one. */
export function noteSchedules(turn: Turn, runs: readonly ScheduleRun[]): void {
  turn.isQueueTouched ||= runs.length > 0
  for (const { name, at, error, by } of runs) {
    turn.sql.rows(
      `INSERT INTO schedule (name, last_run_at, last_error) VALUES (?, ?, ?) ON CONFLICT (name) DO UPDATE
       SET last_run_at = excluded.last_run_at, last_error = excluded.last_error
       WHERE last_run_at IS NULL OR last_run_at <= excluded.last_run_at`,
      name,
      Math.trunc(at),
      error.slice(0, MAX_ERROR_LENGTH),
    )
    if (by !== undefined) writeAudit(turn, { who: by, act: 'run schedule', detail: name })
  }
}

/** Switches a schedule on or off. @returns why it was refused; '' when it was done */
export function setSchedule(turn: Turn, name: string, isEnabled: boolean, by: string | null): string {
  const wasEnabled = figure(turn.sql, 'SELECT is_enabled AS figure FROM schedule WHERE name = ?', name) ?? 1
  if (wasEnabled === Number(isEnabled)) return `The schedule is already ${isEnabled ? 'on' : 'off'}.`
  turn.sql.rows(
    `INSERT INTO schedule (name, is_enabled, enabled_at) VALUES (?, ?, ?) ON CONFLICT (name) DO UPDATE
     SET is_enabled = excluded.is_enabled, enabled_at = excluded.enabled_at`,
    name,
    Number(isEnabled),
    isEnabled ? turn.now : null,
  )
  const act = isEnabled ? 'switch schedule on' : 'switch schedule off'
  writeAudit(turn, { who: by, act, detail: name })
  return ''
}
