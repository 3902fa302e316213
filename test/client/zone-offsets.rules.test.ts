import { describe, expect, test } from 'vitest'
import { absoluteText } from '../../client/components/time-text.ts'

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
