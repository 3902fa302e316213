import fc from 'fast-check'
import { describe, expect, inject, it } from 'vitest'
import { sources } from '../../src/sources/sources.ts'
import { alterationsOf, alteredByChance } from './alterations.ts'
import type { KindFixtures } from './kind-fixtures.ts'
import { KINDS } from './kinds.ts'
import { type Reading, readKind } from './read-kind.ts'

const MIN_ALTERATIONS = 96
const FUZZED = inject('depth') > 1 ? 10_000 : 500

/** Sections with a wrong status or wrong figures. */
function liesIn(truth: KindFixtures['truth'], { refresh, poll }: Pick<Reading, 'refresh' | 'poll'>): string[] {
  return Object.entries(truth).flatMap(([key, status]) =>
    [refresh[key], poll[key]].flatMap((said) =>
      said === status || said === 'unknown' ? [] : [`${key} is ${status}, and ${said} by this answer`],
    ),
  )
}

describe.each(KINDS.map((fixtures) => ({ fixtures, kind: fixtures.source.kind })))(
  'answers of $kind',
  ({ fixtures }) => {
    const { truth, files, altered } = fixtures

    it('are parsed correctly, including an open, a full and another section', async () => {
      const { refresh, poll } = await readKind(fixtures, {})
      const isByList = fixtures.source.reads.status !== 'section'
      expect(refresh).toEqual(isByList ? truth : Object.fromEntries(Object.keys(truth).map((key) => [key, 'unknown'])))
      expect(poll).toEqual(truth)
      expect(Object.values(truth)).toEqual(expect.arrayContaining(['open', 'closed']))
      expect(Object.keys(truth).length).toBeGreaterThan(2)
    })

    it(`can be altered in at least ${MIN_ALTERATIONS} ways`, () => {
      const count = altered.reduce((sum, name) => sum + alterationsOf(files[name] ?? '').length, 0)
      expect(count).toBeGreaterThanOrEqual(MIN_ALTERATIONS)
    })

    it.each(altered.map((name) => ({ name })))('with one alteration in $name say nothing untrue', async ({ name }) => {
      const alterations = alterationsOf(files[name] ?? '')
      const lies: string[] = []
      for (const { what, text } of alterations) {
        for (const lie of liesIn(truth, await readKind(fixtures, { [name]: text }))) lies.push(`${what}: ${lie}`)
      }
      expect(lies).toEqual([])
    })

    it('with two random alterations say nothing untrue', async () => {
      const chance = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true })
      const chances = fc.tuple(chance, chance, chance)
      await fc.assert(
        fc.asyncProperty(fc.constantFrom(...altered), chances, fc.option(chances), async (name, one, other) => {
          const first = alteredByChance(files[name] ?? '', one)
          // Truncated text, or something that is no longer a value, cannot be altered as JSON again.
          const second =
            other === null || first.what.startsWith('broken off') ? first : alteredByChance(first.text, other)
          expect(
            liesIn(truth, await readKind(fixtures, { [name]: second.text })),
            `${first.what}; ${second.what}`,
          ).toEqual([])
        }),
        { numRuns: FUZZED },
      )
    })
  },
)

it('every kind of source has handmade fixtures', () => {
  expect(KINDS.map(({ source }) => source.kind).toSorted()).toEqual([...sources.keys()].toSorted())
})
