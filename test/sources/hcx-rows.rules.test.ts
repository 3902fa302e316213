import { describe, expect, it } from 'vitest'
import { hcx } from '../../src/sources/hcx/hcx.ts'
import { readRow } from '../../src/sources/hcx/rows.ts'
import { judge } from '../../src/sources/judge.ts'
import type { GroupSections, Status, WatchedGroup } from '../../src/sources/source.ts'
import { alterationsOf } from './alterations.ts'
import { hcxFixtures } from './hcx/fixtures.ts'
import { fixtureText } from './kind-fixtures.ts'
import { believed, collected, openCounted } from './lanes.ts'

type Row = Record<string, unknown>
type Answers = Record<string, (query: URLSearchParams, cookie: string | null) => unknown>

const { address, group } = hcxFixtures
const SETTINGS = { institution: 'EX010', shared: 'yes' }
const CLASSES = JSON.parse(fixtureText('hcx', 'classes.json')) as { pageCount: number; classes: Row[] }
const [OPEN = {}, FULL = {}, LISTED = {}] = CLASSES.classes
const file = (name: string) => () => new Response(fixtureText('hcx', name))
const WHOLE: Answers = {
  ClassSearchOptions: file('options.json'),
  ClassSearch: () => CLASSES,
  ClassDetails: file('details.json'),
}

/** A site in memory. Answers other than responses are sent as JSON; `asked` has script and query of every call. */
function open(answers: Answers, settings: Record<string, string> = SETTINGS) {
  const asked: string[] = []
  const fetch = async (input: string, init: RequestInit): Promise<Response> => {
    const { pathname, searchParams } = new URL(input)
    const [, portal = '', script = ''] = /\/(psc|psp)\/.*\.IScript_(\w+)$/.exec(pathname) ?? []
    asked.push(`${script === 'Main' ? `${portal} ` : ''}${script} ${searchParams.get('catalog_nbr') ?? ''}`.trim())
    const given = answers[script]?.(searchParams, new Headers(init.headers).get('cookie'))
    if (given === undefined) return new Response('', { status: 404 })
    return given instanceof Response ? given : Response.json(given)
  }
  const { lane, refuseFrom } = openCounted(hcx, { ...address, settings }, { fetch })
  return { lane, refuseFrom, asked }
}

const listing = (rows: unknown[], pageCount: unknown = 1): Answers => ({
  ...WHOLE,
  ClassSearch: () => ({ pageCount, classes: rows }),
})
/** Pages of rows with the number of their course, as many as fit on a page. */
const paged =
  (size: number, rows: Row[], isCounted = true) =>
  (query: URLSearchParams) => {
    const level = query.get('catalog_nbr')
    const found = rows.filter(({ catalog_nbr }) => !level || String(catalog_nbr).startsWith(level))
    const page = Number(query.get('page'))
    const classes = found.slice((page - 1) * size, page * size)
    return isCounted ? { pageCount: page === 1 ? Math.ceil(found.length / size) : 0, classes } : classes
  }
const numbered = (count: number): Row[] =>
  Array.from({ length: count }, (_, at) => ({ ...OPEN, class_nbr: 100 + at, catalog_nbr: String(1000 + at) }))
const poll = (lane: ReturnType<typeof open>['lane'], watched: WatchedGroup['watched']) =>
  collected(lane.seats([{ group, watched }], new Map()))

