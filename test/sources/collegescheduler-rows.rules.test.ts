import { describe, expect, it } from 'vitest'
import { collegescheduler } from '../../src/sources/collegescheduler/collegescheduler.ts'
import { candidatesOf } from '../../src/sources/detect.ts'
import { BudgetSpent } from '../../src/sources/source.ts'
import { judge } from '../../src/sources/judge.ts'
import { believed, collected, groupOf, openCounted } from './lanes.ts'
import { fixtureText } from './kind-fixtures.ts'

type Variables = Readonly<Record<string, unknown>>
/** The system's answer to one of its three calls; null for "not found". */
type Answers = (call: 'courseSearchTerms' | 'findCourses' | 'getCourseSections', variables: Variables) => unknown

const ADDRESS = { url: 'https://example.search.collegescheduler.com', settings: {} }
/** Far more than any test needs. */
const MAX_ASKED = 500
const GROUP = groupOf({ term: '202620', subject: 'BIOL' })

interface Asked {
  call: string
  query: string
  variables: Variables
}

/** A `fetch` with these answers that records its requests. */
function fetchOf(answers: Answers, asked: Asked[] = []) {
  return async (input: string, { method, body }: RequestInit): Promise<Response> => {
    expect([input, method]).toEqual(['https://api.collegescheduler.com/graphql', 'POST'])
    const { query, variables } = JSON.parse(String(body)) as Omit<Asked, 'call'>
    const call = (['courseSearchTerms', 'findCourses', 'getCourseSections'] as const).find((name) =>
      query.includes(name),
    )
    if (call === undefined) throw new Error(`asked ${query}`)
    asked.push({ call, query, variables })
    if (asked.length > MAX_ASKED) throw new Error('There is no end to what is asked.')
    const value = answers(call, variables)
    return Response.json({ data: { environment: value === undefined ? null : { [call]: value } } })
  }
}

/** A lane to a school with these answers, and its recorded requests. */
function openSchool(answers: Answers) {
  const asked: Asked[] = []
  return { lane: openCounted(collegescheduler, ADDRESS, { fetch: fetchOf(answers, asked) }).lane, asked }
}

const course = (id: string, subject: string, level: string) => ({
  node: { id, courseNumber: level, title: `${subject} ${level}`, subject: { shortName: subject } },
})
const section = (registrationNumber: string, openSeats: unknown, totalSeats: unknown = 30) => ({
  node: { registrationNumber, sectionNumber: '1', instructors: [], meetings: [], openSeats, totalSeats },
})
const listOf = (edges: readonly unknown[], next: string | null = null) => ({
  edges,
  pageInfo: { hasNextPage: next !== null, endCursor: next },
})
const sectionsOf = (edges: readonly unknown[], total = edges.length, next: string | null = null) => ({
  totalSections: total,
  ...listOf(edges, next),
})

/** One course of the subject, with these sections. */
const oneCourse =
  (sections: (variables: Variables) => unknown): Answers =>
  (call, variables) =>
    call === 'findCourses' ? listOf([course('a', 'BIOL', '101')]) : sections(variables)

const watch = (...keys: string[]) => [
  { group: GROUP, watched: keys.map((section_key) => ({ section_key, level: '101' })) },
]

