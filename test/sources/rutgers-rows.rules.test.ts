import { describe, expect, it } from 'vitest'
import { judge } from '../../src/sources/judge.ts'
import { readInstruction } from '../../src/sources/rutgers/meetings.ts'
import { rutgers } from '../../src/sources/rutgers/rutgers.ts'
import { serve } from './kind-fixtures.ts'
import { believed, collected, groupOf, openCounted } from './lanes.ts'
import { rutgersFixtures } from './rutgers/fixtures.ts'

type Row = Record<string, unknown>
const { address, group: GROUP, files } = rutgersFixtures
const COURSES = JSON.parse(files['courses.json'] ?? '') as (Row & { sections: Row[] })[]

function open(altered: Readonly<Record<string, string>> = {}, tools: { memo?: string; now?: () => number } = {}) {
  return openCounted(rutgers, address, { fetch: serve(rutgersFixtures, altered), ...tools })
}

const listOf = (...indexes: unknown[]) => ({ 'openSections.json': JSON.stringify(indexes) })
const pollOf = (...keys: string[]) => [
  { group: GROUP, watched: keys.map((section_key) => ({ section_key, level: '' })) },
]
const statusesOf = async (lane: ReturnType<typeof open>['lane'], ...keys: string[]) => {
  const [seats] = await collected(lane.seats(pollOf(...keys), new Map()))
  if (seats === undefined) throw new Error('the group has no answer')
  return seats.answer.known ? seats.answer.value.seen.map((seen) => judge(seen).status) : seats.answer.reason
}

