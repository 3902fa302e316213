import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { describe, expect, it } from 'vitest'
import { memoized } from '../../src/sources/memoized.ts'

const PAGES = 100
const PAGE_LENGTH = 1_000_000

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

describe('what is remembered about a text', () => {
  it('is computed once', () => {
    const made: string[] = []
    const lengthOf = memoized((text) => made.push(text))
    expect([lengthOf('a'), lengthOf('b'), lengthOf('a')]).toEqual([1, 2, 1])
    expect(made).toEqual(['a', 'b'])
  })

  it('is computed again for a text too long to be kept', () => {
    const made: string[] = []
    const lengthOf = memoized((text) => made.push(text))
    const long = 'x'.repeat(PAGE_LENGTH)
    expect([lengthOf(long), lengthOf(long)]).toEqual([1, 2])
  })

  it('does not keep the page it was cut from', () => {
    const same = memoized((text) => text)
    collectGarbage()
    const before = process.memoryUsage().heapUsed
    for (let page = 0; page < PAGES; page++) {
      const text = `a text that is cut out, of page ${page} ${'x'.repeat(PAGE_LENGTH)}`
      same(text.slice(text.indexOf('cut'), text.indexOf(' x')))
    }
    collectGarbage()
    expect(process.memoryUsage().heapUsed - before).toBeLessThan((PAGES * PAGE_LENGTH) / 2)
    expect(same('cut out, of page 7')).toBe('cut out, of page 7')
  })
})