describe('a section of College Scheduler', () => {
  it('is read with people, times, place and dates', async () => {
    const { lane } = openSchool(
      oneCourse(() => {
        const { data } = JSON.parse(fixtureText('collegescheduler', 'sections-101.json')) as {
          data: { environment: { getCourseSections: unknown } }
        }
        return data.environment.getCourseSections
      }),
    )
    const [first, second] = believed(await lane.sections(GROUP)).sections
    const times = 'MoWe 1:45PM - 3:00PM, Fr 9:00AM - 9:50AM'
    expect(first).toMatchObject({
      section_key: '10021',
      number: '10021',
      section: '01A',
      code: 'BIOL',
      level: '101',
      instruction_list: [
        { name: 'Ada Lovelace', days_times: times },
        { name: 'Alan Turing', days_times: times },
      ],
      place: 'Hall of Science 12, Greenhouse',
      starts_on: '2026-08-24',
      ends_on: '2026-12-19',
      component: 'Lecture',
      campus: 'North',
      instruction_mode: 'Traditional',
      figures: { capacity: 24, available: 4, enrolled: null, waitlist_total: null },
    })
    expect(second?.instruction_list).toEqual([{ name: 'TBA', days_times: 'TBA' }])
  })

  it.each([
    [3, 30, 'open'],
    ['3', 30, 'open'],
    [3, null, 'open'],
    [0, 30, 'closed'],
    [-1, 30, 'unknown'],
    [31, 30, 'unknown'],
    [null, 30, 'unknown'],
    [2.5, 30, 'unknown'],
    ['some', 30, 'unknown'],
  ])('with %s of %s seats free is %s', async (open, total, status) => {
    const { lane } = openSchool(oneCourse(() => sectionsOf([section('1', open, total)])))
    expect(believed(await lane.sections(GROUP)).sections.map((one) => judge(one).status)).toEqual([status])
  })

  it('that cannot be identified becomes a warning', async () => {
    const { lane } = openSchool(oneCourse(() => sectionsOf([section('1', 2), section('', 2)])))
    const answer = await lane.sections(GROUP)
    expect(believed(answer).sections.map(({ section_key }) => section_key)).toEqual(['1'])
    expect(answer).toMatchObject({ warnings: ['A section of BIOL 101 does not say which it is.'] })
  })

  it('that is listed twice with different figures is unknown', async () => {
    const { lane } = openSchool(oneCourse(() => sectionsOf([section('1', 2), section('1', 0)])))
    expect(believed(await lane.sections(GROUP)).sections.map((one) => judge(one).status)).toEqual(['unknown'])
  })
})

describe('the sections of a College Scheduler course', () => {
  const paged = (total: number): Answers =>
    oneCourse(({ after }) =>
      after === 'p2'
        ? sectionsOf([section('3', 0)], total)
        : sectionsOf([section('1', 1), section('2', 0)], total, 'p2'),
    )

  it('are unknown if one of them is on two pages', async () => {
    const { lane } = openSchool(
      oneCourse(({ after }) => sectionsOf([section('1', 2)], 2, after === 'p2' ? null : 'p2')),
    )
    expect(await lane.sections(GROUP)).toMatchObject({ known: false, why: expect.stringContaining('on two pages') })
  })

  it('are read to the last page, including full ones', async () => {
    const { lane, asked } = openSchool(paged(3))
    expect(believed(await lane.sections(GROUP)).sections.map(({ section_key }) => section_key)).toEqual(['1', '2', '3'])
    expect(asked.map(({ call, variables }) => [call, variables['after']])).toEqual([
      ['findCourses', null],
      ['getCourseSections', null],
      ['getCourseSections', 'p2'],
    ])
    for (const { query } of asked) expect(query).toMatch(/includeFull(?:Courses|Sections): true/)
  })

  it.each([2, 4, 0])('are unknown if the school counts %d of the 3', async (total) => {
    const { lane } = openSchool(paged(total))
    expect(await lane.sections(GROUP)).toMatchObject({ known: false, reason: 'incomplete' })
    expect(await collected(lane.seats(watch('1'), new Map()))).toMatchObject([{ answer: { known: false } }])
  })

  it('end if the pages repeat', async () => {
    const { lane } = openSchool(oneCourse(() => sectionsOf([], 3, 'p1')))
    expect(await lane.sections(GROUP)).toMatchObject({ known: false, reason: 'incomplete' })
  })
})

describe('a College Scheduler poll', () => {
  const neighbors = ['201', '211', '221', '101L'].map((level) => course(`b${level}`, 'BIOL', level))
  const foreign = course('x', 'BIOLT', '101')

  it('searches for each course, and believes only an exact match, also on a later page', async () => {
    const { lane, asked } = openSchool((call, { query, after, course: id }) => {
      if (call === 'getCourseSections')
        return id === 'a' ? sectionsOf([section('1', 1)]) : sectionsOf([section('9', 9)])
      expect(query).toBe('BIOL 101')
      return after === 'p2' ? listOf([course('a', 'BIOL', '101')]) : listOf([foreign, ...neighbors], 'p2')
    })
    const [seats] = await collected(lane.seats(watch('1'), new Map()))
    if (!seats) throw new Error('The group has no answer.')
    expect(believed(seats.answer).seen.map(({ section_key }) => section_key)).toEqual(['1'])
    expect(asked).toHaveLength(3)
  })

  it('returns nothing if only similar courses are found', async () => {
    const { lane, asked } = openSchool((call) => {
      if (call === 'getCourseSections') throw new Error('asked for a neighbor')
      return listOf(neighbors, 'more')
    })
    expect(await collected(lane.seats(watch('1'), new Map()))).toMatchObject([{ answer: { known: false } }])
    expect(asked.length).toBeLessThan(6)
  })

  it('returns nothing if a watched course has no sections left', async () => {
    const { lane } = openSchool(oneCourse(() => sectionsOf([])))
    expect(await collected(lane.seats(watch('1'), new Map()))).toMatchObject([{ answer: { known: false } }])
  })
})