describe('an HCX list of sections', () => {
  it('has hours without a zero before them', () => {
    const meetings = [{ days: 'Mo', start_time: '08:30 AM', end_time: '09:20 a.m.' }]
    expect(readRow({ ...OPEN, meetings })?.section.instruction_list?.[0]?.days_times).toBe('Mo 8:30AM - 9:20AM')
  })

  it('is read with texts, times, places, dates and seats', async () => {
    const { sections } = believed(await open(WHOLE).lane.sections(group))
    expect(
      sections.map((section) => [section.section_key, judge(section).status, judge(section).seats_available]),
    ).toEqual([
      ['10467', 'open', 3],
      ['10468', 'closed', 1],
      ['10469', 'waitlisted', -2],
    ])
    expect(sections[0]).toMatchObject({
      code: 'MATH',
      level: '1010',
      title: 'Algebra & Geometry',
      section: '100',
      component: 'Lecture',
      session: 'Regular Academic Session',
      session_code: '1',
      campus: 'Main Campus',
      place: 'Hall 210',
      starts_on: '2026-08-25',
      ends_on: '2026-12-08',
      credits: '1 - 3',
      instruction_mode: 'In Person',
      instruction_list: [
        { name: 'Emmy Noether', days_times: 'TuTh 12:30PM - 1:45PM' },
        { name: 'Sophie Germain', days_times: 'Fr 9:00AM - 9:50AM' },
      ],
    })
    expect(sections[1]).toMatchObject({
      topic: 'Knots',
      flags: ['combined'],
      place: '',
      instruction_list: [{ name: 'TBA', days_times: 'TBA' }],
    })
    expect(sections[2]).toMatchObject({
      level: '2900H',
      component: 'SEM',
      instruction_list: [{ name: 'Cauchy,Augustin', days_times: 'TBA' }],
    })
  })

  it('in the older format continues until a page is empty', async () => {
    const { lane, asked } = open(
      { ClassSearch: (query) => (query.get('page') === '1' ? file('classes-older.json')() : []) },
      { institution: 'EX010' },
    )
    const { sections } = believed(await lane.sections(group))
    expect(sections.map((section) => judge(section).status)).toEqual(['open'])
    expect(sections[0]).toMatchObject({
      place: 'HALL 2',
      instruction_list: [{ name: 'Emmy Noether', days_times: 'MoWe 2:00PM - 3:15PM' }],
    })
    expect(asked).toHaveLength(2)
  })

  it('in the older format, with one alteration, is read correctly or unknown', async () => {
    const alterations = alterationsOf(fixtureText('hcx', 'classes-older.json'))
    expect(alterations.length).toBeGreaterThan(96)
    for (const { what, text } of alterations) {
      const answer: Answers[string] = (query) => (query.get('page') === '1' ? new Response(text) : [])
      const listed = await open({ ...WHOLE, ClassSearch: answer }, { institution: 'EX010' }).lane.sections(group)
      const found = listed.known ? listed.value.sections.filter(({ section_key }) => section_key === '10467') : []
      for (const section of found) expect(['open', 'unknown'], what).toContain(judge(section).status)
    }
  })

  it.each<[string, Row, Status]>([
    ['open, with a seat', {}, 'open'],
    ['open, with figures as strings', { class_capacity: ' 30', enrollment_available: '3' }, 'open'],
    ['open, and people wait', { wait_tot: 2 }, 'waitlisted'],
    ['open, without a seat', { enrollment_available: 0, enrollment_total: 30 }, 'unknown'],
    ['open, without free seats', { enrollment_available: undefined }, 'unknown'],
    ['open, without a waitlist', { wait_tot: null }, 'unknown'],
    ['open, and closed in words', { enrl_stat_descr: 'Closed' }, 'unknown'],
    ['open, and more seats than are left', { enrollment_available: 8 }, 'unknown'],
    ['open, of more seats than there are', { enrollment_available: 31, enrollment_total: null }, 'unknown'],
    ['open, in a shared room with fewer left', { combined_section: 'C', enrollment_available: 1 }, 'open'],
    ['open, in a shared room with more left', { combined_section: 'C', enrollment_available: 9 }, 'unknown'],
    ['open, with seats kept for some', { reserve_caps: [{ descr: 'Majors', cap: 5 }] }, 'unknown'],
    ['closed, with seats kept for some', { ...FULL, reserve_caps: [{ descr: 'Majors' }] }, 'closed'],
    ['open in words alone', { enrl_stat: null }, 'unknown'],
    ['another letter', { enrl_stat: 'X', enrl_stat_descr: '' }, 'unknown'],
    ['canceled', { class_stat: 'X' }, 'closed'],
    ['stopped', { class_stat: 'S' }, 'unknown'],
    ['closed, with a seat', { enrl_stat: 'C', enrl_stat_descr: 'Closed' }, 'closed'],
    ['waitlisted, over-enrolled', LISTED, 'waitlisted'],
    ['of no school', { institution: '' }, 'unknown'],
    ['of no term', { strm: null }, 'unknown'],
    ['of no subject', { subject: undefined }, 'unknown'],
  ])('with a row that is %s', async (_what, fields, status) => {
    const { sections } = believed(await open(listing([{ ...OPEN, ...fields }])).lane.sections(group))
    expect(sections.map((section) => judge(section).status)).toEqual([status])
  })

  it.each<[string, Answers, string]>([
    ['a sign-in page', { ...WHOLE, ClassSearch: () => new Response('<html>Sign in</html>') }, 'http_error'],
    ['its own error', { ...WHOLE, ClassSearch: () => ({ error: 'Search failed' }) }, 'incomplete'],
    ['a stub', { ...WHOLE, ClassSearch: () => new Response('WEBLIB_HCX_CM is not there') }, 'incomplete'],
    ['rows of another school', listing([OPEN, { ...LISTED, institution: 'EX020' }]), 'wrong_scope'],
    ['rows of another term', listing([{ ...OPEN, strm: '2263' }]), 'wrong_scope'],
    ['rows of another subject', listing([{ ...OPEN, subject: 'MATHS' }]), 'wrong_scope'],
    ['rows without pages', listing([OPEN], 0), 'incomplete'],
    ['pages without rows', listing([], 2), 'incomplete'],
    ['rows, and no count of pages', listing([OPEN], null), 'http_error'],
    ['a row that names no section', listing([OPEN, { ...FULL, class_nbr: null }]), 'incomplete'],
    ['the same page again', listing([OPEN, FULL], 2), 'incomplete'],
  ])('that is %s is unknown', async (_what, answers, reason) => {
    expect(await open(answers).lane.sections(group)).toMatchObject({ known: false, reason })
  })

  it('with a row that names no section returns the others in a poll', async () => {
    const { lane } = open(listing([OPEN, { ...FULL, class_nbr: 'x' }]))
    const [one] = await poll(lane, [{ section_key: '10467', level: '' }])
    expect(one?.answer).toMatchObject({ known: true, warnings: [expect.stringContaining('1 of 2 rows')] })
    for (const level of ['', '1010']) {
      const watched = ['10467', '10468'].map((section_key) => ({ section_key, level }))
      const [both] = await poll(lane, watched)
      // Nothing says that the other one is absent.
      expect(both && believed(both.answer).seen.map((seen) => [seen.section_key, judge(seen).status])).toEqual([
        ['10467', 'open'],
        ['10468', 'unknown'],
      ])
    }
  })

  it('with a section twice is unknown if the figures differ, otherwise one section', async () => {
    const alike = believed(await open(listing([OPEN, OPEN])).lane.sections(group)).sections
    expect(alike.map((section) => judge(section).status)).toEqual(['open'])
    const unlike = believed(await open(listing([OPEN, { ...FULL, class_nbr: 10467 }])).lane.sections(group)).sections
    expect(unlike.map((section) => judge(section).status)).toEqual(['unknown'])
  })

  it('that is empty is believed the second time, if the school lists term and subject', async () => {
    const empty = open(listing([], 0))
    expect(believed(await empty.lane.sections(group))).toEqual({ sections: [] })
    expect(empty.asked).toEqual(['ClassSearch', 'ClassSearch', 'ClassSearchOptions'])
    const unlisted = { ...group, subject: 'NONE' }
    expect(await empty.lane.sections(unlisted)).toMatchObject({ known: false, reason: 'incomplete' })
    const [seats] = await poll(empty.lane, [{ section_key: '10467', level: '' }])
    expect(seats?.answer).toMatchObject({ known: false, reason: 'incomplete' })
  })
})

