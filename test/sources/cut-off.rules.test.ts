import { describe, expect, it } from 'vitest'
import { colleague } from '../../src/sources/colleague/colleague.ts'
import { hcx } from '../../src/sources/hcx/hcx.ts'
import { judge } from '../../src/sources/judge.ts'
import { BudgetSpent, type Group, type GroupSeats, type Source, type SourceAddress } from '../../src/sources/source.ts'
import { FAKE_COLLEAGUE, fakeColleague, fixture } from './fake-colleague.ts'
import { hcxFixtures } from './hcx/fixtures.ts'
import { fixtureText } from './kind-fixtures.ts'
import { believed, groupOf, openCounted } from './lanes.ts'

/** Groups that need more requests than one poll gets. */

type Row = Record<string, unknown>
type Fetch = (input: string, init: RequestInit) => Promise<Response>

const KEYS = Array.from({ length: 12 }, (_, at) => String(101 + at))
const levelOf = (key: string): string => `L${key}`

interface School {
  source: Source
  address: SourceAddress
  group: Group
  fetch: Fetch
  /** Whether the watched sections' courses are known. */
  hasLevels: boolean
}

const [HCX_ROW] = (JSON.parse(fixtureText('hcx', 'classes.json')) as { classes: Row[] }).classes
const hcxSchool = (hasLevels: boolean): School => ({
  source: hcx,
  address: hcxFixtures.address,
  group: hcxFixtures.group,
  hasLevels,
  fetch: async (input) => {
    const query = new URL(input).searchParams
    const page = Number(query.get('page'))
    const level = query.get('catalog_nbr') ?? ''
    // Before the watched ones, pages of others, so that courses are cheaper.
    const others = hasLevels ? Array.from({ length: 40 }, (_, at) => String(901 + at)) : []
    const found = [...others, ...KEYS].filter((key) => level === '' || levelOf(key) === level)
    const pageCount = page === 1 ? found.length : 0
    const classes = found
      .slice(page - 1, page)
      .map((key) => ({ ...HCX_ROW, class_nbr: Number(key), catalog_nbr: levelOf(key) }))
    return Response.json({ pageCount, classes })
  },
})

const [COLLEAGUE_ROW] = (JSON.parse(fixture('sections-in-words.json')) as { Sections: Row[] }).Sections
const answered = (body: Row | null, rows: readonly Row[], size: number, field: 'Sections' | 'Courses') => {
  const number = Number(body?.['pageNumber'])
  return Response.json({
    [field]: rows.slice((number - 1) * size, number * size),
    ErrorMessage: '',
    TotalItems: rows.length,
    TotalPages: Math.ceil(rows.length / size),
    CurrentPageIndex: number,
  })
}
const colleagueRow = (key: string): Row => ({ ...COLLEAGUE_ROW, Id: key })
const COLLEAGUE = { source: colleague, address: FAKE_COLLEAGUE, group: groupOf({ term: '2026FA', subject: 'MATH' }) }
const colleagueOfPages: School = {
  ...COLLEAGUE,
  hasLevels: true,
  fetch: fakeColleague({
    'Courses/PostSearchCriteria': ({ body }) => answered(body, KEYS.map(colleagueRow), 1, 'Sections'),
  }).fetch,
}
const COURSE = fixture('course.json')
const colleagueOfCourses: School = {
  ...COLLEAGUE,
  hasLevels: true,
  fetch: fakeColleague({
    'Courses/PostSearchCriteria': ({ body }) => {
      const courses = KEYS.map((key) => ({
        Id: `C${key}`,
        SubjectCode: 'MATH',
        Number: key,
        MatchingSectionIds: [key],
      }))
      return answered(body, courses, 7, 'Courses')
    },
    'Courses/Sections': ({ body }) =>
      new Response(COURSE.replace('"Id": "71117"', `"Id": "${String(body?.['courseId']).slice(1)}"`)),
  }).fetch,
}

