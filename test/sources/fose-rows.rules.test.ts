import { describe, expect, it } from 'vitest'
import { fose } from '../../src/sources/fose/fose.ts'
import { readSeats } from '../../src/sources/fose/details.ts'
import { judge } from '../../src/sources/judge.ts'
import { type Asked, FAKE_FOSE, fakeFose, fixture } from './fake-fose.ts'
import { believed, collected, groupOf, openCounted } from './lanes.ts'

type Row = Record<string, unknown>

const GROUP = groupOf({ term: '202610', subject: 'MATH' })
const WHOLE = JSON.parse(fixture('search.json')) as { count: number; results: Row[] }
const DETAILS = JSON.parse(fixture('details.json')) as Row

function open(answers: Parameters<typeof fakeFose>[0] = {}) {
  const { fetch, asked } = fakeFose(answers)
  return { lane: openCounted(fose, FAKE_FOSE, { fetch }).lane, asked }
}

const listing = (fields: Row) => () => Response.json({ ...WHOLE, ...fields })
const pollOf = (...keys: string[]) => [
  { group: GROUP, watched: keys.map((section_key) => ({ section_key, level: '' })) },
]

describe('a list of a CourseLeaf class search', () => {
  it('is read with texts, times and letters', async () => {
    const { lane, asked } = open()
    const { sections } = believed(await lane.sections(GROUP))
    expect(sections).toHaveLength(4)
    expect(sections.map((section) => [section.section_key, judge(section).status])).toEqual([
      ['27001', 'open'],
      ['27002', 'waitlisted'],
      ['0311', 'closed'],
      ['27004', 'closed'],
    ])
    expect(sections[0]).toMatchObject({
      subject: 'MATH',
      code: 'MATH',
      level: '111',
      title: 'Algebra & Geometry',
      number: '27001',
      section: 'S01',
      component: 'LEC',
      starts_on: '2026-09-03',
      ends_on: '2026-12-18',
      flags: [],
      instruction_list: [
        { name: 'E. Noether', days_times: 'MoWeFr 10:00AM - 10:50AM, TuTh 1:00PM - 2:15PM' },
        { name: 'S. Germain', days_times: 'MoWeFr 10:00AM - 10:50AM, TuTh 1:00PM - 2:15PM' },
      ],
    })
    expect(sections.map(({ flags, has_figures }) => [flags, has_figures])).toEqual([
      [[], false],
      [['permission'], false],
      [[], false],
      [[], false],
    ])
    expect(sections.slice(1).map(({ instruction_list }) => instruction_list?.[0])).toEqual([
      { name: 'TBA', days_times: 'TuTh 8:30AM - 9:45AM' },
      { name: 'Team', days_times: 'TBA' },
      { name: 'TBA', days_times: 'MW 10-10:50a' },
    ])
    expect(asked).toEqual([
      { route: 'search', body: { other: { srcdb: '202610' }, criteria: [{ field: 'subject', value: 'MATH' }] } },
    ])
  })

  it.each([
    ['a page', () => new Response('<html>Maintenance</html>'), 'not_the_protocol'],
    ['nothing, with status 202', () => new Response('', { status: 202 }), 'not_the_protocol'],
    ['a refusal', () => Response.json({ fatal: 'cannot open database', count: 0 }), 'not_the_protocol'],
    ['a refusal beside rows', listing({ fatal: 'timeout' }), 'not_the_protocol'],
    ['a list', () => Response.json([]), 'incomplete'],
    ['of another term', listing({ srcdb: '202620' }), 'wrong_scope'],
    ['of no term', listing({ srcdb: undefined }), 'wrong_scope'],
    ['without sections', listing({ results: null }), 'not_the_protocol'],
    ['with fewer sections than it counts', listing({ count: 5 }), 'incomplete'],
    ['with more sections than it counts', listing({ count: 3 }), 'incomplete'],
    ['without a count', listing({ count: undefined }), 'incomplete'],
  ])('that is %s is unknown', async (_what, search, reason) => {
    const { lane } = open({ search })
    expect(await lane.sections(GROUP)).toMatchObject({ known: false, reason })
  })

  it('that is empty is believed the second time, in a term that the school lists, and never in a poll', async () => {
    const search = ({ body }: Asked) =>
      Response.json({ ...(body?.['other'] as Row | undefined), count: 0, results: [] })
    const { lane, asked } = open({ search })
    expect(believed(await lane.sections(GROUP))).toEqual({ sections: [] })
    expect(asked.map(({ route }) => route)).toEqual(['search', 'search', 'home'])
    expect(await lane.sections({ ...GROUP, term: '209910' })).toMatchObject({ known: false, reason: 'incomplete' })
    const [seats] = await collected(lane.seats(pollOf('27001'), new Map()))
    expect(seats?.answer).toMatchObject({ known: false, reason: 'incomplete' })
    expect((await collected(lane.wholeTerm?.(GROUP))).map(({ known }) => known)).toEqual([false])
    expect(await lane.subjects(GROUP)).toMatchObject({ known: false })
  })

  it('with a row that names no section warns about it, returns the others in a poll, and is not complete', async () => {
    const results = WHOLE.results.map((row, index) => (index === 1 ? { ...row, crn: '' } : row))
    const { lane } = open({ search: listing({ results }) })
    const [seats] = await collected(lane.seats(pollOf('27001', '27002'), new Map()))
    expect(seats?.answer).toMatchObject({ known: true, warnings: [expect.stringContaining('1 of 4 rows')] })
    expect(seats && believed(seats.answer).seen.map(({ section_key }) => section_key)).toEqual(['27001'])
    expect(await lane.sections(GROUP)).toMatchObject({ known: false, reason: 'incomplete' })
    expect((await collected(lane.wholeTerm?.(GROUP))).map(({ known }) => known)).toEqual([true, false])
  })

  it('of the whole term serves a poll of many groups', async () => {
    const results = [...WHOLE.results, { ...WHOLE.results[0], crn: '30001', code: 'ART 1', stat: 'F' }]
    const { lane, asked } = open({ search: listing({ results, count: results.length }) })
    const art = groupOf({ term: '202610', subject: 'ART' })
    const groups = [...pollOf('27001'), { group: art, watched: [{ section_key: '30001', level: '' }] }]
    const answers = await collected(lane.seats(groups, new Map([['/202610', 500]])))
    expect(answers.flatMap(({ answer }) => believed(answer).seen.map((seen) => judge(seen).status))).toEqual([
      'open',
      'closed',
    ])
    expect(asked).toEqual([{ route: 'search', body: { other: { srcdb: '202610' }, criteria: [] } }])
  })
})

