import { describe, expect, it } from 'vitest'
import { colleague } from '../../src/sources/colleague/colleague.ts'
import { readRow } from '../../src/sources/colleague/rows.ts'
import { readTerm } from '../../src/sources/colleague/filters.ts'
import { judge } from '../../src/sources/judge.ts'
import type { Answer, GroupSections, Lane } from '../../src/sources/source.ts'
import { type Answers, FAKE_COLLEAGUE, fakeColleague, fixture } from './fake-colleague.ts'
import { believed, collected, groupOf, openCounted } from './lanes.ts'

const IN_WORDS: Answers = {
  'Courses/PostSearchCriteria': () => new Response(fixture('sections-in-words.json')),
  'Courses/GetCatalogAdvancedSearch': () => new Response(fixture('filters.json')),
}
const GROUP = groupOf({ term: '2026FA', subject: 'MATH' })

function open(answers: Answers, settings: Record<string, string> = {}) {
  const { fetch, asked } = fakeColleague(answers)
  const { lane } = openCounted(colleague, { ...FAKE_COLLEAGUE, settings }, { fetch })
  return { lane, asked }
}

/** A page of sections as in the fixture, altered. */
const page = (fields: Record<string, unknown>) =>
  Response.json({ ...(JSON.parse(fixture('sections-in-words.json')) as Record<string, unknown>), ...fields })

const firstPage = async (lane: Lane): Promise<{ value?: Answer<GroupSections> }> => {
  for await (const value of lane.wholeTerm?.(GROUP) ?? []) return { value }
  return {}
}

