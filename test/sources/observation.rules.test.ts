import { describe, expect, it } from 'vitest'
import { NO_FIGURES } from '../../src/sources/judge.ts'
import { combineTwice } from '../../src/sources/observation.ts'
import type { Observation } from '../../src/sources/source.ts'

const seen: Observation = { section_key: '1', stated: null, figures: { ...NO_FIGURES, available: 3 }, doubts: [] }

describe('two observations of one section', () => {
  it('are merged if they agree', () => {
    expect(combineTwice(seen, { ...seen })).toEqual(seen)
  })

  it.each(Object.keys(NO_FIGURES))('are doubted if %s differs', (name) => {
    const other = { ...seen, figures: { ...seen.figures, [name]: 7 } }
    expect(combineTwice(seen, other).doubts).toHaveLength(1)
    expect(combineTwice(other, seen).doubts).toHaveLength(1)
  })

  it.each(['canceled', 'held'] as const)('are doubted if only one is %s, but not if only one is combined', (flag) => {
    const flagged = { ...seen, flags: [flag] }
    expect(combineTwice(flagged, { ...flagged }).doubts).toEqual([])
    expect(combineTwice(seen, flagged).doubts).toHaveLength(1)
    expect(combineTwice(flagged, seen).doubts).toHaveLength(1)
    expect(combineTwice(flagged, { ...seen, flags: [flag, 'combined'] }).doubts).toEqual([])
  })

  it("are doubted if the school's status differs, or one of them is doubted", () => {
    expect(combineTwice(seen, { ...seen, stated: 'open' }).doubts).toHaveLength(1)
    const doubted = { ...seen, doubts: ['Half a row.'] }
    expect(combineTwice(seen, doubted).doubts).toEqual(['Half a row.'])
    expect(combineTwice(doubted, seen).doubts).toEqual(['Half a row.'])
  })
})