describe('details of a CourseLeaf class search', () => {
  const look = async (fields: Row) =>
    open({ details: () => Response.json({ ...DETAILS, ...fields }) }).lane.details?.(GROUP, '27001')

  it('show the seats of one section, requested by its number', async () => {
    const { lane, asked } = open()
    const answer = await lane.details?.(GROUP, '27001')
    if (answer === undefined) throw new Error('there is no such call')
    expect(judge(believed(answer))).toMatchObject({ status: 'open', seats_available: 3, capacity: 28 })
    expect(asked).toEqual([{ route: 'details', body: { key: 'crn:27001', srcdb: '202610', matched: 'crn:27001' } }])
  })

  it.each([
    ['of another term', { srcdb: '202620' }, 'wrong_scope'],
    ['of another section', { crn: '27002' }, 'wrong_scope'],
    ['of another subject', { code: 'MATHS 111' }, 'wrong_scope'],
  ])('%s are unknown', async (_what, fields, reason) => {
    expect(await look(fields)).toMatchObject({ known: false, reason })
  })

  it.each([
    ['refused', { fatal: 'group is missing' }],
    ['of none', { crn: '', code: '' }],
  ])('that are %s are made up for by a search for the number', async (_what, fields) => {
    const { lane, asked } = open({ details: () => Response.json({ ...DETAILS, ...fields }) })
    const answer = await lane.details?.(GROUP, '27001')
    expect(answer).toMatchObject({ known: true, value: { section_key: '27001', stated: 'open', has_figures: false } })
    expect(asked.map(({ route, body }) => [route, body?.['criteria']])).toEqual([
      ['details', undefined],
      ['search', [{ field: 'crn', value: '27001' }]],
    ])
    expect(await lane.details?.(GROUP, '99999')).toMatchObject({ known: false })
  })

  it.each([
    ['open without a free seat', { seats: '<b>Seats Avail</b>: 0' }, 'unknown'],
    ['open, and people wait', { seats: '<b>Seats Avail</b>: 2 <b>Waitlist Total</b>: 4' }, 'waitlisted'],
    ['open, and its word says closed', { enrl_stat_html: 'Closed' }, 'unknown'],
    ['open, and it is canceled', { isCancelled: 'Y' }, 'closed'],
    ['open, and perhaps canceled', { isCancelled: 'maybe' }, 'unknown'],
    ['open without a limit', { seats: '' }, 'open'],
    ['open with seats that are no number', { seats: '<b>Seats Avail</b>: many' }, 'unknown'],
    ['full with seats for some', { stat: 'F', enrl_stat_html: '', seats: '<b>Seats Avail</b>: 2' }, 'closed'],
  ])('that say %s', async (_what, fields, status) => {
    const answer = await look(fields)
    if (answer === undefined) throw new Error('there is no such call')
    expect(judge(believed(answer)).status).toBe(status)
  })

  it.each([
    [{ seats: 'Maximum Enrollment: 28 / Seats Avail: 0' }, [28, null, 0, null]],
    [{ seats: '<strong>Maximum Enrollment</strong>: 28 / <strong>Seats Avail</strong>: -2' }, [28, null, -2, null]],
    [{ seats: '<span class="seats_max">30</span> of which <span class="seats_avail">7</span>' }, [30, null, 7, null]],
    [{ max_enroll: 40, enrollment: '12' }, [40, 12, null, null]],
    [{}, [null, null, null, null]],
  ])('%j', (details, expected) => {
    const doubts: string[] = []
    const { capacity, enrolled, available, waitlist_total } = readSeats(details, doubts)
    expect([capacity, enrolled, available, waitlist_total]).toEqual(expected)
    expect(doubts).toEqual([])
  })
})

