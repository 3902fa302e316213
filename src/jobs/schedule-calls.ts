import type { Act } from './ledger-calls.ts'

/** What is kept of a schedule; one that was never noted nor switched off is not told. */
export interface ScheduleState {
  name: string
  is_enabled: boolean
  /** ms since epoch */
  last_run_at: number | null
  /** '' = it went well; null before the first run. */
  last_error: string | null
  /** When it was last switched on again, ms since epoch; null when it never was off. */
  enabled_at: number | null
}

export interface ScheduleRun {
  name: string
  /** ms since epoch */
  at: number
  /** '' = it went well. */
  error: string
  /** Who asked for this run, for the audit; absent for the cron's own. */
  by?: string
}

/** What the ledger of `maintenance` keeps for the schedules of the minute cron. */
export interface ScheduleCalls {
  schedules(): Promise<ScheduleState[]>
  noteSchedules(runs: ScheduleRun[]): Promise<void>
  /** Switches a schedule on or off; the audit keeps it. */
  setSchedule(name: string, isEnabled: boolean, by: string | null): Promise<Act>
}
