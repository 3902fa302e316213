import { env } from 'cloudflare:workers'
import { expect, test, vi } from 'vitest'
import { runCron, schedules as all } from '../../src/background-jobs.ts'
import type { Schedule } from '../../src/jobs/job.ts'
import { ledgerOf, tickLedgers } from '../../src/jobs/ledgers.ts'
import {
  dailyAt,
  everyMinutes,
  forgetSchedules,
  planSchedules,
  reportSchedules,
  runSchedule,
} from '../../src/jobs/schedules.ts'
import { hurry } from '../worker/hurry.ts'

const minute = 60_000
const noon = Date.UTC(2026, 10, 21, 12)
const keeper = () => ledgerOf(env, 'maintenance')

/** A test schedule that records the minutes for which it was called. */
function watched(options: Partial<Schedule> = {}): Schedule & { minutes: number[] } {
  const minutes: number[] = []
  return {
    name: `schedule-${crypto.randomUUID().slice(0, 8)}`,
    every: 'every minute',
    nextAt: everyMinutes(1),
    plan: async (_, at) => void minutes.push(at),
    minutes,
    ...options,
  }
}

const stateOf = async (schedule: Schedule) => (await keeper().schedules()).find(({ name }) => name === schedule.name)

test('runs are recorded with their time and error; a failing one does not stop others', async () => {
  const [fine, broken] = [watched(), watched({ plan: () => Promise.reject(new Error('No sources.')) })]
  const later = watched({ nextAt: dailyAt(12, 1) })
  await planSchedules(env, [broken, fine, later], noon)
  expect(fine.minutes).toEqual([noon])
  const noted = { name: fine.name, is_enabled: true, last_run_at: noon, last_error: '', enabled_at: null }
  expect(await stateOf(fine)).toEqual(noted)
  expect(await stateOf(broken)).toMatchObject({ last_error: 'Error: No sources.' })
  expect(await stateOf(later)).toBeUndefined()
  await planSchedules(env, [later], noon + minute)
  expect(later.minutes).toEqual([noon + minute])
})

test('a daily run that fails is repeated each minute for an hour until it succeeds', async () => {
  let isBroken = true
  const tried: number[] = []
  const daily = watched({
    nextAt: dailyAt(12, 0),
    plan: async (_, at) => {
      tried.push(at)
      if (isBroken) throw new Error('Ledger busy.')
    },
  })
  const plan = (at: number) => planSchedules(env, [daily], at)
  for (let at = 0; at < 3; at += 1) await plan(noon + at * minute)
  expect(tried).toEqual([noon, noon + minute, noon + 2 * minute])
  expect(await stateOf(daily)).toMatchObject({ last_error: 'Error: Ledger busy.' })
  isBroken = false
  await plan(noon + 3 * minute)
  await plan(noon + 4 * minute)
  expect(tried).toHaveLength(4)
  expect(await stateOf(daily)).toMatchObject({ last_run_at: noon + 3 * minute, last_error: '' })
  // The same on a later day, and no longer than an hour.
  isBroken = true
  const nextNoon = noon + 24 * 60 * minute
  for (const at of [0, 1, 59, 60, 61, 120]) await plan(nextNoon + at * minute)
  expect(tried.slice(4)).toEqual([0, 1, 59].map((at) => nextNoon + at * minute))
})

test('a schedule that is off is skipped until it is on again; the audit says who did it', async () => {
  const [off, on] = [watched(), watched()]
  expect(await keeper().setSchedule(off.name, false, 'ada')).toBe('')
  expect(await keeper().setSchedule(off.name, false, 'ada')).toBe('The schedule is already off.')
  await planSchedules(env, [off, on], noon)
  expect([off.minutes, on.minutes]).toEqual([[], [noon]])
  expect(await reportSchedules(env, [off, on])).toMatchObject([
    { is_enabled: false, next_run_at: null, last_run_at: null, last_error: null },
    { is_enabled: true, next_run_at: expect.any(Number), last_run_at: noon, every: 'every minute' },
  ])
  await keeper().setSchedule(off.name, true, 'ada')
  await planSchedules(env, [off], noon + minute)
  expect(off.minutes).toEqual([noon + minute])
  const audit = (await keeper().audit(null, 20)).filter(({ detail }) => detail === off.name)
  expect(audit.map(({ act, who }) => `${who}: ${act}`)).toEqual(['ada: turn on schedule', 'ada: turn off schedule'])
})

test('runs missed while off are not made up for; later ones are', async () => {
  const now = Date.now()
  const thisMinute = now - (now % minute)
  const atMinute = (at: number) => watched({ nextAt: (since) => (since < at ? at : at + 24 * 60 * minute) })
  const [missed, owed] = [atMinute(thisMinute - 10 * minute), atMinute(thisMinute + 2 * minute)]
  for (const schedule of [missed, owed]) {
    await planSchedules(env, [schedule], thisMinute - 20 * minute)
    await keeper().noteSchedules([{ name: schedule.name, at: thisMinute - 20 * minute, error: '' }])
    await keeper().setSchedule(schedule.name, false, 'ada')
    await keeper().setSchedule(schedule.name, true, 'ada')
    await planSchedules(env, [schedule], thisMinute + 5 * minute)
  }
  expect([missed.minutes, owed.minutes]).toEqual([[], [thisMinute + 5 * minute]])
})