describe('a Colleague list of sections', () => {
  it('in words is read with texts, times and seats', async () => {
    const { sections } = believed(await open(IN_WORDS).lane.sections(GROUP))
    expect(sections.map((section) => [section.section_key, judge(section)])).toMatchObject([
      ['71117', { section_key: '71117', status: 'open', seats_available: 3, capacity: 30, waitlist_available: null }],
      [
        '71118',
        { section_key: '71118', status: 'waitlisted', seats_available: 2, capacity: 20, waitlist_available: null },
      ],
      ['71119', { section_key: '71119', status: 'closed', seats_available: 0, capacity: 28, waitlist_available: null }],
    ])
    expect(sections[0]).toMatchObject({
      subject: 'MATH',
      code: 'MATH',
      level: '1010',
      title: 'Algebra & Geometry',
      section: '3A01',
      instruction_list: [
        { name: 'Germain, S', days_times: 'MoWeFr 8:30AM - 9:20AM, TuTh 1:00PM - 2:15PM' },
        { name: 'Noether, E', days_times: 'MoWeFr 8:30AM - 9:20AM, TuTh 1:00PM - 2:15PM' },
      ],
      instruction_mode: 'Lecture, Laboratory',
    })
    expect(sections[1]).toMatchObject({
      title: 'Topics',
      topic: 'Knots',
      instruction_list: [{ name: 'TBA', days_times: 'TBA' }],
    })
  })

  it("has the term's last day, from any of its rows", async () => {
    expect(believed(await open(IN_WORDS).lane.sections(GROUP)).term_ends_on).toBe('2026-12-22')
    const numbers = open({ 'Courses/SearchAsync': () => new Response(fixture('sections-in-numbers.json')) })
    const group = groupOf({ term: '26/FA', subject: 'MATH' })
    expect(believed(await numbers.lane.sections(group)).term_ends_on).toBe('2026-12-22')
    const { value } = await firstPage(open(IN_WORDS).lane)
    expect(value?.known === true && value.value.term_ends_on).toBe('2026-12-22')
  })

  it("with placeholders for the term's days has none", async () => {
    const { Sections } = JSON.parse(fixture('sections-in-words.json')) as { Sections: Record<string, unknown>[] }
    const day = '2026-01-01T00:00:00-05:00'
    const Term = { Code: '2026FA', StartDate: day, EndDate: day }
    const answers = {
      ...IN_WORDS,
      'Courses/PostSearchCriteria': () => page({ Sections: Sections.map((row) => ({ ...row, Term })) }),
    }
    expect(believed(await open(answers).lane.sections(GROUP)).term_ends_on).toBeUndefined()
  })

  it('in numbers is recognized by a call that the school does not know', async () => {
    const { lane, asked } = open({
      'Courses/SearchAsync': () => new Response(fixture('sections-in-numbers.json')),
    })
    const { sections } = believed(await lane.sections(groupOf({ term: '26/FA', subject: 'MATH' })))
    expect(sections.map((section) => judge(section).status)).toEqual(['open', 'waitlisted', 'closed'])
    expect(asked.map(({ path }) => path)).toEqual(['Courses', 'Courses/PostSearchCriteria', 'Courses/SearchAsync'])
    const { searchParameters } = asked.at(-1)?.body ?? {}
    expect(JSON.parse(String(searchParameters))).toMatchObject({ terms: ['26/FA'], subjects: ['MATH'], pageNumber: 1 })
    expect(asked[1]?.body).not.toHaveProperty('searchParameters')
  })

  it('is requested with the token and the cookie of the first page', async () => {
    const { lane, asked } = open(IN_WORDS, { api: 'PostSearchCriteria' })
    believed(await lane.sections(GROUP))
    expect(asked).toHaveLength(2)
    expect(asked[1]).toMatchObject({
      token: 'Example-Token_0123456789',
      cookie: '.ColleagueSelfServiceAntiforgery=c1',
      body: { terms: ['2026FA'], subjects: ['MATH'], searchResultsView: 'SectionListing' },
    })
    for (const word of [asked[1]?.body?.['sortOn'], asked[1]?.body?.['sortDirection']]) expect(word).not.toBe('')
  })

  it('is requested once more if the token has expired, and only once', async () => {
    let calls = 0
    const over = () => new Response('The required antiforgery token could not be validated.', { status: 400 })
    const once = open({ ...IN_WORDS, 'Courses/PostSearchCriteria': () => (calls++ === 0 ? over() : page({})) })
    believed(await once.lane.sections(GROUP))
    expect(once.asked.map(({ path }) => path.replace('Courses/', ''))).toEqual([
      'Courses',
      'PostSearchCriteria',
      'Courses',
      'PostSearchCriteria',
    ])
    const always = open({ 'Courses/PostSearchCriteria': over })
    expect(await always.lane.sections(GROUP)).toMatchObject({ known: false, reason: 'session_lost' })
    expect(always.asked).toHaveLength(4)
  })

  it.each([
    ['a sign-in page', () => new Response('<html>Sign in</html>'), 'not_the_protocol'],
    ['its own error', () => page({ ErrorMessage: 'Search is not available.' }), 'not_the_protocol'],
    ['courses without their sections', () => page({ Sections: null, Courses: [{ Id: '546' }] }), 'not_the_protocol'],
    ['nothing under its name', () => page({ Sections: null }), 'not_the_protocol'],
    ['a list', () => Response.json([]), 'incomplete'],
    ['nothing', () => new Response(''), 'incomplete'],
    ['another page', () => page({ CurrentPageIndex: 2 }), 'wrong_scope'],
    ['more pages than sections', () => page({ TotalPages: 1_000_000 }), 'not_the_protocol'],
    ['fewer sections than it counts', () => page({ TotalItems: 4 }), 'incomplete'],
    ['no sections, and a count', () => page({ Sections: [] }), 'incomplete'],
  ])('that is %s is unknown', async (_what, answer, reason) => {
    const { lane } = open({ ...IN_WORDS, 'Courses/PostSearchCriteria': answer })
    expect(await lane.sections(GROUP)).toMatchObject({ known: false, reason })
  })

  it('that is empty is believed the second time, if the school lists the term', async () => {
    const empty = () => page({ Sections: [], TotalItems: 0, TotalPages: 0 })
    const { lane, asked } = open({ ...IN_WORDS, 'Courses/PostSearchCriteria': empty })
    expect(believed(await lane.sections(GROUP))).toEqual({ sections: [] })
    expect(believed(await lane.sections(GROUP))).toEqual({ sections: [] })
    expect(asked).toHaveLength(1 + 2 + 1 + 2)
    expect(await lane.sections({ ...GROUP, term: '2027FA' })).toMatchObject({ known: false, reason: 'incomplete' })
    const watched = [{ section_key: '71117', level: '' }]
    const [seats] = await collected(lane.seats([{ group: GROUP, watched }], new Map()))
    expect(seats?.answer).toMatchObject({ known: false, reason: 'incomplete' })
  })

  it('with a row that names no section warns about it, returns the others in a poll, and is not complete', async () => {
    const rows = (JSON.parse(fixture('sections-in-words.json')) as { Sections: object[] }).Sections
    const answer = () => page({ Sections: rows.map((row, index) => (index === 1 ? { ...row, Id: null } : row)) })
    const { lane } = open({ ...IN_WORDS, 'Courses/PostSearchCriteria': answer })
    const watched = ['71117', '71118'].map((section_key) => ({ section_key, level: '' }))
    const [seats] = await collected(lane.seats([{ group: GROUP, watched }], new Map()))
    expect(seats?.answer).toMatchObject({ known: true, warnings: [expect.stringContaining('1 of 3 rows')] })
    expect(seats && believed(seats.answer).seen.map((seen) => [seen.section_key, judge(seen).status])).toEqual([
      ['71117', 'open'],
      // Nothing says that the other one is absent.
      ['71118', 'unknown'],
    ])
    expect(await lane.sections(GROUP)).toMatchObject({ known: false, reason: 'incomplete' })
  })

  it('of several colleges is limited to the locations of one, row by row', async () => {
    const { lane, asked } = open(IN_WORDS, { location: 'M, X' })
    const answer = believed(await lane.sections(GROUP))
    expect(answer.sections.map(({ section_key }) => section_key)).toEqual(['71117'])
    expect(asked.at(-1)?.body).toMatchObject({ locations: ['M', 'X'] })
  })
})