describe('pages of an HCX search', () => {
  it('are counted by the first, and all are read', async () => {
    const { lane, asked } = open({ ClassSearch: paged(50, numbered(120)) })
    expect(believed(await lane.sections(group)).sections).toHaveLength(120)
    expect(asked).toHaveLength(3)
  })

  it('that end too early, or keep repeating rows, are unknown', async () => {
    const rows = numbered(120)
    const early = paged(50, rows)
    const { lane } = open({ ClassSearch: (query) => (query.get('page') === '3' ? { classes: [] } : early(query)) })
    expect(await lane.sections(group)).toMatchObject({ known: false, why: 'Page 3 of 3 is empty.' })
    const shifted = paged(50, [...rows.slice(0, 60), ...rows.slice(40)])
    const again = await open({ ClassSearch: shifted }).lane.sections(group)
    expect(again).toMatchObject({ known: false, why: 'Page 2 repeats sections of others.' })
  })

  it('end for a poll with the last watched section, or with its courses if those are fewer', async () => {
    const answers = { ClassSearch: paged(50, numbered(320)) }
    const keys = (numbers: number[], level: (at: number) => string) =>
      numbers.map((at) => ({ section_key: String(100 + at), level: level(at) }))
    const of = async (numbers: number[], level: (at: number) => string) => {
      const { lane, asked } = open(answers)
      const [seats] = await poll(lane, keys(numbers, level))
      expect(seats && believed(seats.answer).seen).toHaveLength(numbers.length)
      return asked
    }
    const level = (at: number) => String(1000 + at)
    expect(await of([10, 20], level)).toEqual(['ClassSearch'])
    expect(await of([310], level)).toEqual(['ClassSearch 1310'])
    expect(await of([10, 310], level)).toEqual(['ClassSearch', 'ClassSearch 1310'])
    expect(await of([10, 310], () => '')).toHaveLength(7)
  })

  it('show a watched section whose course was renumbered, in the search of its subject if need be', async () => {
    const rows = [...numbered(3), { ...OPEN, class_nbr: 200, catalog_nbr: '1002H' }]
    const of = async (...watched: [number, string][]) => {
      const { lane, asked } = open({ ClassSearch: paged(50, rows) })
      const keys = watched.map(([key, level]) => ({ section_key: String(key), level }))
      const [seats] = await poll(lane, keys)
      return [(seats ? believed(seats.answer).seen : []).map(({ section_key }) => section_key), asked]
    }
    expect(await of([200, '1002'])).toEqual([['200'], ['ClassSearch 1002']])
    expect(await of([101, '1002'])).toEqual([['101'], ['ClassSearch 1002', 'ClassSearch']])
    expect(await of([102, '1002'], [101, '1002'])).toEqual([
      ['102', '101'],
      ['ClassSearch 1002', 'ClassSearch'],
    ])
    expect(await of([999, '1002'], [102, '1002'])).toEqual([['102'], ['ClassSearch 1002', 'ClassSearch']])
  })

  it('ask for the whole subject only while a missing section was listed until now, and if requests are left', async () => {
    const missing = { section_key: '999', level: '1002', missing_since: 5 }
    const found = { section_key: '102', level: '1002' }
    const { lane, asked } = open({ ClassSearch: paged(50, numbered(3)) })
    const [seats] = await poll(lane, [missing, found])
    expect(seats && believed(seats.answer).seen.map(({ section_key }) => section_key)).toEqual(['102'])
    const [alone] = await poll(lane, [{ ...missing, level: '1999' }])
    expect(alone && believed(alone.answer).seen).toEqual([])
    expect(asked).toEqual(['ClassSearch 1002', 'ClassSearch 1999'])

    const poor = open({ ClassSearch: paged(50, numbered(3)) })
    poor.refuseFrom(() => poor.asked.length > 0)
    const [spent] = await poll(poor.lane, [{ section_key: '999', level: '1002' }, found])
    expect(spent && believed(spent.answer).seen.map((one) => [one.section_key, judge(one).status])).toEqual([
      ['102', 'open'],
      ['999', 'unknown'],
    ])
  })

  it.each<[string, Row[], string]>([
    ['repeats a row', [...numbered(2), ...numbered(3).slice(1)], 'Page 2 repeats sections of others.'],
    [
      'has a row that names no section',
      [...numbered(2), { ...OPEN, class_nbr: null }, ...numbered(3).slice(2)],
      'Rows of page 2 do not say which section they are.',
    ],
  ])('leave only a watched section in doubt that they do not show if one %s', async (_what, rows, why) => {
    for (const missing_since of [null, 5]) {
      const { lane } = open({ ClassSearch: paged(2, rows) })
      const [seats] = await poll(lane, [
        { section_key: '100', level: '' },
        { section_key: '102', level: '' },
        { section_key: '99999', level: '', missing_since },
      ])
      const seen = seats ? believed(seats.answer).seen : []
      expect(seen.map((one) => [one.section_key, judge(one).status, one.doubts])).toEqual([
        ['100', 'open', []],
        ['102', 'open', []],
        ['99999', 'unknown', [why]],
      ])
    }
    const [none] = await poll(open({ ClassSearch: paged(2, rows) }).lane, [{ section_key: '99999', level: '' }])
    expect(none?.answer).toMatchObject({ known: false, reason: 'incomplete', why })
  })

  it('do not contradict each other if a seat is taken between the search of a course and that of its subject', async () => {
    const { lane } = open({
      ClassSearch: (query) =>
        paged(50, [{ ...(query.get('catalog_nbr') ? OPEN : FULL), class_nbr: 10467, catalog_nbr: '1010' }])(query),
    })
    const watched = ['10467', '999'].map((section_key) => ({ section_key, level: '1010' }))
    const [seats] = await poll(lane, watched)
    expect(seats && believed(seats.answer).seen.map((seen) => judge(seen).status)).toEqual(['open'])
  })

  it('of a term resume where an earlier walk stopped', async () => {
    const answers = { ClassSearch: paged(50, numbered(120)) }
    const whole = await collected(open(answers).lane.wholeTerm?.(group))
    expect(whole.map((page) => believed(page).sections.length)).toEqual([50, 50, 20])
    expect(whole.map((page) => believed(page).next)).toEqual(['2/3', '3/3', null])
    const rest = open(answers)
    const pages = await collected(rest.lane.wholeTerm?.(group, '3/3'))
    expect(pages.map((page) => believed(page).sections.length)).toEqual([20])
    expect(rest.asked).toHaveLength(1)
  })

  it('of a term are returned once, even if two pages and a second walk repeat them', async () => {
    const slipped = [...numbered(60), ...numbered(120).slice(40)]
    const pages = await collected(open({ ClassSearch: paged(50, slipped) }).lane.wholeTerm?.(group))
    const keys = pages.flatMap((page) => (page.known ? page.value.sections.map(({ section_key }) => section_key) : []))
    expect([keys.length, new Set(keys).size]).toEqual([120, 120])
    expect(pages.at(-1)).toMatchObject({ known: false, reason: 'incomplete' })
  })

  it('of a term are read again if rows had slipped before a walk was resumed', async () => {
    const rows = numbered(120)
    // Row 51 is on neither page: the second one repeats row 50 instead.
    const slipped = [...rows.slice(0, 50), ...rows.slice(49, 50), ...rows.slice(51)]
    for (const [ClassSearch, stopAfter] of [
      [paged(50, slipped), 2],
      [paged(50, [...slipped.slice(0, 100), ...slipped.slice(49, 50)]), 3],
    ] as const) {
      const walk = open({ ClassSearch }).lane.wholeTerm?.(group)[Symbol.asyncIterator]()
      let cursor: string | null = null
      for (let page = 0; page < stopAfter; page++) {
        const { value } = (await walk?.next()) ?? {}
        cursor = believed<GroupSections>(value).next ?? cursor
      }
      const pages = await collected(open({ ClassSearch: paged(50, rows) }).lane.wholeTerm?.(group, cursor))
      const numbers = pages.flatMap((page) => believed(page).sections.map(({ number }) => number))
      expect(numbers).toContain('150')
    }
  })
})