test('a run that is reported late does not replace a newer one', async () => {
  const name = watched().name
  for (const at of [noon, noon - minute, noon + minute])
    await keeper().noteSchedules([{ name, at, error: at === noon - minute ? 'Error: Late.' : '' }])
  await keeper().noteSchedules([{ name, at: noon, error: 'Error: Later.' }])
  expect((await keeper().schedules()).find((state) => state.name === name)).toMatchObject({
    last_run_at: noon + minute,
    last_error: '',
  })
})

test('a plan that hangs is abandoned, and those of the others are recorded', async () => {
  const begun = Promise.withResolvers<void>()
  const hanging = watched({
    plan: () => {
      begun.resolve()
      return new Promise(() => undefined)
    },
  })
  const fine = watched()
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  try {
    const planned = planSchedules(env, [hanging, fine], noon)
    await begun.promise
    vi.advanceTimersByTime(minute)
    await planned
  } finally {
    vi.useRealTimers()
  }
  expect(await stateOf(hanging)).toMatchObject({ last_error: 'Error: No answer in time.' })
  expect(await stateOf(fine)).toMatchObject({ last_run_at: noon, last_error: '' })
})

test('a ledger that does not answer its tick is logged, and the others still tick', async () => {
  const ticked: string[] = []
  const begun = Promise.withResolvers<void>()
  const get = (queue: string) => ({
    tick: () => {
      if (queue === 'polls') return new Promise(() => undefined)
      ticked.push(queue)
      if (queue === 'maintenance') begun.resolve()
      return Promise.resolve()
    },
  })
  const LEDGER = { idFromName: (queue: string) => queue, get } as unknown as Env['LEDGER']
  const log = vi.spyOn(console, 'error').mockReturnValue()
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  try {
    const done = tickLedgers({ ...env, LEDGER })
    await begun.promise
    vi.advanceTimersByTime(minute / 2)
    await done
    expect(log.mock.calls).toEqual([[{ event: 'tick_failed', queue: 'polls', error: 'Error: No answer in time.' }]])
  } finally {
    vi.useRealTimers()
    log.mockRestore()
  }
  expect(ticked).toEqual(['refresh', 'alerts', 'maintenance'])
})

test('a person can run a schedule now, even if it is off or not due', async () => {
  let asked = 0
  const quiet = watched({ nextAt: dailyAt(3, 17), planNow: async () => void (asked += 1) })
  await keeper().setSchedule(quiet.name, false, 'ada')
  expect(await runSchedule(env, quiet, 'bob')).toBe('')
  expect([asked, quiet.minutes]).toEqual([1, []])
  expect(await stateOf(quiet)).toMatchObject({ is_enabled: false, last_error: '' })
  const broken = watched({ plan: () => Promise.reject(new Error('Not now.')) })
  expect(await runSchedule(env, broken, 'bob')).toBe('Error: Not now.')
  const audit = await keeper().audit(null, 20)
  expect(audit.find(({ detail }) => detail === quiet.name)).toMatchObject({ act: 'run schedule', who: 'bob' })
})

const lost = () => Promise.reject(new Error('Network connection lost.'))
const silent = () => new Promise<never>(() => undefined)
const keeperThat = (fails: () => Promise<never>): Env => {
  const stub = { schedules: fails, noteSchedules: lost }
  return { ...env, LEDGER: { idFromName: () => '', get: () => stub } as unknown as Env['LEDGER'] }
}

test.each([
  ['the connection is lost', lost],
  ['the ledger never answers', silent],
])('while nothing is known about schedules, those that delete nothing run: %s', async (_, fails) => {
  forgetSchedules()
  const [harmless, deleting] = [watched(), watched({ deletes: true })]
  if (fails === silent) hurry(2000)
  await planSchedules(keeperThat(fails), [harmless, deleting], noon)
  expect([harmless.minutes, deleting.minutes]).toEqual([[noon], []])
  expect(all.filter(({ deletes }) => deletes).map(({ name }) => name)).toEqual([
    'delete-old-alerts',
    'delete-old-account-data',
    'tidy-directory',
  ])
})

test('if the ledger does not answer, a schedule is off as long as it was last known to be', async () => {
  const [off, on] = [watched({ deletes: true }), watched({ deletes: true })]
  await keeper().setSchedule(off.name, false, 'ada')
  await planSchedules(env, [], noon)
  await planSchedules(keeperThat(lost), [off, on], noon)
  expect([off.minutes, on.minutes]).toEqual([[], [noon]])
})

test('a daily schedule that has just run does not run again while the ledger does not answer', async () => {
  const daily = watched({ nextAt: dailyAt(12, 0) })
  const times = [noon - 24 * 60 * minute, noon]
  for (const time of times) await planSchedules(env, [daily], time)
  await planSchedules(keeperThat(lost), [daily], noon + minute)
  expect(daily.minutes).toEqual(times)
})

test('every schedule has a description, and one that is switched off in the real minute does not run', async () => {
  expect(all.every(({ every }) => every !== '')).toBe(true)
  expect(new Set(all.map(({ name }) => name)).size).toBe(all.length)
  await keeper().setSchedule('sweep-alerts', false, 'ada')
  await runCron(env, noon + minute + 1)
  const states = new Map((await keeper().schedules()).map((state) => [state.name, state]))
  expect(states.get('sweep-alerts')?.last_run_at).toBeNull()
  expect(states.get('poll-sources')).toMatchObject({ last_run_at: noon + minute, last_error: '' })
  expect(states.get('archive-watches')).toBeUndefined()
})
