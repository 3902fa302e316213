import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { clockText, minutesOf, quietTimeAt } from '../../src/class-tracker/recipients/quiet-time.ts'
import { localMinutes } from '../../src/lib/time.ts'

const hour = 3600_000
const newYork = 'America/New_York'
const at = (text: string): number => Date.parse(text)
const night = { from: 22 * 60, until: 7 * 60, timeZone: newYork }

describe('quiet hours', () => {
  test('that cross midnight last into the morning', () => {
    const quiet = { starts_at: at('2026-09-02T02:00Z'), ends_at: at('2026-09-02T11:00Z') }
    expect(quietTimeAt(night, at('2026-09-01T20:00Z'))).toEqual(quiet)
    expect(quietTimeAt(night, at('2026-09-02T02:00Z'))).toEqual(quiet)
    expect(quietTimeAt(night, at('2026-09-02T10:59Z'))).toEqual(quiet)
    expect(quietTimeAt(night, at('2026-09-02T11:00Z')).starts_at).toBe(at('2026-09-03T02:00Z'))
  })

  test('within one day end that day, or the next', () => {
    const noon = { from: 12 * 60, until: 13 * 60, timeZone: newYork }
    expect(quietTimeAt(noon, at('2026-09-01T16:30Z'))).toEqual({
      starts_at: at('2026-09-01T16:00Z'),
      ends_at: at('2026-09-01T17:00Z'),
    })
    expect(quietTimeAt(noon, at('2026-09-01T17:00Z')).starts_at).toBe(at('2026-09-02T16:00Z'))
  })

  test('are an hour longer or shorter in nights when the clocks change', () => {
    const spring = quietTimeAt(night, at('2027-03-14T05:00Z'))
    expect(spring.ends_at - spring.starts_at).toBe(8 * hour)
    const fall = quietTimeAt(night, at('2026-11-01T05:00Z'))
    expect(fall.ends_at - fall.starts_at).toBe(10 * hour)
  })

  test('end at the local time, after now, in every zone and at every time', () => {
    const minutes = fc.integer({ min: 0, max: 24 * 60 - 1 })
    const zone = fc.constantFrom(
      newYork,
      'Pacific/Honolulu',
      'Asia/Kolkata',
      'Pacific/Kiritimati',
      'UTC',
      'America/Phoenix',
    )
    fc.assert(
      fc.property(
        minutes,
        minutes,
        zone,
        fc.integer({ min: at('2026-01-01'), max: at('2030-01-01') }),
        (from, until, timeZone, now) => {
          fc.pre(from !== until)
          const { starts_at, ends_at } = quietTimeAt({ from, until, timeZone }, now)
          expect(ends_at).toBeGreaterThan(now)
          expect(ends_at).toBeGreaterThan(starts_at)
          expect(starts_at - now).toBeLessThan(26 * hour)
          expect(ends_at - starts_at).toBeLessThan(26 * hour)
          // If daylight saving skips the minute, it is another.
          if (new Date(ends_at).getUTCMonth() > 4 && new Date(ends_at).getUTCMonth() < 9)
            expect(localMinutes(timeZone, ends_at)).toBe(until)
        },
      ),
    )
  })
})

test('times are read as they are written', () => {
  expect(minutesOf('22:30')).toBe(22 * 60 + 30)
  expect(clockText(7 * 60 + 5)).toBe('07:05')
  for (const wrong of ['', '24:00', '7:00', '07:60', 'x07:00', '07:00:00']) expect(minutesOf(wrong)).toBeNull()
})