describe("a guest's visit to an HCX site", () => {
  const PAGE = () => new Response('<html>Class Search</html>', { headers: { 'set-cookie': 'PSJSESSIONID=1; Path=/' } })

  it('sends the cookie of a redirect to the same address', async () => {
    const { lane, asked } = open({
      ClassSearch: (query, cookie) => {
        if (cookie !== null) return CLASSES
        const headers = { location: `?${query}`, 'set-cookie': 'PSJSESSIONID=1; Path=/' }
        return new Response(null, { status: 302, headers })
      },
    })
    expect(believed(await lane.sections(group)).sections).toHaveLength(3)
    expect(asked).toEqual(['ClassSearch', 'ClassSearch'])
  })

  it.each([
    ['a 403', () => new Response('', { status: 403 })],
    ['a sign-in page', () => new Response('<html>User ID</html>')],
    ['redirects without an end', () => new Response(null, { status: 302, headers: { location: '?again' } })],
  ])('opens a page for people after %s', async (_what, refuse) => {
    const { lane, asked } = open({
      Main: PAGE,
      ClassSearch: (_query, cookie) => (cookie === null ? refuse() : CLASSES),
    })
    expect(believed(await lane.sections(group)).sections).toHaveLength(3)
    expect(asked.slice(-2)).toEqual(['psc Main', 'ClassSearch'])
  })

  it("opens the portal's page if the first does not help, and then opens that one first", async () => {
    let isIn = false
    const { lane, asked } = open({
      Main: () => PAGE(),
      ClassSearch: () => {
        isIn = asked.at(-2) === 'psp Main' || isIn
        return isIn ? CLASSES : new Response('<html>User ID</html>')
      },
    })
    expect(believed(await lane.sections(group)).sections).toHaveLength(3)
    expect(asked).toEqual(['ClassSearch', 'psc Main', 'ClassSearch', 'psp Main', 'ClassSearch'])
    isIn = false
    believed(await lane.sections(group))
    expect(asked.slice(5)).toEqual(['ClassSearch', 'psp Main', 'ClassSearch'])
  })

  it('makes only a few requests if nothing helps', async () => {
    const { lane, asked } = open({ Main: PAGE, ClassSearch: () => new Response('<html>Maintenance</html>') })
    for (let round = 0; round < 5; round++) {
      expect(await lane.sections(group)).toMatchObject({ known: false, reason: 'not_the_protocol' })
    }
    expect(asked.filter((call) => call.endsWith('Main'))).toHaveLength(4)
  })
})

