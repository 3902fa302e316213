import { env } from 'cloudflare:workers'
import { expect, test } from 'vitest'
import { openLane } from '../../src/class-tracker/polling/open-lane.ts'
import { BudgetSpent } from '../../src/sources/source.ts'
import { world } from '../worker/world.ts'

const CALLS = 4
const PATH = '/schools/harbor/StudentRegistrationSsb/ssb'

/** Requests are counted by it. */
let nextId = 1

async function spacedLane(requestsPerMinute: number, deadline: number) {
  const source = { kind: 'banner9', url: env.WORLD_URL + PATH, settings: {}, requests_per_minute: requestsPerMinute }
  return (await openLane(env, { ...source, id: nextId++ }, { now: Date.now, deadline, is_spaced: true })).lane
}

test('requests of a scarce source go out evenly over the minute', async () => {
  const lane = await spacedLane(300, Date.now() + 20_000)
  const before = (await world.requests()).length
  for (let call = 0; call < CALLS; call++) await lane.termsAndSchools()
  const times = (await world.requests()).slice(before).map(({ at }) => new Date(at).getTime())
  expect(times.length).toBeGreaterThanOrEqual(CALLS)
  // One in 200 ms, less what the first was longer on its way.
  expect((times.at(-1) ?? 0) - (times[0] ?? 0)).toBeGreaterThan((times.length - 1) * 150)
})

test('a turn that comes after the deadline is not awaited', async () => {
  const deadline = Date.now() + 3000
  const lane = await spacedLane(2, deadline)
  // Its second request.
  await expect(lane.termsAndSchools()).rejects.toThrow(BudgetSpent)
  expect(Date.now()).toBeLessThan(deadline)
})