describe("Rutgers' courses", () => {
  it('are read with texts, times, rooms and marks', async () => {
    const { lane, asked } = open()
    const { sections } = believed(await lane.sections(GROUP))
    expect(sections).toMatchObject([
      {
        section_key: '04507',
        stated: 'open',
        subject: '198',
        code: '01:198',
        level: '105',
        title: 'GREAT INSIGHTS IN COMPUTER SCIENCE & LOGIC',
        number: '04507',
        section: '01',
        topic: '',
        flags: [],
        instruction_list: [
          { name: 'NOETHER', days_times: 'MoTh 12:10PM - 1:30PM' },
          { name: 'GERMAIN, SOPHIE', days_times: 'MoTh 12:10PM - 1:30PM' },
        ],
        instruction_mode: 'Hybrid',
        component: 'LEC, ONLINE INSTRUCTION(INTERNET)',
        campus: 'Busch',
        place: 'SEC 207',
        credits: '3',
      },
      {
        section_key: '04508',
        stated: 'closed',
        topic: 'KNOTS',
        flags: ['permission', 'combined'],
        instruction_list: [{ name: 'TBA', days_times: 'TBA' }],
        instruction_mode: 'Online',
      },
      {
        section_key: '00028',
        stated: 'open',
        code: '16:198',
        level: '500 LB',
        title: 'SEMINAR',
        // Without am and pm: from the morning's 10:20 until the afternoon's 1:00.
        instruction_list: [{ name: 'HOPPER', days_times: 'Su 10:20AM - 1:00PM' }],
        credits: 'Credits by arrangement',
      },
    ])
    expect(asked).toEqual([
      'https://classes.example.edu/soc/api/openSections.json?year=2026&term=9&campus=NB',
      'https://classes.example.edu/soc/api/courses.json?year=2026&term=9&campus=NB',
    ])
  })

  it('of a kind that is not known have no mode', async () => {
    const altered = { 'courses.json': (files['courses.json'] ?? '').replace('"H"', '"constructor"') }
    const [section] = believed(await open(altered).lane.sections(GROUP)).sections
    expect(section?.instruction_mode).toBe('')
  })

  it('are open by the list of open sections, whatever their own older copy says', async () => {
    const { sections } = believed(await open(listOf('04507', '04508', '00028')).lane.sections(GROUP))
    expect(sections.map(({ stated }) => stated)).toEqual(['open', 'open', 'open'])
  })

  it.each([
    ['nothing at all', { 'courses.json': '[]' }, 'incomplete'],
    ['a page', { 'courses.json': '<html>Maintenance</html>' }, 'incomplete'],
    [
      'of another campus',
      { 'courses.json': JSON.stringify(COURSES.map((course) => ({ ...course, mainCampus: 'NK' }))) },
      'wrong_scope',
    ],
    ['without a list of open sections', listOf(), 'incomplete'],
    ['with a list of open sections that has few of theirs', listOf('99999'), 'incomplete'],
    [
      'with a section that has no number',
      { 'courses.json': JSON.stringify(COURSES).replace('"04508"', '4508') },
      'incomplete',
    ],
    [
      'with a course that has no subject',
      { 'courses.json': JSON.stringify(COURSES).replace('"subject":"198"', '"subject":null') },
      'incomplete',
    ],
  ])('that are %s are unknown', async (_what, altered, reason) => {
    expect(await open(altered).lane.sections(GROUP)).toMatchObject({ known: false, reason })
  })

  it('of an empty subject are known to be none if the term has others', async () => {
    const { lane } = open({}, { now: () => 5 })
    const none = { sections: [], asked_at: 5 }
    expect(believed(await lane.sections({ ...GROUP, subject: '640' }))).toEqual(none)
  })

  it('of several subjects come with one answer, which says how old it is, for a minute', async () => {
    let now = 1000
    const { lane, asked } = open({}, { now: () => now })
    const askedAt = async (subject: string) => believed(await lane.sections({ ...GROUP, subject })).asked_at
    expect(await askedAt('198')).toBe(1000)
    now = 50_000
    expect([await askedAt('640'), await askedAt('198'), asked.length]).toEqual([1000, 1000, 2])
    now = 70_000
    expect([await askedAt('198'), asked.length]).toEqual([70_000, 4])
    const spring = believed(await lane.sections({ ...GROUP, term: '12027' }))
    expect([spring.asked_at, asked.length]).toEqual([70_000, 6])
  })

  it('of a whole term come in pages of whole subjects, and resume where they stopped', async () => {
    const subjects = ['640', '198', '750', '010']
    const courses = subjects.flatMap((subject, place) =>
      Array.from({ length: 240 }, (_, index) => ({
        ...COURSES[0],
        subject,
        sections: [{ index: String(10_000 + place * 1000 + index), number: '01', openStatus: false }],
      })),
    )
    const { lane, asked } = open({ 'courses.json': JSON.stringify(courses), ...listOf('10000') }, { now: () => 7 })
    const pages = (await collected(lane.wholeTerm?.(GROUP))).map(believed)
    expect(
      pages.map(({ sections, next }) => [[...new Set(sections.map(({ subject }) => subject))], sections.length, next]),
    ).toEqual([
      [['010', '198'], 480, '640'],
      [['640', '750'], 480, null],
    ])
    expect(asked).toHaveLength(2)
    const rest = (await collected(lane.wholeTerm?.(GROUP, '640'))).map(believed)
    expect(rest).toEqual(pages.slice(1))
  })

  it('with an unidentified one leave the others believed, and the term without its end', async () => {
    const { lane } = open({ 'courses.json': JSON.stringify(COURSES).replace('"04508"', '""') })
    const pages = await collected(lane.wholeTerm?.(GROUP))
    expect(pages.map(({ known }) => known)).toEqual([true, false])
    expect(pages[0] && believed(pages[0]).sections.map(({ number }) => number)).toEqual(['04507', '00028'])
  })
})

