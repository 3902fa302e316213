import { env } from 'cloudflare:workers'
import { expect, test } from 'vitest'
import { openLane } from '../../src/class-tracker/polling/open-lane.ts'
import { BudgetSpent } from '../../src/sources/source.ts'
import { limitOf } from '../../src/web/limits/limits.ts'
import { world } from '../worker/world.ts'

const CALLS = 4
const PATH = '/schools/harbor/StudentRegistrationSsb/ssb'

/** Requests are counted by it. */
let nextId = 1

async function laneOf(
  id: number,
  requestsPerMinute: number,
  deadline: number,
  { pace = 'wait', kind = 'banner9' }: { pace?: 'wait' | 'count'; kind?: string } = {},
) {
  const source = { kind, url: env.WORLD_URL + PATH, settings: {}, requests_per_minute: requestsPerMinute }
  return (await openLane(env, { ...source, id }, { now: Date.now, deadline, pace })).lane
}

const spacedLane = (requestsPerMinute: number, deadline: number) => laneOf(nextId++, requestsPerMinute, deadline)

test('requests of a source with a small budget are spread evenly over the minute', async () => {
  const lane = await spacedLane(300, Date.now() + 20_000)
  const before = (await world.requests()).length
  for (let call = 0; call < CALLS; call++) await lane.termsAndSchools()
  const times = (await world.requests()).slice(before).map(({ at }) => new Date(at).getTime())
  expect(times.length).toBeGreaterThanOrEqual(CALLS)
  // One in 200 ms, minus the first one's longer travel time.
  expect((times.at(-1) ?? 0) - (times[0] ?? 0)).toBeGreaterThan((times.length - 1) * 150)
})

test('a turn after the deadline is not awaited', async () => {
  const deadline = Date.now() + 3000
  const lane = await spacedLane(2, deadline)
  // Its second request.
  await expect(lane.termsAndSchools()).rejects.toThrow(BudgetSpent)
  expect(Date.now()).toBeLessThan(deadline)
})

test('a turn that would leave too little time for a group is not awaited, except where nothing is read by group', async () => {
  const id = nextId++
  const deadline = Date.now() + 6000
  const turns = await limitOf(env, 'source-turns', String(id))
  const second = Date.now() + 61_000 / 20
  await turns.reserve({ limit: 20, window_ms: 61_000, spacing_ms: 61_000 / 20 })
  const before = await world.requests()
  const spent = await (await laneOf(id, 20, deadline)).termsAndSchools().catch((error: unknown) => error)
  if (!(spent instanceof BudgetSpent)) throw new Error('The turn was awaited.')
  expect(Math.abs(spent.retry_at - second)).toBeLessThan(1000)
  expect(await world.requests()).toHaveLength(before.length)
  await (await laneOf(id, 20, deadline, { kind: 'banner8' })).termsAndSchools()
  expect((await world.requests()).length).toBeGreaterThan(before.length)
})

test('the next conversation, and one that follows a second look, keeps the distance too', async () => {
  const id = nextId++
  const deadline = Date.now() + 30_000
  await (await laneOf(id, 300, deadline)).termsAndSchools()
  const before = (await world.requests()).length
  await (await laneOf(id, 300, deadline, { pace: 'count' })).termsAndSchools()
  await (await laneOf(id, 300, deadline)).termsAndSchools()
  const times = (await world.requests()).slice(before).map(({ at }) => new Date(at).getTime())
  // Those of the second look were sent at once; the first after them has skipped their turns.
  const looks = times.length / 2
  expect((times[looks] ?? 0) - (times[0] ?? 0)).toBeGreaterThan(looks * 150)
})
