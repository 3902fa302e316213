import fc from 'fast-check'
import { expect, it } from 'vitest'
import { isoDay } from '../../src/sources/class-dates.ts'
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
