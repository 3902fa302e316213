import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { naturalOrder } from '../../client/components/natural-order.ts'
import { narrow, plainText } from '../../client/components/use-combobox.ts'
import { isRefreshedSections, isRefreshedTerms } from '../../client/islands/class-tracker/use-refresh.ts'

describe('natural order', () => {
  test('compares numbers by value', () => {
    expect(['CS 101', 'CS 9', 'art 5', 'CS 10A', 'CS 10'].toSorted(naturalOrder)).toEqual([
      'art 5',
      'CS 9',
      'CS 10',
      'CS 10A',
      'CS 101',
    ])
  })

  test('is a total order', () => {
    const word = fc.string({ unit: fc.constantFrom('a', 'B', '1', '9', '0', ' ', '-'), maxLength: 6 })
    fc.assert(
      fc.property(word, word, word, (one, other, third) => {
        expect(Math.sign(naturalOrder(one, other))).toBe(0 - Math.sign(naturalOrder(other, one)))
        if (naturalOrder(one, other) <= 0 && naturalOrder(other, third) <= 0) {
          expect(naturalOrder(one, third)).toBeLessThanOrEqual(0)
        }
      }),
    )
  })
})

describe('narrowing by typing', () => {
  const names = ['Computer Science', 'Émigré Studies', 'Science of Computing', 'Art']
  const texts = names.map(plainText)

  test('requires every word, ignoring case and accents', () => {
    expect(narrow(names, texts, 'EMIGRE').shown).toEqual(['Émigré Studies'])
    expect(narrow(names, texts, 'science comput').shown).toEqual(['Computer Science', 'Science of Computing'])
    expect(narrow(names, texts, 'nothing')).toEqual({ shown: [], count: 0 })
  })

  test('puts prefix matches first, otherwise keeps the order', () => {
    expect(narrow(names, texts, 'science').shown).toEqual(['Science of Computing', 'Computer Science'])
    expect(narrow(names, texts, '').shown).toEqual(names)
  })

  test('limits the rows, not the count', () => {
    const many = Array.from({ length: 3000 }, (_, index) => `Subject ${index}`)
    const { shown, count } = narrow(many, many.map(plainText), 'subject')
    expect([shown.length, count]).toEqual([200, 3000])
  })
})

test("a job's result is accepted only in its own shape", () => {
  const terms = { available_schools: [], available_terms: [], new_terms_count: 2 }
  expect(isRefreshedTerms({ ...terms, failures: [] })).toBe(true)
  expect(isRefreshedTerms(terms)).toBe(false)
  expect(isRefreshedTerms('joined')).toBe(false)
  expect(isRefreshedTerms(null)).toBe(false)
  expect(isRefreshedSections({ courses: [], failures: [], courses_count: '1' })).toBe(false)
})
