import { describe, expect, it } from 'vitest'
import { pathsOf } from './alterations.ts'
import { KINDS } from './kinds.ts'
import { serve } from './kind-fixtures.ts'
import { collected, openCounted } from './lanes.ts'
import { readAll } from './reading-cost.ts'

/** JSON that is nested without end in any place of an answer, and lists with very many entries. */

const DEPTH = 20_000
const ENTRIES = 2_500
/** What one section may weigh with all that is read of such a list. */
const MAX_SECTION = 25_000
const NESTED = '['.repeat(DEPTH) + ']'.repeat(DEPTH)

type Step = string | number
const valueAt = (whole: unknown, path: readonly Step[]): unknown =>
  path.reduce<unknown>((value, step) => (value as Record<Step, unknown>)[step], whole)

/** The answer with another value at the end of a path. */
function withValue(answer: string, path: readonly Step[], value: unknown): string {
  const whole: unknown = JSON.parse(answer)
  const holder = valueAt(whole, path.slice(0, -1)) as Record<Step, unknown>
  holder[path.at(-1) ?? ''] = value
  return JSON.stringify(whole)
}

/** A value whose texts and numbers differ from those of its neighbors. */
function numbered(value: unknown, number: number): unknown {
  if (typeof value === 'string') return `${value} ${number}`
  if (typeof value === 'number') return value + number
  if (Array.isArray(value)) return value.map((one: unknown) => numbered(one, number))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, numbered(one, number)]))
}

const JSON_KINDS = KINDS.flatMap((fixtures) => {
  const answers = Object.entries(fixtures.files).filter(([, text]) => /^\s*[[{]/.test(text))
  return answers.length === 0 ? [] : [{ fixtures, kind: fixtures.source.kind, answers }]
})

/** Every kind of value of an answer once. */
function placesOf(answer: string): Step[][] {
  const whole: unknown = JSON.parse(answer)
  const places = new Map<string, Step[]>()
  for (const path of pathsOf(whole)) {
    const where = path.map((step) => (typeof step === 'number' ? '*' : step)).join('.')
    if (!places.has(where)) places.set(where, path)
  }
  return [...places.values()]
}

describe.each(JSON_KINDS)('answers of $kind', ({ fixtures, answers }) => {
  it.each(answers)('that are nested too deeply throw nothing: %s', async (file, answer) => {
    for (const path of placesOf(answer)) {
      const text = withValue(answer, path, '@').replace('"@"', NESTED)
      await expect(readAll(fixtures, file, text), path.join('.')).resolves.toBeDefined()
    }
  })

  it.each(answers)('with lists of thousands make no section large: %s', async (file, answer) => {
    for (const path of placesOf(answer)) {
      const list = valueAt(JSON.parse(answer), path)
      if (!Array.isArray(list)) continue
      const [first = 'Ada Lovelace']: unknown[] = list
      const entries = Array.from({ length: ENTRIES }, (_, number) => numbered(first, number))
      const text = withValue(answer, path, entries)
      for (const section of (await readAll(fixtures, file, text)).slice(0, 10))
        expect(JSON.stringify(section).length, path.join('.')).toBeLessThan(MAX_SECTION)
    }
  })
})

/** The answers with this many sections, as short as possible. */
const MANY = 150_000
const numbers = Array.from({ length: MANY }, (_, number) => number)
const LONG_ANSWERS: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  hcx: { 'classes.json': { pageCount: 1, classes: numbers.map((class_nbr) => ({ class_nbr, institution: 'EX010' })) } },
  fose: {
    'search.json': { srcdb: '202610', count: MANY, results: numbers.map((crn) => ({ crn, code: 'MATH 1' })) },
  },
}

it.each(KINDS.filter(({ source }) => source.kind in LONG_ANSWERS))(
  `$source.label with ${MANY} sections in one answer throws nothing`,
  async (fixtures) => {
    const { source, address, group } = fixtures
    const files = Object.entries(LONG_ANSWERS[source.kind] ?? {}).map(([name, value]) => [name, JSON.stringify(value)])
    const fetch = serve(fixtures, Object.fromEntries(files) as Record<string, string>)
    const listed = await openCounted(source, address, { fetch }).lane.sections(group)
    const pages = await collected(openCounted(source, address, { fetch }).lane.wholeTerm?.(group))
    const counts = [listed, ...pages].map((answer) => (answer.known ? answer.value.sections.length : answer.why))
    expect(counts).toEqual([MANY, MANY])
  },
)
