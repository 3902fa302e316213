import { describe, expect, test } from 'vitest'
import {
  absoluteText,
  clockText,
  dayKey,
  dayText,
  durationText,
  relativeText,
} from '../../client/components/time-text.ts'

const moment = '2026-11-03T04:05:09Z'

describe('a time in a time zone', () => {
  test('is written in that zone, with plain spaces', () => {
    expect(absoluteText(moment, 'America/New_York')).toBe('Nov 2, 2026, 11:05 PM')
    expect(absoluteText(moment, 'America/New_York', true)).toBe('Nov 2, 2026, 11:05:09 PM')
    expect(clockText('2026-11-03T17:00:00Z', 'America/New_York')).toBe('12:00 PM')
    expect(clockText('2026-11-03T05:00:00Z', 'America/New_York')).toBe('12:00 AM')
  })

  test('says UTC if no better zone is known, or the zone is invalid', () => {
    expect(absoluteText(moment, 'UTC')).toBe('Nov 3, 2026, 4:05 AM UTC')
    expect(absoluteText(moment, 'Nowhere/Special')).toBe('Nov 3, 2026, 4:05 AM')
  })

  test("falls on that zone's day", () => {
    expect(dayKey(moment, 'America/New_York')).toBe('2026-11-02')
    expect(dayKey(moment, 'UTC')).toBe('2026-11-03')
  })
})

test('today and yesterday are named before their date, and other days have a year', () => {
  expect(dayText('2026-11-03', '2026-11-03')).toBe('Today, Tuesday, Nov 3')
  expect(dayText('2026-10-31', '2026-11-01')).toBe('Yesterday, Saturday, Oct 31')
  expect(dayText('2026-11-01', '2026-11-03')).toBe('Sunday, Nov 1, 2026')
  expect(dayText('2026-11-03', null)).toBe('Tuesday, Nov 3, 2026')
})

test.each([
  [0, 'under 1 s'],
  [400, 'under 1 s'],
  [8000, '8 s'],
  [99_000, '99 s'],
  [125_000, '2 min'],
  [3 * 3_600_000, '3 h'],
  [4 * 86_400_000, '4 days'],
])('%i ms is %s', (milliseconds, text) => {
  expect(durationText(milliseconds)).toBe(text)
})

test.each([
  [1000, 'just now'],
  [-3000, 'now'],
  [20_000, '20 s ago'],
  [-300_000, 'in 5 min'],
])('%i ms ago is %s', (away, text) => {
  expect(relativeText(1_000_000_000, 1_000_000_000 + away)).toBe(text)
})

const zones = [
  'America/New_York',
  'Australia/Lord_Howe',
  'Asia/Kathmandu',
  'America/St_Johns',
  'Pacific/Chatham',
  'UTC',
]
const whole = {
  year: 'numeric',
  month: 'short',
  day: 'numeric',
  hour: 'numeric',
  minute: '2-digit',
  second: '2-digit',
} as const

describe("a time zone's offset", () => {
  test('matches the engine to the second around every clock change', () => {
    for (const timeZone of zones) {
      const format = new Intl.DateTimeFormat('en-US', { ...whole, timeZone })
      const start = Date.parse('2026-01-01T00:00:00Z')
      // Every 7 hours and some minutes of two years.
      for (let moment = start; moment < start + 2 * 365 * 86_400_000; moment += 25_339_007) {
        const text = absoluteText(new Date(moment).toISOString(), timeZone, true).replace(' UTC', '')
        expect(text, timeZone).toBe(format.format(moment).replaceAll(/\s/g, ' '))
      }
    }
  })

  test('changes with the clocks, and not a second earlier', () => {
    const text = (iso: string) => absoluteText(iso, 'America/New_York', true)
    expect(text('2026-03-08T06:59:59Z')).toBe('Mar 8, 2026, 1:59:59 AM')
    expect(text('2026-03-08T07:00:00Z')).toBe('Mar 8, 2026, 3:00:00 AM')
    expect(absoluteText('2026-04-04T14:59:59Z', 'Australia/Lord_Howe', true)).toBe('Apr 5, 2026, 1:59:59 AM')
    expect(absoluteText('2026-04-04T15:00:00Z', 'Australia/Lord_Howe', true)).toBe('Apr 5, 2026, 1:30:00 AM')
  })
})