describe('a College Scheduler poll of several courses', () => {
  const watched = ['101', '102', '103'].map((level) => ({ section_key: level, level }))
  const answers: Answers = (call, { query, course: id }) => {
    const level = String(query ?? id).slice(-3)
    return call === 'findCourses' ? listOf([course(level, 'BIOL', level)]) : sectionsOf([section(level, 1)])
  }

  it('with an exhausted budget returns those it has read, then reports the budget', async () => {
    let allowed = 4
    const lane = collegescheduler.openLane(ADDRESS, {
      fetch: fetchOf(answers),
      now: () => 0,
      timeout_ms: 5000,
      budget: async () => {
        if (allowed-- === 0) throw new BudgetSpent(60_000)
      },
    })
    const found: string[] = []
    const read = async () => {
      for await (const { answer } of lane.seats([{ group: GROUP, watched }], new Map())) {
        found.push(...believed(answer).seen.map((seen) => `${seen.section_key} ${judge(seen).status}`))
      }
    }
    await expect(read()).rejects.toThrow(BudgetSpent)
    expect(found).toEqual(['101 open', '102 open', '103 unknown'])
  })

  it('returns the others if one course is not understood', async () => {
    const { lane } = openSchool((call, variables) => (variables['course'] === '102' ? null : answers(call, variables)))
    const [seats] = await collected(lane.seats([{ group: GROUP, watched }], new Map()))
    if (!seats) throw new Error('The group has no answer.')
    const statuses = believed(seats.answer).seen.map((seen) => `${seen.section_key} ${judge(seen).status}`)
    expect(statuses.toSorted()).toEqual(['101 open', '102 unknown', '103 open'])
  })
})

describe('a whole term of College Scheduler', () => {
  const answers: Answers = (call, { after, course: id }) => {
    if (call === 'getCourseSections') return sectionsOf([section(`${String(id)}1`, 1)])
    return after === 'p2'
      ? listOf([course('b', 'BIOL', '210'), course('c', 'GEOL', '101')])
      : listOf([course('a', 'BIOL', '101'), course('b', 'BIOL', '210')], 'p2')
  }
  const keysOf = async (
    pages: ReturnType<NonNullable<ReturnType<typeof openSchool>['lane']['wholeTerm']>> | undefined,
  ) =>
    (await collected(pages)).map((page) => {
      const { sections, next } = believed(page)
      return [sections.map(({ section_key }) => section_key), next]
    })

  it('is returned page by page, each section once, and resumes where it stopped', async () => {
    expect(await keysOf(openSchool(answers).lane.wholeTerm?.(GROUP))).toEqual([
      [['a1', 'b1'], 'p2'],
      [['c1'], null],
    ])
    expect(await keysOf(openSchool(answers).lane.wholeTerm?.(GROUP, 'p2'))).toEqual([[['b1', 'c1'], null]])
  })

  it('is unknown if nothing is returned, or the list repeats', async () => {
    const empty = openSchool((call) => (call === 'findCourses' ? listOf([]) : sectionsOf([])))
    expect(await collected(empty.lane.wholeTerm?.(GROUP))).toMatchObject([{ known: false }])
    const round = openSchool((call, { after }) =>
      call === 'findCourses'
        ? listOf([course('a', 'BIOL', '101')], after === 'p1' ? 'p2' : 'p1')
        : sectionsOf([section('1', 1)]),
    )
    expect((await collected(round.lane.wholeTerm?.(GROUP))).map(({ known }) => known)).toEqual([true, true, false])
  })
})