describe("an HCX school's terms and subjects", () => {
  it('are those of its options', async () => {
    const { lane } = open(WHOLE)
    const terms = await lane.termsAndSchools()
    expect(believed(terms).terms.map(({ code, season, year }) => `${code} ${season} ${year}`)).toEqual([
      '2267 fall 2026',
      '2271 winter 2027',
    ])
    expect(terms).toMatchObject({ warnings: [expect.stringContaining('Continuing Education')] })
    expect(believed(await lane.subjects(group))).toEqual({
      subjects: [
        { key: 'MATH', name: 'Mathematics' },
        { key: 'ART', name: 'Arts & Crafts' },
      ],
      careers: [''],
    })
  })

  it('are read from the public page if the options have no terms', async () => {
    const model = { search_options: { terms: [{ strm: '1268', descr: '2026 Fall' }] } }
    const block = btoa(JSON.stringify(model))
    const subjects = [{ subject: 'MATH', descr: 'Mathematics' }]
    const { lane } = open({
      ClassSearchOptions: () => ({ subjects }),
      Main: () => new Response(`<html><script>atob("AAAA"); var m = JSON.parse(atob('${block}'))</script></html>`),
    })
    expect(believed(await lane.termsAndSchools()).terms).toMatchObject([{ code: '1268', season: 'fall', year: 2026 }])
  })

  it.each<[string, Answers]>([
    ['nothing', { ClassSearchOptions: () => ({ terms: [], subjects: [] }) }],
    [
      'a page without them',
      { ClassSearchOptions: () => ({ subjects: [{ subject: 'A' }] }), Main: () => new Response('<p>') },
    ],
    ['another object', { ClassSearchOptions: () => ({ options: [] }) }],
    ['an error', { ClassSearchOptions: () => new Response('', { status: 500 }) }],
  ])('are unknown where the school answers with %s', async (_what, answers) => {
    expect((await open(answers).lane.termsAndSchools()).known).toBe(false)
  })
})

