import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { nextTicks, ticksOf } from '../../src/class-tracker/polling/schedule-polls.ts'
import { groupDueAt, pauseAfter } from '../../src/class-tracker/polling/source-health.ts'
import { nextRefreshAt } from '../../src/class-tracker/refresh/next-refresh.ts'
import { termEnd } from '../../src/sources/term-end.ts'

const zones = fc.constantFrom(
  'America/New_York',
  'America/Los_Angeles',
  'Asia/Kolkata',
  'Europe/Berlin',
  'Pacific/Auckland',
  'UTC',
  'Australia/Lord_Howe',
)
const moment = fc.integer({ min: Date.UTC(2024, 0, 1), max: Date.UTC(2030, 0, 1) })
const local = (timeZone: string, at: number) =>
  new Intl.DateTimeFormat('en-GB', { timeZone, hour: '2-digit', minute: '2-digit', hourCycle: 'h23' }).format(at)

describe('the nightly refresh', () => {
  test('is at half past three at the school, within 25 hours of the last refresh', () => {
    fc.assert(
      fc.property(zones, moment, (zone, last) => {
        const next = nextRefreshAt(zone, last, last) ?? 0
        expect(next).toBeGreaterThan(last)
        expect(next - last).toBeLessThanOrEqual(25.5 * 3600_000)
        expect(['03:30', '02:30', '04:30', '03:00', '04:00']).toContain(local(zone, next))
      }),
      { numRuns: 500 },
    )
  })

  test('of a source that was never read is now', () => {
    expect(nextRefreshAt('Europe/Berlin', null, 1234)).toBe(1234)
  })

  test('is exact on a day without a clock change', () => {
    expect(local('America/New_York', nextRefreshAt('America/New_York', Date.UTC(2026, 6, 1, 12), 0) ?? 0)).toBe('03:30')
  })
})

describe('the end of a term', () => {
  const end = (...asked: Parameters<typeof termEnd>) => new Date(termEnd(...asked)).toISOString()

  test('is midnight at the school, after the season', () => {
    expect(end({ year: 2026, season: 'fall' }, 'America/New_York')).toBe('2027-01-01T05:00:00.000Z')
    expect(end({ year: 2026, season: 'summer' }, 'America/Los_Angeles')).toBe('2026-09-01T07:00:00.000Z')
    expect(end({ year: 2027, season: 'spring' }, 'Asia/Kolkata')).toBe('2027-06-14T18:30:00.000Z')
    expect(end({ year: 2026, season: 'fall' }, 'Pacific/Auckland')).toBe('2026-12-31T11:00:00.000Z')
  })

  test('is midnight after the last day if the school reports a valid one, otherwise after the season', () => {
    const fall = { year: 2026, season: 'fall' } as const
    expect(end({ ...fall, ends_on: '2026-12-21' }, 'America/New_York')).toBe('2026-12-22T05:00:00.000Z')
    expect(end({ ...fall, ends_on: '2027-01-24' }, 'Pacific/Auckland')).toBe('2027-01-24T11:00:00.000Z')
    for (const ends_on of ['', '2026-13-45', 'December 21']) {
      expect(end({ ...fall, ends_on }, 'America/New_York')).toBe('2027-01-01T05:00:00.000Z')
    }
  })
})

describe('poll times', () => {
  test('are multiples of their interval: none is lost between two minutes, none is repeated', () => {
    fc.assert(
      fc.property(fc.integer({ min: 15, max: 900 }), fc.integer({ min: 0, max: 10_000 }), (seconds, start) => {
        const minutes = Array.from({ length: 40 }, (_, index) => (start + index) * 60_000)
        const ticks = minutes.flatMap((minute) => ticksOf(minute, seconds * 1000))
        for (const [index, tick] of ticks.entries()) {
          const former = ticks[index - 1]
          if (former !== undefined) expect(tick - former).toBe(seconds * 1000)
        }
        expect(ticks.length).toBeGreaterThanOrEqual(Math.floor((40 * 60) / seconds))
      }),
    )
  })
})

describe('the ticks of a source with a long interval', () => {
  const minute = 60_000
  const begun = 2 * minute
  const ticks = (at: number, now: number, lastAskedAt = 0) =>
    nextTicks({ id: 1, pollMs: 2 * minute, lastAskedAt }, at, now)

  test('are planned a minute ahead', () => {
    expect(ticks(minute, minute + 3000)).toEqual([begun])
  })

  test('that have begun are planned only if the minute before was missed', () => {
    expect(ticks(begun, begun + 5000)).toEqual([begun])
    expect(ticks(begun, begun + 5000, begun + 1000)).toEqual([])
  })
})

describe('the pause after failures', () => {
  test('begins at the fifth failure, grows, and ends at an hour', () => {
    expect([1, 4, 5, 6, 7, 20].map((failures) => pauseAfter(failures, null))).toEqual([
      0, 0, 60_000, 120_000, 240_000, 3600_000,
    ])
  })

  test('is at least as long as the school asks for, up to an hour', () => {
    expect(pauseAfter(0, 90)).toBe(90_000)
    expect(pauseAfter(0, 1e9)).toBe(3600_000)
  })

  test('of one failing group grows from its third failure', () => {
    expect(groupDueAt(1000, 2, 60_000)).toBe(1000)
    expect(groupDueAt(1000, 3, 60_000)).toBe(61_000)
    expect(groupDueAt(1000, 5, 60_000)).toBe(241_000)
    expect(groupDueAt(1000, 50, 60_000)).toBe(1000 + 15 * 60_000)
  })
})
