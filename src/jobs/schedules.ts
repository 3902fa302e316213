import type { Schedule } from './job.ts'
import { ledgerOf } from './ledgers.ts'
import { inTime } from './reach.ts'
import type { ScheduleRun, ScheduleState } from './schedule-calls.ts'

const minuteMilliseconds = 60_000
/** A firing the cron missed is made up for this long, ms. */
const madeUpMilliseconds = 60 * minuteMilliseconds
/** Longer than this no poll waits to hear what is switched off, ms. */
const askMilliseconds = 2000

/** A schedule as the operator sees it. Times are ms since epoch. */
export interface ScheduleReport extends ScheduleState {
  /** In words. */
  every: string
  /** null when it is off, or where only its data could tell. */
  next_run_at: number | null
}

/** The ledger that keeps what became of the schedules. */
const keeper = (env: Env) => ledgerOf(env, 'maintenance')

/**
 * One minute of the cron: each schedule that is due and not switched off plans its jobs. One that fails stops no other, and
 * when nobody can say what is off, everything is on. Never rejects.
 */
export async function planSchedules(env: Env, schedules: readonly Schedule[], minute: number): Promise<void> {
  const states = new Map((await statesIfKnown(env)).map((state) => [state.name, state]))
  const due = schedules.filter((schedule) => {
    const state = states.get(schedule.name)
    return state?.is_enabled !== false && isDue(schedule, state?.last_run_at ?? null, minute)
  })
  const runs = await Promise.all(due.map((schedule) => run(schedule.name, minute, () => schedule.plan(env, minute))))
  await note(env, runs)
}

/** Runs a schedule now, switched off or not. @returns what went wrong; '' when nothing did */
export async function runSchedule(env: Env, schedule: Schedule, by: string): Promise<string> {
  const now = Date.now()
  const minute = now - (now % minuteMilliseconds)
  const done = await run(schedule.name, now, () => (schedule.planNow ?? schedule.plan)(env, minute))
  await note(env, [{ ...done, by }])
  return done.error
}

/** Each schedule with what is known of its runs. Rejects when the ledger does not answer. */
export async function reportSchedules(env: Env, schedules: readonly Schedule[]): Promise<ScheduleReport[]> {
  const states = new Map((await inTime(keeper(env).schedules())).map((state) => [state.name, state]))
  const now = Date.now()
  return schedules.map(({ name, every, nextAt }) => {
    const state = states.get(name) ?? { name, is_enabled: true, last_run_at: null, last_error: null }
    return { ...state, every, next_run_at: state.is_enabled ? nextAt(now) : null }
  })
}

/**
 * Whether the schedule's time has come since its last run, or in this very minute: a minute that fires twice plans twice. One
 * that never ran owes nothing from before.
 */
export function isDue({ nextAt }: Pick<Schedule, 'nextAt'>, lastRunAt: number | null, minute: number): boolean {
  const before = minute - 1
  const since = Math.max(minute - madeUpMilliseconds, Math.min(lastRunAt ?? before, before))
  return (nextAt(since) ?? minute) <= minute
}

async function run(name: string, at: number, plan: () => Promise<void>): Promise<ScheduleRun> {
  try {
    await plan()
    return { name, at, error: '' }
  } catch (error) {
    console.error({ event: 'schedule_failed', schedule: name, error: String(error) })
    return { name, at, error: String(error) }
  }
}

async function statesIfKnown(env: Env): Promise<ScheduleState[]> {
  try {
    return await inTime(keeper(env).schedules(), askMilliseconds)
  } catch (error) {
    console.warn({ event: 'schedules_unknown', error: String(error) })
    return []
  }
}

/** What ran is for people to see: nothing fails because it was not kept. */
async function note(env: Env, runs: ScheduleRun[]): Promise<void> {
  try {
    await inTime(keeper(env).noteSchedules(runs))
  } catch (error) {
    console.warn({ event: 'schedules_not_noted', error: String(error) })
  }
}