describe('a Colleague list of courses', () => {
  const answers: Answers = {
    'Courses/PostSearchCriteria': () => new Response(fixture('courses.json')),
    'Courses/Sections': () => new Response(fixture('course.json')),
  }

  it('leads to the sections of each, which are requested by course', async () => {
    const { lane, asked } = open(answers)
    const { sections } = believed(await lane.sections(GROUP))
    expect(sections).toHaveLength(1)
    expect(sections[0]).toMatchObject({
      section_key: '71117',
      code: 'MATH',
      level: '1010',
      title: 'Algebra',
      instruction_list: [{ name: 'Noether, E', days_times: 'MoWe 7:00PM - 8:15PM' }],
    })
    expect(asked.at(-1)).toMatchObject({ path: 'Courses/Sections', body: { courseId: '546', sectionIds: ['71117'] } })
  })

  it('of the older generation leads there as well', async () => {
    const { SectionsRetrieved } = JSON.parse(fixture('course.json')) as { SectionsRetrieved: object }
    const { lane, asked } = open(
      {
        'Courses/SearchAsync': () => new Response(fixture('courses.json')),
        'Courses/SectionsAsync': () => Response.json(SectionsRetrieved),
      },
      { api: 'SearchAsync' },
    )
    expect(believed(await lane.sections(GROUP)).sections).toHaveLength(1)
    expect(asked.map(({ path }) => path)).toEqual(['Courses', 'Courses/SearchAsync', 'Courses/SectionsAsync'])
  })

  it('is found at a school that has moved to the other generation, whatever the settings say', async () => {
    const { lane, asked } = open(answers, { api: 'SearchAsync' })
    expect(believed(await lane.sections(GROUP)).sections).toHaveLength(1)
    believed(await lane.sections(GROUP))
    expect(asked.map(({ path }) => path)).toEqual([
      'Courses',
      'Courses/SearchAsync',
      'Courses/PostSearchCriteria',
      'Courses/Sections',
      'Courses/PostSearchCriteria',
      'Courses/Sections',
    ])
    const gone = open({}, { api: 'SearchAsync' })
    expect(await gone.lane.sections(GROUP)).toMatchObject({ known: false, why: 'The school returned status 404.' })
    expect(gone.asked.map(({ path }) => path)).toEqual(['Courses', 'Courses/SearchAsync', 'Courses/PostSearchCriteria'])
  })

  it('leads a poll only to the courses of watched sections', async () => {
    const { lane, asked } = open(answers)
    const watched = [{ section_key: '5', level: '' }]
    const [seats] = await collected(lane.seats([{ group: GROUP, watched }], new Map()))
    expect(seats?.answer).toMatchObject({ known: true, value: { seen: [] } })
    expect(asked.map(({ path }) => path)).toEqual(['Courses', 'Courses/PostSearchCriteria'])
  })
})

