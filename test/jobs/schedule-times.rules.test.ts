import { expect, test } from 'vitest'
import { dailyAt, everyMinutes, isDue } from '../../src/jobs/schedules.ts'

const minute = 60_000
const hour = 60 * minute
const midnight = Date.UTC(2026, 10, 21)

test('a time is always after now, also at the exact time it names', () => {
  expect(everyMinutes(1)(midnight)).toBe(midnight + minute)
  expect(everyMinutes(15)(midnight + 15 * minute - 1)).toBe(midnight + 15 * minute)
  const at = midnight + 3 * hour + 17 * minute
  expect(dailyAt(3, 17)(at - 1)).toBe(at)
  expect(dailyAt(3, 17)(at)).toBe(at + 24 * hour)
  expect(dailyAt(3, 17)(midnight)).toBe(at)
})

test('a schedule that never ran is due only in its minute', () => {
  const schedule = { nextAt: dailyAt(3, 17) }
  const at = midnight + 3 * hour + 17 * minute
  expect([at - minute, at, at + minute].map((now) => isDue(schedule, null, now))).toEqual([false, true, false])
  expect(isDue({ nextAt: () => null }, null, at)).toBe(true)
})

test('a minute that fires twice plans twice; a missed run is made up for within the hour, once', () => {
  const schedule = { nextAt: dailyAt(3, 17) }
  const at = midnight + 3 * hour + 17 * minute
  const yesterday = at - 24 * hour
  expect(isDue(schedule, at, at)).toBe(true)
  expect(isDue(schedule, yesterday, at + 5 * minute)).toBe(true)
  expect(isDue(schedule, at + 5 * minute, at + 6 * minute)).toBe(false)
  expect(isDue(schedule, yesterday, at + 2 * hour)).toBe(false)
  // A manual run just before does not replace the scheduled one.
  expect(isDue(schedule, at - 10 * minute, at)).toBe(true)
})