describe('the details of an HCX section', () => {
  it('have its seats, and whether consent is required', async () => {
    const seen = believed((await open(WHOLE).lane.details?.(group, '10467')) ?? fail())
    expect(judge(seen)).toMatchObject({ status: 'open', seats_available: 3, capacity: 30, waitlist_available: 50 })
    expect(seen.flags).toEqual(['permission'])
  })

  it('of another number, subject or school are unknown', async () => {
    const { lane } = open(WHOLE)
    expect(await lane.details?.(group, '10468')).toMatchObject({ known: false, reason: 'wrong_scope' })
    expect(await lane.details?.({ ...group, subject: 'ART' }, '10467')).toMatchObject({ reason: 'wrong_scope' })
    const elsewhere = open(WHOLE, { ...SETTINGS, institution: 'EX020' })
    expect(await elsewhere.lane.details?.(group, '10467')).toMatchObject({ reason: 'wrong_scope' })
    const gone = open({ ...WHOLE, ClassDetails: () => ({ error: 'Class not found' }) })
    expect(await gone.lane.details?.(group, '10467')).toMatchObject({ known: false, reason: 'incomplete' })
  })

  it('with one alteration are read correctly or unknown', async () => {
    const alterations = alterationsOf(fixtureText('hcx', 'details.json'))
    expect(alterations.length).toBeGreaterThan(96)
    for (const { what, text } of alterations) {
      const seen = await open({ ...WHOLE, ClassDetails: () => new Response(text) }).lane.details?.(group, '10467')
      expect(['open', 'unknown'], what).toContain(seen?.known ? judge(seen.value).status : 'unknown')
    }
  })
})