describe('a Colleague course that has sections and shows none', () => {
  const listed = JSON.parse(fixture('courses.json')) as { Courses: Record<string, unknown>[] }
  const [course] = listed.Courses
  const Courses = [{ ...course, Id: '12_3', MatchingSectionIds: ['2'] }, course]
  const answers: Answers = {
    'Courses/PostSearchCriteria': () => Response.json({ ...listed, Courses, TotalItems: 2 }),
    'Courses/Sections': ({ body }) =>
      body?.['courseId'] === '546'
        ? new Response(fixture('course.json'))
        : Response.json({ SectionsRetrieved: { TermsAndSections: [], Course: null } }),
  }
  const why = 'We asked for 1 sections of a course, and 0 came.'
  const poll = async (keys: string[], sizes = new Map<string, number>()) => {
    const { lane, asked } = open(answers)
    const watched = keys.map((section_key) => ({ section_key, level: '' }))
    const other = { group: groupOf({ term: '2026FA', subject: 'NONE' }), watched }
    const groups = sizes.size === 0 ? [{ group: GROUP, watched }] : [{ group: GROUP, watched }, other]
    const [seats] = await collected(lane.seats(groups, sizes))
    return { answer: seats?.answer, asked }
  }

  it.each<[string, Map<string, number>?]>([
    ['a search of the subject'],
    ['a search of the term', new Map([['/2026FA', 1]])],
  ])('leaves only its own sections in doubt in %s', async (_what, sizes) => {
    const { answer, asked } = await poll(['71117', '2'], sizes)
    const { seen } = answer ? believed(answer) : fail()
    expect(seen.map((one) => [one.section_key, judge(one).status, one.doubts])).toEqual([
      ['71117', 'open', []],
      ['2', 'unknown', [why]],
    ])
    // The visit goes on.
    expect(asked.map(({ path }) => path).slice(0, 4)).toEqual([
      'Courses',
      'Courses/PostSearchCriteria',
      'Courses/Sections',
      'Courses/Sections',
    ])
  })

  it('is what a list of the subject says is lost; the rest is listed', async () => {
    const { sections, whyIncomplete } = believed(await open(answers).lane.sections(GROUP))
    expect([sections.map(({ section_key }) => section_key), whyIncomplete]).toEqual([['71117'], why])
    const { lane } = open({ ...answers, 'Courses/Sections': () => Response.json({ TermsAndSections: [] }) })
    expect(await lane.sections(GROUP)).toMatchObject({ known: false, reason: 'incomplete', why })
    const pages = open(answers).lane.wholeTerm?.(GROUP) ?? fail()
    expect(await collected(pages)).toMatchObject([{ known: false, reason: 'incomplete', why }])
  })

  it('is unknown if nothing else is watched, and by its details', async () => {
    expect((await poll(['2'])).answer).toMatchObject({ known: false, reason: 'incomplete', why })
    expect((await poll(['2'], new Map([['/2026FA', 1]]))).answer).toMatchObject({ known: false, reason: 'incomplete' })
    expect(await open(answers).lane.details?.(GROUP, '2')).toMatchObject({ known: false, reason: 'incomplete', why })
  })
})

describe('a Colleague course whose request fails', () => {
  const keys = ['101', '102', '103', '104', '105']
  const list = JSON.parse(fixture('courses.json')) as object
  const Courses = keys.map((key) => ({ Id: `C${key}`, SubjectCode: 'MATH', Number: key, MatchingSectionIds: [key] }))
  const course = fixture('course.json')

  /** Polls all sections, and tells the status of each and which courses were requested; why, if nothing is known. */
  async function poll(failing: ReadonlyMap<string, () => Response>) {
    const { lane, asked } = open({
      'Courses/PostSearchCriteria': () => Response.json({ ...list, Courses, TotalItems: keys.length }),
      'Courses/Sections': ({ body }) => {
        const key = String(body?.['courseId']).slice(1)
        return failing.get(key)?.() ?? new Response(course.replace('"Id": "71117"', `"Id": "${key}"`))
      },
    })
    const watched = keys.map((section_key) => ({ section_key, level: '' }))
    const [seats] = await collected(lane.seats([{ group: GROUP, watched }], new Map()))
    const answer = seats?.answer ?? fail()
    const courses = asked.flatMap(({ body }) => (body?.['courseId'] === undefined ? [] : [body['courseId']]))
    if (!answer.known) return { why: answer.why, courses }
    const statuses = new Map(answer.value.seen.map((one) => [one.section_key, judge(one).status]))
    return { statuses: keys.map((key) => statuses.get(key)), courses }
  }
  const error = () => new Response('', { status: 500 })
  const page = () => new Response('<html>An error has occurred</html>')

  it('leaves only its own sections in doubt', async () => {
    for (const answer of [error, page]) {
      const { statuses } = await poll(
        new Map([
          ['101', answer],
          ['104', answer],
        ]),
      )
      expect(statuses).toEqual(['unknown', 'open', 'open', 'unknown', 'open'])
    }
  })

  it('ends the search if the next one fails too, or if the school asks us to wait', async () => {
    const failed = await poll(new Map(keys.slice(1).map((key) => [key, error])))
    expect(failed).toEqual({ why: 'The school returned status 500.', courses: ['C101', 'C102', 'C103'] })
    const limit = () => new Response('', { status: 429, headers: { 'retry-after': '60' } })
    const limited = await poll(new Map([['101', limit]]))
    expect(limited).toEqual({ why: 'The school returned status 429: ask again in 60 s.', courses: ['C101'] })
  })
})

