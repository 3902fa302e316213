import fc from 'fast-check'
import { describe, expect, inject, it } from 'vitest'
import { pathsOf, tokensOf } from './alterations.ts'
import { KINDS } from './kinds.ts'
import { costOf, MAX_CPU_MS } from './reading-cost.ts'

/**
 * Texts of 100 KB in every place of every answer: reading them throws nothing and takes time in proportion to their length.
 * What takes time in proportion to its square takes seconds here, everything else a few hundredths of one.
 */

const LENGTH = 100_000
const RUNS = inject('depth') > 1 ? 2000 : 60

/** What expressions for prices, names, numbers and markup begin to match again and again. */
const PARTS = [
  [' ', '\t', '\u00a0', '1', '0', 'a', 'é', '\u0000', ',', ';', '/', '-', '.', '(', '[', '{', '<', '"', "'", '&'],
  ['1,', '.0', ': ', 'a ', ' - ', '&amp;', '&#', '<a ', '<br>', ' - 123 - a ', 'status_', 'seats_max ', 'Fall 20'],
].flat()
const repeated = (part: string) => part.repeat(LENGTH / part.length)
const LONG_TEXTS: readonly (readonly [what: string, text: string])[] = [
  ...PARTS.map((part) => [`"${part}" again and again`, repeated(part)] as const),
  ['a number with zeros and one', `.${repeated('0')}1`],
  ['stops before a letter', `${repeated('.')}x`],
  ['slashes before a letter', `${repeated('/')}x`],
]

interface Place {
  file: string
  where: string
  /** The answer with a text in place of this one, behind it or before it. */
  put: (text: string, way: number) => string
}

const around = (former: string, text: string, way: number): string =>
  [text, former + text, text + former][way] ?? former

/** Every kind of value of an answer once. */
function placesOf(file: string, answer: string): Place[] {
  return /^\s*[[{]/.test(answer) ? placesOfJson(file, answer) : placesOfMarkup(file, answer)
}

function placesOfJson(file: string, answer: string): Place[] {
  const places = new Map<string, Place>()
  for (const path of pathsOf(JSON.parse(answer))) {
    const where = path.map((step) => (typeof step === 'number' ? '*' : step)).join('.')
    const put = (text: string, way: number): string => {
      const whole: unknown = JSON.parse(answer)
      const holder = path
        .slice(0, -1)
        .reduce<unknown>((value, step) => (value as Record<string, unknown>)[step], whole) as Record<string, unknown>
      const last = path.at(-1) ?? ''
      const former = holder[last]
      holder[last] = around(typeof former === 'object' ? '' : String(former), text, way)
      return JSON.stringify(whole)
    }
    if (!places.has(where)) places.set(where, { file, where, put })
  }
  return [...places.values()]
}

function placesOfMarkup(file: string, answer: string): Place[] {
  const places = new Map<string, Place>()
  for (const { kind, start, end } of tokensOf(answer)) {
    const former = answer.slice(start, end)
    const where = `${kind} ${former.replace(/\s+/g, ' ').replace(/\d/g, '9').slice(0, 30)}`
    const put = (text: string, way: number) => answer.slice(0, start) + around(former, text, way) + answer.slice(end)
    if (kind !== 'tag' && !places.has(where)) places.set(where, { file, where, put })
  }
  return [...places.values()]
}

/** Where expressions that look harmless did take seconds. */
const SLOW_ONCE: Readonly<Record<string, readonly (readonly [file: string, where: RegExp, text: string])[]>> = {
  banner8: [
    ['listing', /9.999 Credit/, `1.${repeated('0')}1 Credits`],
    ['listing', /Sophie/, repeated('(')],
    ['listing', /Sophie/, repeated(' (a')],
  ],
  cuny: [
    ['results', /found/, repeated('1')],
    ['results', /found/, repeated('1,')],
    ['results', /status_/, repeated('status_')],
  ],
  fose: [
    ['details.json', /^seats$/, repeated('<')],
    ['details.json', /^seats$/, `<span class="${repeated('seats_max ')}`],
    ['details.json', /^seats$/, `<span class="${repeated('seats_avail ')}`],
    ['details.json', /^seats$/, `<span class="${repeated('waitlist_total ')}`],
  ],
}

describe.each(KINDS.map((fixtures) => ({ fixtures, kind: fixtures.source.kind })))(
  'long texts of $kind',
  ({ fixtures, kind }) => {
    const places = Object.entries(fixtures.files).flatMap(([file, answer]) => placesOf(file, answer))

    it.each(SLOW_ONCE[kind] ?? [])('of %s at %s cost no more than others', async (file, where, text) => {
      const found = places.filter((place) => place.file === file && where.test(place.where))
      expect(found.length).toBeGreaterThan(0)
      for (const place of found) expect(await costOf(fixtures, file, place.put(text, 0))).toBeLessThan(MAX_CPU_MS)
    })

    it('in any place cost time in proportion to their length', async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.constantFrom(...places),
          fc.constantFrom(...LONG_TEXTS),
          fc.nat(2),
          async (place, [what, text], way) => {
            const cost = await costOf(fixtures, place.file, place.put(text, way))
            expect(cost, `${place.file}, ${place.where}: ${what}`).toBeLessThan(MAX_CPU_MS)
          },
        ),
        { numRuns: RUNS },
      )
    })
  },
)