describe('an HCX address', () => {
  it.each([
    ['https://classes.example.edu/psc/csprd/EMPLOYEE/SA/s', null],
    ['https://classes.example.edu/psc/guest_1/UVSS/CAMP/s', null],
    ['https://classes.example.edu/psp/csprd/EMPLOYEE/SA/s', null],
    ['https://classes.example.edu/psx/csprd/EMPLOYEE/SA/s', '/psc/'],
    ['https://classes.example.edu/psc/csprd/EMPLOYEE/SA', '/s'],
    ['http://classes.example.edu/psc/csprd/EMPLOYEE/SA/s', 'https'],
  ])('%s', (url, expected) => {
    const refusal = hcx.checkAddress(url)
    if (expected === null) expect(refusal).toBeNull()
    else expect(refusal).toContain(expected)
  })

  it('copied from the portal is read from its content', async () => {
    const copied = { url: address.url.replace('/psc/', '/psp/'), settings: SETTINGS }
    const asked: string[] = []
    const fetch = async (input: string) => {
      asked.push(new URL(input).pathname)
      return Response.json(CLASSES)
    }
    expect(believed(await openCounted(hcx, copied, { fetch }).lane.sections(group)).sections).toHaveLength(3)
    expect(asked).toEqual([expect.stringMatching(/^\/psc\/csprd\/EMPLOYEE\/SA\/s\//)])
    const section = { school: '', term: '2267', section_key: '10467' }
    expect(hcx.link(copied, section)).toBe(hcx.link({ url: address.url, settings: SETTINGS }, section))
  })

  it('links to the class search of its school', () => {
    expect(hcx.link(address, { school: '', term: '2267', section_key: '10467' })).toBe(
      `${address.url}/WEBLIB_HCX_CM.H_CLASS_SEARCH.FieldFormula.IScript_Main?institution=EX010`,
    )
  })
})

it('an arbitrary HCX row throws nothing', () => {
  for (const value of [null, 5, 'x', [], {}, { class_nbr: {} }, { class_nbr: 1, meetings: [null], instructors: [5] }]) {
    readRow(value)
  }
})

function fail(): never {
  throw new Error('there is no such call')
}