it('the free seats of a Colleague section are never computed from its other figures', () => {
  const [row] = (JSON.parse(fixture('sections-in-words.json')) as { Sections: object[] }).Sections
  const read = readRow({ ...row, AvailabilityStatus: 'Closed', Available: null, Capacity: 30, Enrolled: 20 })
  expect(read && judge(read.section)).toMatchObject({ status: 'closed', seats_available: null, capacity: 30 })
})

describe('a Colleague poll of several subjects', () => {
  const [row] = (JSON.parse(fixture('sections-in-words.json')) as { Sections: object[] }).Sections
  const subjects = ['ART', 'BIO', 'CHE']
  const rows = subjects.map((SubjectCode, index) => ({
    ...row,
    Id: String(index + 1),
    Course: { Id: SubjectCode, SubjectCode, Number: '1', Title: 'A course' },
  }))
  const watched = subjects.map((subject, index) => ({
    group: groupOf({ term: '2026FA', subject }),
    watched: [{ section_key: String(index + 1), level: '' }],
  }))
  const search =
    (pageSize: number): Answers[string] =>
    ({ body }) => {
      const [subject] = (body?.['subjects'] ?? []) as string[]
      const found = rows.filter(({ Course }) => subject === undefined || Course.SubjectCode === subject)
      const number = Number(body?.['pageNumber'])
      return Response.json({
        Sections: found.slice((number - 1) * pageSize, number * pageSize),
        ErrorMessage: '',
        TotalItems: found.length,
        TotalPages: Math.ceil(found.length / pageSize),
        CurrentPageIndex: number,
      })
    }
  const poll = async (pageSize: number, sizes: ReadonlyMap<string, number>) => {
    let now = 0
    const { fetch, asked } = fakeColleague({ 'Courses/PostSearchCriteria': search(pageSize) })
    const { lane } = openCounted(colleague, FAKE_COLLEAGUE, { fetch, now: () => ++now })
    const answers = await collected(lane.seats(watched, sizes))
    expect(answers.map(({ index }) => index).toSorted()).toEqual([0, 1, 2])
    for (const { answer } of answers) expect(believed(answer).seen.map((seen) => judge(seen).status)).toEqual(['open'])
    return asked.length - 1
  }

  it('searches each, or pages through the term if that takes fewer requests', async () => {
    expect(await poll(30, new Map())).toBe(3)
    expect(await poll(30, new Map([['/2026FA', 3]]))).toBe(1)
    expect(await poll(30, new Map([['/2026FA', 100_000]]))).toBe(3)
    // A school that cuts its pages short costs no more than a search each.
    expect(await poll(1, new Map([['/2026FA', 3]]))).toBe(3)
  })
})

describe('the details of a Colleague section', () => {
  it('are requested by its id, and unknown if the school returns others', async () => {
    const { lane, asked } = open(IN_WORDS)
    expect(judge(believed((await lane.details?.(GROUP, '71119')) ?? fail())).status).toBe('closed')
    expect(asked.at(-1)?.body).toMatchObject({ sectionIds: ['71119'], terms: ['2026FA'] })
    expect(await lane.details?.(GROUP, '99999')).toMatchObject({ known: false, reason: 'incomplete' })
  })
})

