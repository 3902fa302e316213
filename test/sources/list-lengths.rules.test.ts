import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ListLengths } from '../../src/sources/list-lengths.ts'

const MINUTE = 60_000

/** Reads one list after another, each in a separate conversation that gets what the last one remembered. */
function readAll(reads: readonly { count: number; at: number }[]): boolean[] {
  let memo: string | null = null
  return reads.map(({ count, at }) => {
    const lengths = new ListLengths(memo)
    const why = lengths.whyTooShort('202610', count, at)
    memo = lengths.text()
    return why === null
  })
}

describe('a list of a whole term', () => {
  it('that loses more than a third is believed if a read a minute later agrees', () => {
    const reads = [
      { count: 9000, at: 0 },
      { count: 6000, at: MINUTE },
      { count: 3000, at: 2 * MINUTE },
      { count: 3001, at: 2.5 * MINUTE },
      { count: 3010, at: 3 * MINUTE },
      { count: 2500, at: 4 * MINUTE },
    ]
    expect(readAll(reads)).toEqual([true, true, false, false, true, true])
  })

  it('that is complete again is believed at once, and a later loss is doubted again', () => {
    const counts = [9000, 100, 9000, 100]
    expect(readAll(counts.map((count, index) => ({ count, at: index * MINUTE })))).toEqual([true, false, true, false])
  })

  it('is never believed within a minute at three fifths of the last believed length', () => {
    const gaps = fc.array(fc.record({ count: fc.nat(1000), gap: fc.nat(40_000) }), { minLength: 2, maxLength: 30 })
    fc.assert(
      fc.property(gaps, (steps) => {
        let at = 0
        const reads = steps.map(({ count, gap }) => ({ count, at: (at += gap) }))
        const believed = readAll(reads)
        let last: (typeof reads)[number] | null = null
        for (const [index, read] of reads.entries()) {
          if (believed[index] !== true) continue
          if (last !== null && read.count < last.count * 0.6) {
            expect(read.at - last.at).toBeGreaterThanOrEqual(MINUTE)
          }
          last = read
        }
      }),
    )
  })

  it('is compared with its own term, of which a few are remembered', () => {
    const lengths = new ListLengths('nonsense')
    for (let year = 2010; year < 2060; year++) expect(lengths.whyTooShort(`${year}10`, 900, 0)).toBeNull()
    expect(lengths.whyTooShort('205910', 10, 0)).toContain('had 900')
    expect(lengths.whyTooShort('206010', 10, 0)).toBeNull()
    expect(lengths.text().length).toBeLessThan(1000)
  })

  it('is doubted for every campus and term of a large school, read in turn', () => {
    const terms = ['NB', 'NK', 'CM'].flatMap((campus) =>
      ['12026', '72026', '92026', '02027'].map((t) => `${campus} ${t}`),
    )
    const lengths = new ListLengths(null)
    for (const term of terms) lengths.whyTooShort(term, 900, 0)
    for (const term of terms) expect(lengths.whyTooShort(term, 450, MINUTE)).toContain('had 900')
  })
})