describe("Rutgers' list of open sections", () => {
  it('serves all groups of a term and campus with one request', async () => {
    const { lane, asked } = open()
    const other = groupOf({ term: '92026', school: 'NB', subject: '640' })
    const spring = groupOf({ term: '12027', school: 'NB', subject: '640' })
    const watched = [{ section_key: '09058', level: '' }]
    const groups = [...pollOf('04507', '04508', '00028'), { group: other, watched }, { group: spring, watched }]
    const answers = await collected(lane.seats(groups, new Map()))
    expect(answers.map(({ answer }) => believed(answer).seen.map((seen) => judge(seen).status))).toEqual([
      ['open', 'closed', 'open'],
      ['open'],
      ['open'],
    ])
    expect(asked.map((url) => new URL(url).search)).toEqual([
      '?year=2026&term=9&campus=NB',
      '?year=2027&term=1&campus=NB',
    ])
  })

  it.each([
    ['empty', '[]'],
    ['an object', '{}'],
    ['null', 'null'],
    ['a page', '<html></html>'],
    ['broken off', '["04507","045'],
    ['broken off between two', '["04507"'],
    ['with a number', '["04507",4508]'],
    ['with a short number', '["04507","4508"]'],
    ['with a long number', '["04507","045080"]'],
    ['with a word', '["04507","many"]'],
    ['with an empty word', '["04507",""]'],
    ['with a blank', '["04507"," 4508"]'],
    ['with null', '["04507",null]'],
    ['with true', '["04507",true]'],
    ['with a list', '["04507",["04508"]]'],
    ['with an object', '["04507",{"index":"04508"}]'],
    ['with a figure of another script', '["04507","٠٤٥٠٨"]'],
  ])('that is %s opens and closes nothing', async (_what, text) => {
    const { lane } = open({ 'openSections.json': text })
    expect(await statusesOf(lane, '04507', '04508')).toMatch(/^(?:incomplete|not_the_protocol)$/)
  })

  it('that suddenly loses more than a third is believed if it is seen again a minute later', async () => {
    const many = Array.from({ length: 90 }, (_, index) => String(10_000 + index))
    let now = 0
    let memo: string | undefined
    const poll = async (indexes: readonly string[]) => {
      const { lane } = open(listOf(...indexes), { now: () => now, ...(memo === undefined ? {} : { memo }) })
      const found = await statusesOf(lane, '10000', '10089')
      memo = lane.memo?.() ?? undefined
      return found
    }
    expect(await poll(many)).toEqual(['open', 'open'])
    now = 15_000
    expect(await poll(many.slice(0, 61))).toEqual(['open', 'closed'])
    now = 30_000
    expect(await poll(many.slice(0, 30))).toBe('incomplete')
    now = 45_000
    expect(await poll(many.slice(0, 30))).toBe('incomplete')
    now = 91_000
    expect(await poll(many.slice(0, 30))).toEqual(['open', 'closed'])
  })
})

describe("Rutgers' terms and subjects", () => {
  it('are the current term and later published ones', async () => {
    const published = new Set(['?year=2026&term=9&campus=NB', '?year=2027&term=1&campus=NB'])
    const fetch = serve(rutgersFixtures)
    const { lane, asked } = openCounted(rutgers, address, {
      fetch: (input, init) =>
        input.includes('openSections') && !published.has(new URL(input).search)
          ? Promise.resolve(new Response('[]'))
          : fetch(input, init),
    })
    const { terms, schools } = believed(await lane.termsAndSchools())
    expect(terms.map(({ code, name, season, year }) => [code, name, season, year])).toEqual([
      ['92026', 'Fall 2026', 'fall', 2026],
      ['12027', 'Spring 2027', 'spring', 2027],
    ])
    expect(schools.map(({ code }) => code)).toEqual(['NB', 'NK', 'CM'])
    expect(asked).toHaveLength(5)
  })

  it('are the subjects that the page names', async () => {
    const answer = await open().lane.subjects(GROUP)
    expect(believed(answer)).toEqual({
      subjects: [
        { key: '198', name: 'Computer Science' },
        { key: '640', name: 'Sets&Logic' },
      ],
      careers: [''],
    })
    expect(answer).toMatchObject({ warnings: ['Entries without a code are left out: 1 of 4.'] })
  })

  it.each([
    ['broken off', (page: string) => page.slice(0, page.indexOf('</div>'))],
    ['without data', () => '<html><body>Welcome</body></html>'],
    ['with data that is no JSON', (page: string) => page.replace('"units"', 'units')],
    ['without a current term', (page: string) => page.replace('"term": 9', '"term": 5')],
    ['without a year', (page: string) => page.replace('"year": 2026', '"year": "soon"')],
    ['without subjects', (page: string) => page.replace('"subjects"', '"topics"')],
    ['that is no page', () => '{}'],
  ])('of a page %s are unknown', async (_what, alter) => {
    const { lane } = open({ 'home.html': alter(files['home.html'] ?? '') })
    expect([(await lane.termsAndSchools()).known, (await lane.subjects(GROUP)).known]).toEqual([false, false])
  })
})