describe("a Colleague site's first page", () => {
  it.each([
    ['has no token', '<html><body>Welcome</body></html>', 'token'],
    ['is no page', '{}', 'something other'],
    ['has a token that no header can hold', '<input name="__RequestVerificationToken" value="a b c d e f g">', 'token'],
  ])('that %s leads no further', async (_what, body, why) => {
    const { lane, asked } = open({ Courses: () => new Response(body) })
    const answer = await lane.termsAndSchools()
    expect(answer).toMatchObject({ known: false, reason: 'not_the_protocol', why: expect.stringContaining(why) })
    expect(asked.map(({ path }) => path)).toEqual(['Courses', 'Courses'])
  })

  it('that moved is not followed, and the error names the new address', async () => {
    const headers = { location: 'https://example-ss.colleague.elluciancloud.com/Student/Courses' }
    const { lane, asked } = open({ Courses: () => new Response(null, { status: 301, headers }) })
    const why = 'The school sends us to another address, https://example-ss.colleague.elluciancloud.com.'
    expect(await lane.termsAndSchools()).toMatchObject({ known: false, reason: 'not_the_protocol', why })
    expect(asked.every(({ path }) => path === 'Courses')).toBe(true)
  })

  it('that requires a login says so', async () => {
    const { lane } = open({
      Courses: () => new Response(null, { status: 302, headers: { location: '/Student/Account/Login?ReturnUrl=x' } }),
      'Account/Login': () => new Response(fixture('catalog.html')),
    })
    expect(await lane.termsAndSchools()).toMatchObject({ known: false, why: 'The school asks visitors to sign in.' })
  })
})

describe("a Colleague school's terms and subjects", () => {
  it('are those that can be searched, by name, otherwise by code', async () => {
    const { lane } = open(IN_WORDS)
    const terms = await lane.termsAndSchools()
    expect(believed(terms).terms.map(({ code, year, season }) => `${code} ${season} ${year}`)).toEqual([
      '2026FA fall 2026',
      '27/SP spring 2027',
      'FA26 fall 2026',
      '2026FAW fall 2026',
    ])
    expect(terms).toMatchObject({ warnings: expect.arrayContaining([expect.stringContaining('Continuing Education')]) })
    expect(believed(await lane.subjects(GROUP))).toEqual({
      subjects: [
        { key: 'MATH', name: 'Mathematics' },
        { key: 'ART', name: 'Arts & Crafts' },
      ],
      careers: [''],
    })
    expect(await lane.subjects({ ...GROUP, term: '2031FA' })).toMatchObject({ known: false, reason: 'incomplete' })
  })

  it('are those of one college if the names of terms distinguish them', async () => {
    const terms = [
      { Item1: 'A', Item2: 'CCV Fall 2026' },
      { Item1: 'B', Item2: 'VTSU Fall 2026' },
    ]
    const filters = { ...(JSON.parse(fixture('filters.json')) as object), Terms: terms }
    const { lane } = open({ 'Courses/GetCatalogAdvancedSearch': () => Response.json(filters) }, { term_prefix: 'VTSU' })
    expect(believed(await lane.termsAndSchools()).terms.map(({ code }) => code)).toEqual(['B'])
  })

  it.each([
    ['F26', '', 'fall 2026'],
    ['W27', '', 'winter 2027'],
    ['SU26', '', 'summer 2026'],
    ['22/SPWZ', '', 'spring 2022'],
    ['2026FA', '2026 FA Undergraduate', 'fall 2026'],
    ['26FA', 'Fall 26/27 Semester', 'fall 2026'],
    ['27SP', 'Spring 26/27 Semester', 'spring 2027'],
    ['27WI', "Winter '26-'27", 'winter 2027'],
    ['26SU', 'Summer 26', 'summer 2026'],
    ['26FA12', 'Fall 26-12 Week', 'fall 2026'],
    ['27SP08', 'Spring 08 Week, 2027', 'spring 2027'],
    ['FA26', 'Fall 16-Week, 2026/2027', 'fall 2026'],
    ['S27', '', null],
    ['CE', 'Continuing Education', null],
  ])('term %s "%s" is %s', (code, name, expected) => {
    const term = readTerm(code, name)
    expect(term === null ? null : `${term.season} ${term.year}`).toBe(expected)
  })
})

describe('a Colleague address', () => {
  it.each([
    ['https://example-ss.colleague.elluciancloud.com/Student', null],
    ['https://selfservice.example.edu:8172/css', null],
    ['https://selfservice.example.edu', 'the path'],
    ['https://selfservice.example.edu/Student/Courses', '/Courses'],
    ['https://selfservice.example.edu/Student?a=1', 'end after its path'],
    ['http://selfservice.example.edu/Student', 'https'],
  ])('%s', (url, expected) => {
    const refusal = colleague.checkAddress(url)
    if (expected === null) expect(refusal).toBeNull()
    else expect(refusal).toContain(expected)
  })

  it('links to the catalog', () => {
    const section = { school: '', term: '2026FA', section_key: '71117' }
    expect(colleague.link(FAKE_COLLEAGUE, section)).toBe('https://selfservice.example.edu/Student/Courses')
  })
})

function fail(): never {
  throw new Error('there is no such call')
}