describe("a CourseLeaf school's terms and subjects", () => {
  it('are those of its page, except combined ones', async () => {
    const answer = await open().lane.termsAndSchools()
    expect(believed(answer).terms.map(({ code, year, season }) => `${code} ${season} ${year}`)).toEqual([
      '202610 fall 2026',
      '202615 winter 2027',
      '202620 spring 2027',
    ])
    expect(answer).toMatchObject({ warnings: [expect.stringContaining('Continuing Education')] })
  })

  const changed = (alter: (page: string) => string) => open({ home: () => new Response(alter(fixture('home.html'))) })
  const LIST = /srcDBs: \[[^\]]*\]/

  it.each([
    ['without the list of its script', ''],
    ['with a list of nothing', 'srcDBs: []'],
    ['with a list that is none', 'srcDBs: [5, "x"]'],
  ])('are those of the form %s', async (_what, list) => {
    const { lane } = changed((page) => page.replace(LIST, list))
    expect(believed(await lane.termsAndSchools()).terms.map(({ code }) => code)).toEqual(['202610'])
  })

  it('are those of a list in JSON', async () => {
    const { lane } = changed((page) =>
      page.replace(LIST, '"srcDBs":[{"code":"1","name":"Fall 2027 \\u0026 x"},{"code":"2","name":"Fall 2028"}]'),
    )
    expect(believed(await lane.termsAndSchools()).terms.map(({ code }) => code)).toEqual(['2'])
  })

  it.each([
    ['broken off', (page: string) => page.slice(0, -20)],
    ['without terms', () => '<html><body>Welcome</body></html>'],
    ['that is no page', () => '{}'],
  ])('of a page %s are unknown', async (_what, alter) => {
    const { lane } = changed(alter)
    expect((await lane.termsAndSchools()).known).toBe(false)
  })

  it("are the subjects that have sections, with the page's names", async () => {
    const results = [...WHOLE.results, { ...WHOLE.results[0], crn: '30001', code: 'CSCI-UA 101' }]
    const { lane } = open({ search: listing({ results, count: results.length }) })
    expect(believed(await lane.subjects(GROUP))).toEqual({
      subjects: [
        { key: 'MATH', name: 'Mathematics' },
        { key: 'CSCI-UA', name: 'CSCI-UA' },
      ],
      careers: [''],
    })
  })

  describe('of a term that is too large for one answer', () => {
    // The largest terms have 15,000 rows of about 600 bytes.
    const results = Array.from({ length: 15_000 }, (_, at) => ({
      ...WHOLE.results[0],
      crn: String(10_000 + at),
      cart_opts: 'x'.repeat(300),
    }))
    const tooLarge = JSON.stringify({ srcdb: GROUP.term, count: results.length, results })
    const search = (asked: Asked) =>
      JSON.stringify(asked.body?.['criteria']) === '[]' ? new Response(tooLarge) : new Response(fixture('search.json'))

    it('are the subjects of its page, each of which can be read', async () => {
      const { lane } = open({ search })
      const answer = await lane.subjects(GROUP)
      const names = ['Mathematics', 'Arts & Crafts']
      expect(believed(answer).subjects.map(({ name }) => name)).toEqual(names)
      expect(answer).toMatchObject({ warnings: [expect.stringContaining('The answer is larger than 8 MB.')] })
      expect(believed(await lane.sections(GROUP)).sections).not.toEqual([])
    })

    it('are unknown if the answer was only cut off, so that no subject without sections is added', async () => {
      const cutOff = () => new Response(tooLarge.slice(0, 1_000_000))
      expect(await open({ search: cutOff }).lane.subjects(GROUP)).toMatchObject({ known: false, reason: 'incomplete' })
    })

    it('are unknown if the page lists none, or not the term', async () => {
      expect(await open({ search }).lane.subjects({ ...GROUP, term: '209910' })).toMatchObject({ known: false })
      const home = () => new Response(fixture('home.html').replace('name="subject"', '').replace('crit-subject', ''))
      expect(await open({ search, home }).lane.subjects(GROUP)).toMatchObject({ known: false, reason: 'too_large' })
    })
  })
})

describe('a CourseLeaf address', () => {
  it.each([
    ['https://cab.example.edu/api', null],
    ['https://bulletins.example.edu/class-search/api', null],
    ['https://cab.example.edu', '/api'],
    ['https://cab.example.edu/api?page=fose', 'end after its path'],
    ['http://cab.example.edu/api', 'https'],
  ])('%s', (url, expected) => {
    const refusal = fose.checkAddress(url)
    if (expected === null) expect(refusal).toBeNull()
    else expect(refusal).toContain(expected)
  })

  it('links to the section at the school', () => {
    const section = { school: '', term: '202610', section_key: '27001' }
    expect(fose.link(FAKE_FOSE, section)).toBe('https://classes.example.edu/?details&srcdb=202610&crn=27001')
    expect(fose.link(FAKE_FOSE, { ...section, section_key: '' })).toBe('https://classes.example.edu/')
  })
})