describe.each([
  ['pages of a subject at an HCX school', hcxSchool(false)],
  ['courses at an HCX school', hcxSchool(true)],
  ['pages of a subject at a Colleague school', colleagueOfPages],
  ['courses at a Colleague school', colleagueOfCourses],
])('%s that do not fit into one poll', (_what, { source, address, group, fetch, hasLevels }) => {
  /** One poll with as many requests; `extra` are watched sections that the school does not list. */
  async function poll(requests: number, memo: string | null, extra: string[] = [], isAborted = false) {
    const end = new AbortController()
    const counted = openCounted(source, address, {
      memo,
      signal: end.signal,
      fetch: (input, init) => {
        if (isAborted && counted.asked.length > requests) end.abort(new Error('the time is over'))
        return fetch(input, init)
      },
    })
    if (!isAborted) counted.refuseFrom(() => counted.asked.length >= requests)
    const watched = [...extra, ...KEYS].map((section_key) => ({
      section_key,
      level: hasLevels ? levelOf(section_key) : '',
    }))
    const answers: GroupSeats[] = []
    let thrown: unknown = null
    try {
      for await (const seats of counted.lane.seats([{ group, watched }], new Map())) answers.push(seats)
    } catch (error) {
      thrown = error
    }
    const [answer] = answers
    const seen = answer ? believed(answer.answer).seen : []
    const status = new Map(seen.map((one) => [one.section_key, judge(one).status]))
    return { thrown, answers, status, memo: counted.lane.memo?.() ?? null }
  }
  const open = (status: ReadonlyMap<string, string>) => [...status].flatMap(([key, is]) => (is === 'open' ? [key] : []))

  it.each([false, true])('answer what was seen, and doubt the rest; aborted: %s', async (isAborted) => {
    const { thrown, answers, status } = await poll(6, null, [], isAborted)
    if (isAborted) expect(thrown).toMatchObject({ message: 'the time is over' })
    else expect(thrown).toBeInstanceOf(BudgetSpent)
    expect(answers).toHaveLength(1)
    expect([...status.keys()].toSorted()).toEqual(KEYS)
    expect(open(status).length).toBeGreaterThanOrEqual(4)
    expect(new Set(status.values())).toEqual(new Set(['open', 'unknown']))
  })

  it('are all seen after a few polls, and none is ever missing, even if some are gone', async () => {
    for (const extra of [[], ['801', '802', '803']]) {
      const seen = new Set<string>()
      let memo: string | null = null
      for (let round = 0; round < 8; round++) {
        const { status, memo: next } = await poll(6, memo, extra)
        for (const key of open(status)) seen.add(key)
        // What is not seen is in doubt.
        if (status.size > 0) expect([...status.keys()].toSorted()).toEqual([...KEYS, ...extra].toSorted())
        memo = next
      }
      expect([...seen].toSorted()).toEqual(KEYS)
    }
  })

  it('are all seen after a few polls at a school that allows fewer requests, and another group comes first', async () => {
    const seen = new Set<string>()
    let memo: string | null = null
    for (let round = 0; round < 8; round++) {
      const counted = openCounted(source, address, {
        memo,
        now: () => 1000,
        fetch: async (input, init) =>
          counted.asked.length > 6
            ? new Response('', { status: 429, headers: { 'retry-after': '90' } })
            : fetch(input, init),
      })
      const watched = KEYS.map((section_key) => ({ section_key, level: hasLevels ? levelOf(section_key) : '' }))
      const groups = Array.from({ length: 2 }, () => ({ group, watched }))
      const reading = async () => {
        for await (const { index, answer } of counted.lane.seats(groups, new Map())) {
          expect(index).toBe(0)
          for (const one of believed(answer).seen) if (judge(one).status === 'open') seen.add(one.section_key)
        }
      }
      const thrown = await reading().catch((error: unknown) => error)
      if (seen.size < KEYS.length) expect(thrown).toMatchObject({ name: 'BudgetSpent', retry_at: 91_000 })
      else break
      memo = counted.lane.memo?.() ?? null
    }
    expect([...seen].toSorted()).toEqual(KEYS)
  })

  it('begin at the first again once all of them have fitted into one poll', async () => {
    const cut = await poll(6, null)
    const rest = await poll(60, cut.memo)
    expect(rest.thrown).toBeNull()
    const whole = await poll(60, rest.memo)
    expect(open(whole.status).toSorted()).toEqual(KEYS)
    expect(whole.memo).toBe(rest.memo)
  })

  it('are answered in part only if no conversation is long enough: another group waits for the next one', async () => {
    const watched = KEYS.map((section_key) => ({ section_key, level: hasLevels ? levelOf(section_key) : '' }))
    const whole = openCounted(source, address, { fetch })
    for await (const { answer } of whole.lane.seats([{ group, watched }], new Map())) expect(answer.known).toBe(true)
    const counted = openCounted(source, address, { memo: null, fetch })
    counted.refuseFrom(() => counted.asked.length >= whole.asked.length + 3)
    const answers: number[] = []
    const reading = async () => {
      const groups = [
        { group, watched },
        { group, watched },
      ]
      for await (const { index } of counted.lane.seats(groups, new Map())) answers.push(index)
    }
    await expect(reading()).rejects.toThrow(BudgetSpent)
    expect(answers).toEqual([0])
    expect(counted.lane.memo?.()).toBeNull()
  })

  it('end without an answer if nothing was seen', async () => {
    const { thrown, answers } = await poll(0, null)
    expect(thrown).toBeInstanceOf(BudgetSpent)
    expect(answers).toEqual([])
  })
})

it('pages before the first watched section are not read again in the next poll', async () => {
  for (const { source, address, group, fetch } of [hcxSchool(false), colleagueOfPages]) {
    let memo: string | null = null
    const seen: string[] = []
    for (let round = 0; round < 3; round++) {
      const { lane, refuseFrom, asked } = openCounted(source, address, { memo, fetch })
      refuseFrom(() => asked.length >= 6)
      const watched = [{ section_key: '112', level: '' }]
      try {
        for await (const { answer } of lane.seats([{ group, watched }], new Map()))
          seen.push(...believed(answer).seen.map((one) => judge(one).status))
      } catch (error) {
        expect(error).toBeInstanceOf(BudgetSpent)
      }
      memo = lane.memo?.() ?? null
    }
    expect(seen).toEqual(['open'])
  }
})
