import { describe, expect, it } from 'vitest'
import { KINDS } from './kinds.ts'
import { LIES } from './lies.ts'
import { readKind } from './read-kind.ts'

/**
 * What schools are known to say that is not so, kind by kind. A lie opens nothing, closes nothing and makes nothing
 * look fresher: a section is what it truly is or unknown, and an answer that cannot be of the question is not believed
 * at all.
 */

describe.each(KINDS.map((fixtures) => ({ fixtures, kind: fixtures.source.kind })))('$kind', ({ fixtures, kind }) => {
  const [key = ''] = Object.entries(fixtures.truth).find(([, status]) => status === 'open') ?? []

  it.each(LIES[kind] ?? [])('$lie is $expected', async ({ altered, expected, refresh: refreshed = expected }) => {
    expect(Object.entries(altered).every(([name, text]) => fixtures.files[name] !== text)).toBe(true)
    const { listed, polled, poll, refresh } = await readKind(fixtures, altered)
    if (expected === 'refused') {
      expect(polled).toMatchObject({ known: false })
      // A refresh may believe an empty list, of which it then asks again and deletes nothing.
      expect(listed.known && listed.value.length > 0).toBe(false)
      return
    }
    expect(poll[key]).toBe(expected)
    if (fixtures.source.reads.status !== 'section') expect(refresh[key]).toBe(refreshed)
  })
})

it('every kind has its table', () => {
  expect(Object.keys(LIES).toSorted()).toEqual(KINDS.map(({ source }) => source.kind).toSorted())
})