describe("Rutgers' times", () => {
  const times = (...meetings: Row[]) => readInstruction([{ name: 'X' }], meetings)?.[0]?.days_times

  it.each([
    [{ meetingDay: 'M', startTime: '0540', endTime: '0700', pmCode: 'P' }, 'Mo 5:40PM - 7:00PM'],
    [{ meetingDay: 'T', startTime: '1150', endTime: '0110', pmCode: 'A' }, 'Tu 11:50AM - 1:10PM'],
    [{ meetingDay: 'W', startTime: '1210', endTime: '0130', pmCode: 'P' }, 'We 12:10PM - 1:30PM'],
    [{ meetingDay: 'H', startTimeMilitary: '0830', endTimeMilitary: '0950' }, 'Th 8:30AM - 9:50AM'],
    [{ meetingDay: 'F', startTimeMilitary: '0830', endTimeMilitary: 'late' }, 'Fr 8:30AM'],
    [{ meetingDay: 'TH', startTimeMilitary: '0830', endTimeMilitary: '0950' }, 'TBA'],
    [{ meetingDay: 'S', startTimeMilitary: '2530', endTimeMilitary: '2650' }, 'TBA'],
    [{ meetingDay: '', startTime: '', endTime: '', pmCode: '' }, 'TBA'],
    [{}, 'TBA'],
  ])('%j', (meeting, expected) => expect(times(meeting)).toBe(expected))

  it('of a week are in order, days of the same hours together', () => {
    const at = { startTimeMilitary: '0830', endTimeMilitary: '0950' }
    const later = { meetingDay: 'M', startTimeMilitary: '1400', endTimeMilitary: '1520' }
    expect(times({ ...at, meetingDay: 'H' }, later, { ...at, meetingDay: 'T' })).toBe(
      'Mo 2:00PM - 3:20PM, TuTh 8:30AM - 9:50AM',
    )
    expect(readInstruction(undefined, [])).toBeNull()
    expect(readInstruction([], undefined)).toBeNull()
  })
})

describe("Rutgers' address", () => {
  it.each([
    ['https://classes.rutgers.edu/soc/api', null],
    ['https://classes.rutgers.edu/soc', '/soc/api'],
    ['http://classes.rutgers.edu/soc/api', 'https'],
  ])('%s', (url, expected) => {
    const refusal = rutgers.checkAddress(url)
    if (expected === null) expect(refusal).toBeNull()
    else expect(refusal).toContain(expected)
  })

  it('links to the section in the schedule, or to the schedule', () => {
    const section = { school: 'NB', term: '92026', section_key: '04507' }
    expect(rutgers.link(address, section)).toBe(
      'https://classes.example.edu/soc/#keyword?keyword=04507&semester=92026&campus=NB&level=U%2CG',
    )
    expect(rutgers.link(address, { ...section, section_key: '' })).toBe('https://classes.example.edu/soc/')
  })
})
