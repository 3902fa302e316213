import fc from 'fast-check'
import { expect, it } from 'vitest'
import { isoDay } from '../../src/sources/class-dates.ts'
import { clockOf } from '../../src/sources/meeting-times.ts'
import { tidy } from '../../src/sources/text.ts'

it('a day is a calendar date, in any format that schools use', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1900, max: 2199 }), fc.nat(13), fc.nat(32), (year, month, day) => {
      const [mm, dd] = [String(month).padStart(2, '0'), String(day).padStart(2, '0')]
      const iso = `${year}-${mm}-${dd}`
      const at = new Date(Date.UTC(year, month - 1, day))
      const isDay = year >= 1990 && at.getUTCMonth() === month - 1 && at.getUTCDate() === day
      const expected = isDay ? iso : ''
      expect([isoDay(iso), isoDay(`${iso}T00:00:00-04:00`), isoDay(`${mm}/${dd}/${year}`)]).toEqual(
        Array(3).fill(expected),
      )
    }),
  )
})

it('a text without entities is trimmed, and all its white space folded', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: fc.constantFrom(' ', ' ', 'a', 'é', '%', '~', '\u00a0', '\n', '\u2003', '名', '\u0080') }),
      (text) => {
        expect(tidy(text)).toBe(text.replace(/\s+/g, ' ').trim())
      },
    ),
  )
})

it('a time of day is read from every form, and anything else is no time', () => {
  fc.assert(
    fc.property(fc.nat(30), fc.nat(70), (hour, minute) => {
      const [hh, mm] = [String(hour).padStart(2, '0'), String(minute).padStart(2, '0')]
      const isTime = hour <= 24 && minute < 60
      const expected = isTime ? `${hour % 12 || 12}:${mm}${hour % 24 < 12 ? 'AM' : 'PM'}` : ''
      for (const text of [`${hh}.${mm}.00.000000`, `${hh}.${mm}.00.000000-05:00`, `${hh}${mm}`, `${hh}.${mm}`])
        expect([text, clockOf(text)]).toEqual([text, expected])
    }),
  )
  for (const text of ['1a.30.00.000000', '11.30.x0.000000', '11.3 .00.000000', '11-30.00.000000', '-1.30.00.000000'])
    expect([text, clockOf(text)]).toEqual([text, ''])
})
