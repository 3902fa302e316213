import { orWarn } from '../lib/fallbacks.ts'
import { DAY_MS, withTimeout, MINUTE_MS } from '../lib/time.ts'
import type { Schedule } from './job.ts'
import { ledgerOf } from './ledgers.ts'
import type { ScheduleRun, ScheduleState } from './ledger/calls.ts'

/** For how long a run that the cron missed is still made up for, in ms. */
const MAX_MISSED_MS = 60 * MINUTE_MS
/** A plan that hangs is abandoned before the next minute, so that it delays no other schedule and no tick. */
const PLAN_MS = 25_000
/** How long the cron waits to learn which schedules are switched off, in ms. */
const ASK_MS = 2000

const scheduleLedger = (env: Env) => ledgerOf(env, 'maintenance')

/** What the ledger last said. In minutes in which it does not answer, only what is switched off is taken from it. */
let lastKnown: ScheduleState[] | null = null

/** Asks which schedules are switched off. @returns the answer, which becomes the last known; null without one */
async function askStates(env: Env): Promise<ScheduleState[] | null> {
  const asked = withTimeout<ScheduleState[] | null>(scheduleLedger(env).schedules(), ASK_MS)
  const answer = await orWarn(asked, { event: 'schedules_unknown' }, null)
  lastKnown = answer ?? lastKnown
  return answer
}

/** Whether a person switched a schedule off, so that work which it started must not go on without end; false if not known. */
export async function isSwitchedOff(env: Env, schedule: string): Promise<boolean> {
  await askStates(env)
  return (lastKnown ?? []).some(({ name, is_enabled }) => name === schedule && !is_enabled)
}

/** For tests: forgets what this isolate knows, like a new isolate. */
export function forgetSchedules(): void {
  lastKnown = null
}

/**
 * One minute of the cron: each schedule that is due and switched on plans its jobs. A failing schedule does not stop
 * the others. If the ledger does not say which are off, what it said last counts; if it said nothing here yet, those
 * that delete nothing run. Never rejects.
 */
export async function planSchedules(env: Env, schedules: readonly Schedule[], minute: number): Promise<void> {
  const answer = await askStates(env)
  const states = new Map((lastKnown ?? []).map((state) => [state.name, state]))
  const due = schedules.filter((schedule) => {
    if (lastKnown === null && schedule.deletes) return false
    const state = states.get(schedule.name)
    return state?.is_enabled !== false && isDue(schedule, answer && state ? missedSince(state) : null, minute)
  })
  const runs = await Promise.all(due.map((schedule) => run(schedule.name, minute, () => schedule.plan(env, minute))))
  await recordRuns(env, runs)
}

/** Runs a schedule now, switched off or not. @returns what went wrong; '' when nothing did */
export async function runSchedule(env: Env, schedule: Schedule, by: string): Promise<string> {
  const now = Date.now()
  const minute = now - (now % MINUTE_MS)
  const done = await run(schedule.name, now, () => (schedule.planNow ?? schedule.plan)(env, minute))
  await recordRuns(env, [{ ...done, by }])
  return done.error
}

/**
 * Each schedule with its runs; times are ms since epoch. `next_run_at` is null if it is off, or if only its data could
 * tell. Rejects when the ledger does not answer.
 */
export async function reportSchedules(env: Env, schedules: readonly Schedule[]) {
  const states = new Map((await withTimeout(scheduleLedger(env).schedules())).map((state) => [state.name, state]))
  const now = Date.now()
  return schedules.map(({ name, every, nextAt }) => {
    const { is_enabled, last_run_at, last_error } = states.get(name) ?? defaultState
    return { name, is_enabled, last_run_at, last_error, every, next_run_at: is_enabled ? nextAt(now) : null }
  })
}

/** Due since its last run or in this minute; a minute that fires twice plans twice. One that never ran missed none. */
export function isDue({ nextAt }: Pick<Schedule, 'nextAt'>, lastRunAt: number | null, minute: number): boolean {
  const before = minute - 1
  const since = Math.max(minute - MAX_MISSED_MS, Math.min(lastRunAt ?? before, before))
  return (nextAt(since) ?? minute) <= minute
}

/** Since when (ms) it may have missed a run: runs missed while it was switched off are not made up for. */
function missedSince({ last_run_at, enabled_at }: ScheduleState): number | null {
  return enabled_at === null ? last_run_at : Math.max(last_run_at ?? 0, enabled_at)
}

const defaultState = { is_enabled: true, last_run_at: null, last_error: null }

async function run(name: string, at: number, plan: () => Promise<void>): Promise<ScheduleRun> {
  try {
    await withTimeout(plan(), PLAN_MS)
    return { name, at, error: '' }
  } catch (error) {
    console.error({ event: 'schedule_failed', schedule: name, error: String(error) })
    return { name, at, error: String(error) }
  }
}

/** Best effort: a schedule whose run failed or is not recorded is due again in the next minute, which is safe. */
const recordRuns = (env: Env, runs: ScheduleRun[]): Promise<void> =>
  orWarn(withTimeout(scheduleLedger(env).noteSchedules(runs)), { event: 'schedules_not_noted' }, undefined)

/** The next time (ms since epoch, after `now`) that is a multiple of this many minutes, counted from midnight UTC. */
export function everyMinutes(minutes: number): (now: number) => number {
  const step = minutes * MINUTE_MS
  return (now) => (Math.floor(now / step) + 1) * step
}

/** The next time (ms since epoch, after `now`) at which it is this time of day in UTC. */
export function dailyAt(hour: number, minute: number): (now: number) => number {
  const time = (hour * 60 + minute) * MINUTE_MS
  return (now) => (Math.floor((now - time) / DAY_MS) + 1) * DAY_MS + time
}