describe('the list of courses of a College Scheduler term', () => {
  const numbered = (after: unknown) => course(`course ${String(after)}`, 'BIOL', '101')

  it('that goes in a circle is unknown as soon as a cursor repeats', async () => {
    const { lane, asked } = openSchool((_call, { after }) => listOf([numbered(after)], after === 'p1' ? 'p2' : 'p1'))
    expect(await lane.subjects(GROUP)).toMatchObject({
      known: false,
      why: "The pages of the school's list of courses repeat.",
    })
    expect(asked.map(({ variables }) => variables['after'])).toEqual([null, 'p1', 'p2'])
  })

  it('that has no end is unknown after 200 pages', async () => {
    let pages = 0
    const { lane, asked } = openSchool((_call, { after }) => listOf([numbered(after)], `p${++pages}`))
    expect(await lane.subjects(GROUP)).toMatchObject({
      known: false,
      why: "The school's list of courses goes on after 200 pages.",
    })
    expect(asked).toHaveLength(200)
  })

  it('of 200 pages is read to its end', async () => {
    let pages = 0
    const { lane } = openSchool((_call, { after }) => listOf([numbered(after)], ++pages < 200 ? `p${pages}` : null))
    expect(believed(await lane.subjects(GROUP)).subjects).toEqual([{ key: 'BIOL', name: 'BIOL' }])
  })
})

describe('a College Scheduler school', () => {
  it('lists terms with either order of their names, and leaves out invalid ones', async () => {
    const { data } = JSON.parse(fixtureText('collegescheduler', 'terms.json')) as {
      data: { environment: { courseSearchTerms: unknown } }
    }
    const answer = await openSchool(() => data.environment.courseSearchTerms).lane.termsAndSchools()
    expect(believed(answer).terms.map(({ code, year, season }) => [code, year, season])).toEqual([
      ['202620', 2026, 'fall'],
      ['202630', 2027, 'spring'],
    ])
    expect(answer).toMatchObject({ warnings: [expect.stringContaining('Continuing Education')] })
  })

  it.each([
    ['keeps its search for students', null, 'not_the_protocol'],
    ['is not known', undefined, 'not_the_protocol'],
    ['lists nothing', [], 'incomplete'],
  ])('that %s is unknown', async (_what, value, reason) => {
    expect(await openSchool(() => value).lane.termsAndSchools()).toMatchObject({ known: false, reason })
  })

  it('that reports an error with status 200 is unknown, whatever comes with it', async () => {
    const { lane } = openCounted(collegescheduler, ADDRESS, {
      fetch: async () =>
        Response.json({
          errors: [{ message: 'Resolver failed.' }],
          data: { environment: { courseSearchTerms: [{ code: '1', name: 'Fall 2026' }] } },
        }),
    })
    expect(await lane.termsAndSchools()).toMatchObject({
      known: false,
      why: 'The school reports an error: Resolver failed.',
    })
  })

  it('has the subjects of its courses; an empty list is not believed', async () => {
    const some = openSchool(() =>
      listOf([course('c', 'GEOL', '1'), course('a', 'BIOL', '1'), course('b', 'BIOL', '2')]),
    )
    expect(believed(await some.lane.subjects(GROUP)).subjects.map(({ key }) => key)).toEqual(['BIOL', 'GEOL'])
    expect((await openSchool(() => listOf([])).lane.subjects(GROUP)).known).toBe(false)
  })
})

describe('a College Scheduler course', () => {
  it.each([
    ['id', course('', 'BIOL', '101')],
    ['subject', course('a', '', '101')],
    ['number', course('a', 'BIOL', '')],
    ['anything', { node: null }],
  ])(
    'without its %s leaves the subject and the search unknown, as it may be the one that was meant',
    async (_what, edge) => {
      const { lane } = openSchool((call) =>
        call === 'findCourses' ? listOf([course('b', 'BIOL', '210'), edge]) : sectionsOf([section('1', 1)]),
      )
      expect(await lane.sections(GROUP)).toMatchObject({ known: false, reason: 'incomplete' })
      expect(await collected(lane.seats(watch('1'), new Map()))).toMatchObject([{ answer: { known: false } }])
    },
  )
})

describe('a College Scheduler address', () => {
  it.each([
    ['https://ivytech.search.collegescheduler.com', null],
    ['https://ivytech.search.collegescheduler.com/search', 'The address must not have a path.'],
    ['https://ivytech.collegescheduler.com', 'The address must be https://NAME.search.collegescheduler.com.'],
    [
      'https://search.collegescheduler.com.example.edu',
      'The address must be https://NAME.search.collegescheduler.com.',
    ],
  ])('%s', (url, refusal) => {
    expect(collegescheduler.checkAddress(url)).toBe(refusal)
  })

  it('is recognized in what people copy, and no other kind is tried there', () => {
    const copied = 'ivytech.search.collegescheduler.com/search?term=202620'
    expect(candidatesOf(copied).map(({ source, url }) => [source.kind, url])).toEqual([
      ['collegescheduler', 'https://ivytech.search.collegescheduler.com'],
    ])
  })
})
