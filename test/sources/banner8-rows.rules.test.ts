import { describe, expect, it } from 'vitest'
import { known, unknown } from '../../src/sources/answer.ts'
import { banner8 } from '../../src/sources/banner8/banner8.ts'
import { readSeats } from '../../src/sources/banner8/seats.ts'
import { readTitle } from '../../src/sources/banner8/title.ts'
import { readTerm } from '../../src/sources/banner8/lane.ts'
import { judge, NO_FIGURES } from '../../src/sources/judge.ts'
import { PollNotes } from '../../src/sources/poll-notes.ts'
import { BudgetSpent, type Status } from '../../src/sources/source.ts'
import { banner8Fixtures } from './banner8/fixtures.ts'
import { detailsHtml, LISTING, SUBJECTS, TERMS } from './banner8/pages.ts'
import { believed, collected, openCounted } from './lanes.ts'

type Answers = Record<string, (query: URLSearchParams) => string | Response>

const { address, group, files } = banner8Fixtures
const OPEN = { heading: 'Algebra - 10001 - MATH 1010 - A01', seats: [30, 27, 3], waiting: [20, 0, 20] } as const
const NOTHING =
  '<HTML><BODY><SPAN class="warningtext">No classes were found that meet your search criteria</SPAN></BODY></HTML>'
const GONE = '<HTML><BODY><SPAN class="warningtext">No detailed class information found</SPAN></BODY></HTML>'
const WHOLE: Answers = {
  'bwckschd.p_disp_dyn_sched': () => TERMS,
  'bwckgens.p_proc_term_date': () => SUBJECTS,
  'bwckschd.p_get_crse_unsec': () => LISTING,
  'bwckctlg.p_disp_listcrse': () => LISTING,
  'bwckschd.p_disp_detail_sched': (query) => files[query.get('crn_in') ?? ''] ?? GONE,
}

/** A school in memory. `asked` has procedure and query, or form, of every call. */
function open(
  answers: Answers = WHOLE,
  settings: Record<string, string> = {},
  budget: () => Promise<void> = async () => {},
) {
  const asked: string[] = []
  const fetch = async (input: string, init: RequestInit): Promise<Response> => {
    const { pathname, search } = new URL(input)
    const sent = init.body instanceof URLSearchParams ? `?${init.body}` : search
    const procedure = pathname.replace('/PROD/', '')
    asked.push(`${procedure}${sent}`)
    const given = answers[procedure]?.(new URLSearchParams(sent))
    if (given === undefined) return new Response('', { status: 404 })
    return given instanceof Response ? given : new Response(given, { headers: { 'content-type': 'text/html' } })
  }
  let sent = 0
  const spend = async (): Promise<void> => {
    await budget()
    sent++
  }
  const { lane } = openCounted(banner8, { ...address, settings }, { fetch })
  const spending = banner8.openLane({ ...address, settings }, { fetch, budget: spend, now: () => 0, timeout_ms: 500 })
  return { lane, spending, asked, sent: () => sent }
}

const watching = (...keys: string[]) => [{ group, watched: keys.map((section_key) => ({ section_key, level: '' })) }]
const poll = async (lane: ReturnType<typeof open>['lane'], ...keys: string[]) => {
  const [seats] = await collected(lane.seats(watching(...keys), new Map()))
  if (seats === undefined) throw new Error('The group has no answer.')
  return seats.answer
}
const detailsOf = (html: string): Answers => ({ ...WHOLE, 'bwckschd.p_disp_detail_sched': () => html })

describe('a Banner 8 list of classes', () => {
  it('without a class says so, and is not believed', async () => {
    const listing = '<html><table summary="sections found"><tr><td>Fall 2026</td></tr></table></html>'
    expect(await open({ ...WHOLE, 'bwckschd.p_get_crse_unsec': () => listing }).lane.sections(group)).toMatchObject({
      known: false,
      why: 'The list of classes has no row that can be used.',
    })
  })

  it('gives an empty range of credits as one number', async () => {
    const listing = LISTING.replace(/1\.000 TO 3\.000/i, '1.000 TO 1.000')
    expect(listing).not.toBe(LISTING)
    const { sections } = believed(
      await open({ ...WHOLE, 'bwckschd.p_get_crse_unsec': () => listing }).lane.sections(group),
    )
    expect(sections[1]).toMatchObject({ credits: '1' })
  })

  it('is read with texts, times, places and dates, but no seats', async () => {
    const { sections } = believed(await open().lane.sections(group))
    expect(sections.map(({ section_key }) => section_key)).toEqual(['10001', '8145', '10003'])
    expect(sections.map((section) => judge(section).status)).toEqual(['unknown', 'unknown', 'unknown'])
    expect(sections[0]).toMatchObject({
      title: 'Topics - Knots & Links',
      code: 'MATH',
      level: '1010',
      section: 'A01',
      campus: 'Boston, Main',
      component: 'Lecture',
      instruction_mode: 'Online',
      credits: '1.5',
      place: 'Hall 210',
      starts_on: '2026-09-09',
      ends_on: '2026-12-04',
      instruction_list: [
        { name: 'Emmy Noether', days_times: 'MoWeTh 9:15AM - 10:20AM' },
        { name: 'Sophie Germain', days_times: 'MoWeTh 9:15AM - 10:20AM' },
      ],
      has_figures: false,
    })
    expect(sections[1]).toMatchObject({
      level: '2900H',
      credits: '1 - 3',
      component: 'Laboratory',
      place: '',
      instruction_list: [{ name: 'TBA', days_times: 'TBA' }],
    })
    expect(sections[2]).toMatchObject({ credits: '3', component: '', instruction_list: null })
  })

  it('is requested by the search with its dummy values first, or by the list of courses', async () => {
    const search = open()
    believed(await search.lane.sections(group))
    expect(search.asked).toEqual([
      'bwckschd.p_get_crse_unsec?term_in=202710&sel_subj=dummy&sel_day=dummy&sel_schd=dummy&sel_insm=dummy&sel_camp=dummy' +
        '&sel_levl=dummy&sel_sess=dummy&sel_instr=dummy&sel_ptrm=dummy&sel_attr=dummy&sel_subj=MATH&sel_crse=&sel_title=' +
        '&sel_schd=%25&sel_insm=%25&sel_from_cred=&sel_to_cred=&sel_camp=%25&sel_levl=%25&sel_ptrm=%25&sel_instr=%25' +
        '&sel_attr=%25&begin_hh=0&begin_mi=0&begin_ap=a&end_hh=0&end_mi=0&end_ap=a',
    ])
    const list = open(WHOLE, { route: 'bwckctlg.p_disp_listcrse' })
    believed(await list.lane.sections(group))
    expect(list.asked).toEqual(['bwckctlg.p_disp_listcrse?term_in=202710&subj_in=MATH&crse_in=%25&schd_in=%25'])
  })

  it.each<[string, string, string]>([
    ['a sign-in page', '<html><body>User Login</body></html>', 'not_the_protocol'],
    ['classes of another term', LISTING.replaceAll('term_in=202710', 'term_in=202630'), 'wrong_scope'],
    ['classes of another subject', LISTING.replaceAll('- MATH ', '- MATHS '), 'wrong_scope'],
    ['a class of another number than its link', LISTING.replace('crn_in=8145', 'crn_in=8146'), 'incomplete'],
    ['a class without a number', LISTING.replace('Algebra - 8145 - MATH 2900H - 01', 'Algebra'), 'incomplete'],
    ['broken off', LISTING.slice(0, LISTING.indexOf('10003')), 'incomplete'],
    ['broken off between classes', LISTING.slice(0, LISTING.indexOf('<tr>\n<th CLASS="ddtitle"', 2000)), 'incomplete'],
  ])('that is %s is unknown', async (_what, html, reason) => {
    const { lane } = open({ ...WHOLE, 'bwckschd.p_get_crse_unsec': () => html })
    expect(await lane.sections(group)).toMatchObject({ known: false, reason })
  })

  it('without results is requested once more', async () => {
    let calls = 0
    const { lane } = open({ ...WHOLE, 'bwckschd.p_get_crse_unsec': () => (calls++ === 0 ? NOTHING : LISTING) })
    expect(believed(await lane.sections(group)).sections).toHaveLength(3)
    const never = open({ ...WHOLE, 'bwckschd.p_get_crse_unsec': () => NOTHING })
    expect(believed(await never.lane.sections(group)).sections).toEqual([])
    expect(never.asked).toHaveLength(2)
  })

  it('of a shared site is limited to a campus, which the page of a class must also name', async () => {
    const chabot = { campus: 'Chabot', campus_code: 'C' }
    const html = LISTING.replace('Boston, Main Campus', 'Chabot College Campus')
    const { lane, asked } = open({ ...WHOLE, 'bwckschd.p_get_crse_unsec': () => html }, chabot)
    expect(believed(await lane.sections(group)).sections.map(({ section_key }) => section_key)).toEqual(['10001'])
    expect(asked[0]).toContain('&sel_camp=C&')
    expect(await open(WHOLE, chabot).lane.sections(group)).toMatchObject({ known: false, reason: 'wrong_scope' })
    const ours = detailsHtml({ ...OPEN, campus: 'Chabot College' })
    expect(believed((await open(detailsOf(ours), chabot).lane.details?.(group, '10001')) ?? fail()).doubts).toEqual([])
    for (const campus of ['Las Positas College', 'Chabots', '']) {
      const answer = await open(detailsOf(detailsHtml({ ...OPEN, campus })), chabot).lane.details?.(group, '10001')
      expect(answer).toMatchObject({ known: false, reason: 'wrong_scope' })
    }
  })

  it('is read with a hundred unclosed tags, but not with endlessly nested tables', async () => {
    const nested = (tag: string, times: number): string =>
      LISTING.replace('<TD CLASS="dddefault">', `$&${tag.repeat(times)}`)
    const { lane } = open({ ...WHOLE, 'bwckschd.p_get_crse_unsec': () => nested('<b>', 100) })
    expect(believed(await lane.sections(group)).sections).toEqual(believed(await open().lane.sections(group)).sections)
    // Quadratic time would take more than a minute.
    const endless = [
      [nested('<table>', 400_000), 'incomplete'],
      ['<table>'.repeat(400_000), 'not_the_protocol'],
    ] as const
    for (const [html, reason] of endless) {
      const deep = open({ ...WHOLE, 'bwckschd.p_get_crse_unsec': () => html })
      expect(await deep.lane.sections(group)).toMatchObject({ known: false, reason })
    }
  })
})

describe('the heading of a Banner 8 class', () => {
  it.each([
    ['Algebra - 8145 - MATH 1010 - 01', ['Algebra', '8145', 'MATH', '1010', '01']],
    [
      'Bioprinting - 3D printing - 10467 - BME 401B - A01',
      ['Bioprinting - 3D printing', '10467', 'BME', '401B', 'A01'],
    ],
    ['Fall - 2026 - A 1 - 10468 - A&S 12 - H1', ['Fall - 2026 - A 1', '10468', 'A&S', '12', 'H1']],
    ['Study - 10469 - E S 344 -', ['Study', '10469', 'E S', '344', '']],
  ])('%s', (heading, [title, number, subject, level, section]) => {
    expect(readTitle(heading)).toEqual({ title, number, subject, level, section })
  })

  it.each(['', 'Algebra', 'Algebra - 10001', 'Algebra - 10001 - MATH - 01', 'Algebra - X10001 - MATH 1 - 01'])(
    'that is "%s" names no section',
    (heading) => expect(readTitle(heading)).toBeNull(),
  )
})

describe('the page of a Banner 8 class', () => {
  const statusOf = async (html: string): Promise<Status> => {
    const answer = await open(detailsOf(html)).lane.details?.(group, '10001')
    return answer?.known ? judge(answer.value).status : 'unknown'
  }

  it.each<[string, Partial<Parameters<typeof detailsHtml>[0]>, Status]>([
    ['a seat, and no one waits', {}, 'open'],
    ['a seat, and someone waits', { waiting: [20, 1, 19] }, 'waitlisted'],
    ['a seat, in a full room', { shared: [50, 58, -8] }, 'waitlisted'],
    ['a seat, in a full room, without a list', { shared: [50, 50, 0], waiting: [0, 0, 0] }, 'closed'],
    ['a seat, in a room with seats', { shared: [50, 49, 1] }, 'open'],
    ['no seat, and a list', { seats: [30, 30, 0] }, 'waitlisted'],
    ['no seat, and no list', { seats: [30, 33, -3], waiting: [0, 0, 0] }, 'closed'],
    ['seats that do not add up', { seats: [30, 28, 3] }, 'unknown'],
    ['a list that does not add up', { waiting: [20, 1, 20] }, 'unknown'],
    ['a room that does not add up', { shared: [50, 49, 9] }, 'unknown'],
    ['a figure that is none', { seats: [30, '&nbsp;', 3] }, 'unknown'],
    ['fewer than no people who wait', { waiting: [20, -1, 21] }, 'unknown'],
  ])('with %s', async (_what, fields, status) => {
    expect(await statusOf(detailsHtml({ ...OPEN, ...fields }))).toBe(status)
  })

  it('is read by the labels of rows and columns, in any order', async () => {
    const html = detailsHtml({ ...OPEN, seats: [30, 30, 0], waiting: [20, 4, 16], shared: [50, 49, 1] })
    const turned = html
      .replace('>Seats<', '>X<')
      .replace('>Waitlist Seats<', '>Seats<')
      .replace('>X<', '>Waitlist Seats<')
    const look = async (page: string) =>
      believed((await open(detailsOf(page)).lane.details?.(group, '10001')) ?? fail())
    expect((await look(turned)).figures).toMatchObject({ capacity: 20, enrolled: 4, available: 16, waitlist_total: 30 })
    const columns = html.replace('>Actual<', '>X<').replace('>Capacity<', '>Actual<').replace('>X<', '>Capacity<')
    expect((await look(columns)).figures).toMatchObject({ capacity: 30, enrolled: 30, waitlist_capacity: 4 })
    expect((await look(html)).flags).toEqual(['combined'])
  })

  it.each<[string, (html: string) => string]>([
    ['its row of seats', (html) => html.replace('>Seats<', '>Places<')],
    ['its row of the waitlist', (html) => html.replace(/<tr>\s*<th[^>]*><SPAN[^>]*>Waitlist Seats[^]*?<\/tr>/, '')],
    ['its row of the room', (html) => html.replace(/<tr>\s*<th[^>]*><SPAN[^>]*>Cross List Seats[^]*?<\/tr>/, '')],
    ['a title of a column', (html) => html.replace('>Remaining<', '>Left<')],
    ['a title for each figure', (html) => html.replace('>3</td>', '>3</td><td CLASS="dddefault">9</td>')],
    ['a figure', (html) => html.replace('<td CLASS="dddefault">27</td>', '')],
    ['its table of seats', (html) => html.replace('seating numbers', 'other numbers')],
    ['its heading', (html) => html.replace('10001', '10002')],
    ['its subject', (html) => html.replace('MATH 1010', 'ART 1010')],
    ['its term', (html) => html.replaceAll('term_in=202710', 'term_in=202630')],
    ['its end', (html) => html.slice(0, html.lastIndexOf('</table>'))],
    ['all of it', () => GONE],
  ])('without %s is unknown', async (_what, alter) => {
    const html = detailsHtml({ ...OPEN, shared: [50, 47, 3] })
    expect(alter(html)).not.toBe(html)
    expect(await statusOf(html)).toBe('open')
    expect(await statusOf(alter(html))).toBe('unknown')
  })

  it('without a row for the waitlist is read if the operator says that the school has none', async () => {
    const html = detailsHtml(OPEN).replace(/<tr>\s*<th[^>]*><SPAN[^>]*>Waitlist Seats[^]*?<\/tr>/, '')
    const { lane } = open(detailsOf(html), { waiting_list: 'none' })
    const seen = believed((await lane.details?.(group, '10001')) ?? fail())
    expect(judge(seen)).toMatchObject({ status: 'open', seats_available: 3, waitlist_available: null })
    const listed = open(detailsOf(detailsHtml({ ...OPEN, waiting: [20, 1, 19] })), { waiting_list: 'none' })
    expect(judge(believed((await listed.lane.details?.(group, '10001')) ?? fail())).status).toBe('waitlisted')
  })

  it('with colons after its labels is read as well', async () => {
    const html = detailsHtml(OPEN).replace('>Seats<', '>Seats:<').replace('>Waitlist Seats<', '>Waitlist Seats :<')
    expect(await statusOf(html)).toBe('open')
  })

  it('in another charset is read', async () => {
    const html = detailsHtml({ ...OPEN, heading: 'Zoë - 10001 - MATH 1010 - A01' })
    const bytes = Uint8Array.from(html, (character) => character.charCodeAt(0))
    const answer = await open({ ...WHOLE, 'bwckschd.p_disp_detail_sched': () => new Response(bytes) }).lane.details?.(
      group,
      '10001',
    )
    expect(judge(believed(answer ?? fail())).status).toBe('open')
  })
})

describe('a Banner 8 poll', () => {
  it('requests each section once, in any order, and returns them all', async () => {
    const { lane, asked } = open()
    const { seen } = believed(await poll(lane, '10001', '8145', '10003'))
    expect(new Map(seen.map((one) => [one.section_key, judge(one).status]))).toEqual(
      new Map([
        ['10001', 'open'],
        ['8145', 'closed'],
        ['10003', 'waitlisted'],
      ]),
    )
    expect(asked).toHaveLength(3)
    expect(asked.toSorted()[0]).toBe('bwckschd.p_disp_detail_sched?term_in=202710&crn_in=10001')
  })

  it('returns the others if one is missing, which is unknown and never closed', async () => {
    const { seen } = believed(await poll(open().lane, '10001', '99999'))
    expect(new Map(seen.map((one) => [one.section_key, judge(one).status]))).toEqual(
      new Map([
        ['10001', 'open'],
        ['99999', 'unknown'],
      ]),
    )
    expect(await poll(open().lane, '99999')).toMatchObject({ known: false, reason: 'incomplete' })
  })

  it('stops at a school that is down, and says so for all sections it has not read', async () => {
    const down = open({ ...WHOLE, 'bwckschd.p_disp_detail_sched': () => new Response('', { status: 500 }) })
    expect(await poll(down.lane, '1', '2', '3', '4')).toMatchObject({ known: false, reason: 'http_error' })
    expect(down.asked).toHaveLength(2)
    const limited = new Response('', { status: 429, headers: { 'retry-after': '5' } })
    let calls = 0
    const half = open({
      ...WHOLE,
      'bwckschd.p_disp_detail_sched': (query) => (calls++ === 0 ? (files[query.get('crn_in') ?? ''] ?? GONE) : limited),
    })
    const { seen } = believed(await poll(half.lane, '10001', '8145', '10003'))
    expect(seen).toHaveLength(3)
    expect(seen.filter((one) => judge(one).status === 'unknown')).toHaveLength(2)
    expect(half.asked).toHaveLength(2)
  })

  it('fails before the budget is spent on other groups that can be read', async () => {
    let asked = 0
    const ask = () => {
      asked += 1
      if (asked > 4) throw new BudgetSpent(1)
      return Promise.resolve(unknown('incomplete', 'The school says: no such section.'))
    }
    const answers: boolean[] = []
    const reading = async () => {
      for await (const { answer } of readSeats(
        ask,
        { now: Date.now },
        watching('1', '2', '3', '4', '5'),
        new PollNotes(null),
      ))
        answers.push(answer.known)
    }
    await expect(reading()).rejects.toThrow(BudgetSpent)
    expect(answers).toEqual([false])
  })

  it('leaves a group to the next conversation if this one would end too soon', async () => {
    let now = Date.parse('2026-11-21T12:00:00Z')
    const asked: string[] = []
    const ask = (_group: unknown, key: string) => {
      asked.push(key)
      now += 500
      return Promise.resolve(known({ section_key: key, stated: null, figures: NO_FIGURES, doubts: [] }))
    }
    const groups = [...watching('1', '2', '3'), ...watching('4', '5', '6', '7')]
    const tools = { now: () => now, deadline: now + 3000 }
    await expect(collected(readSeats(ask, tools, groups, new PollNotes(null)))).rejects.toThrow(BudgetSpent)
    expect(asked.toSorted()).toEqual(['1', '2', '3'])
  })

  describe('that does not fit into one poll', () => {
    /** Reads as many sections a poll, until all were read or there were as many polls. Returns how many it took. */
    async function pollsUntilRead(keys: string[], aPoll: number, stepMs: number, most: number): Promise<number> {
      let memo: string | null = null
      const read = new Set<string>()
      for (let polls = 1; polls <= most; polls++) {
        const notes = new PollNotes(memo)
        let left = aPoll
        const ask = (_group: unknown, key: string) => {
          if (left-- === 0) return Promise.reject(new BudgetSpent(0))
          read.add(key)
          return Promise.resolve(known({ section_key: key, stated: null, figures: NO_FIGURES, doubts: [] }))
        }
        const now = Date.parse('2026-11-21T12:00:00Z') + polls * stepMs
        await collected(readSeats(ask, { now: () => now }, watching(...keys), notes)).catch(() => [])
        memo = notes.text()
        if (read.size === keys.length) return polls
      }
      return Infinity
    }
    const numbers = (count: number) => Array.from({ length: count }, (_, at) => String(10001 + at))

    it.each([
      [40, 3, 18_300],
      [500, 15, 16_000],
      [500, 15, 61_000],
    ])('reads all of %i after the fewest polls, %i in each, every %i ms', async (count, aPoll, stepMs) => {
      expect(await pollsUntilRead(numbers(count), aPoll, stepMs, 1000)).toBe(Math.ceil(count / aPoll))
    })

    it('goes on after a section whose page does not come', async () => {
      let memo: string | null = null
      const firsts: string[] = []
      const keys = numbers(30)
      for (let round = 0; round < 30; round++) {
        const notes = new PollNotes(memo)
        const asked: string[] = []
        const ask = (_group: unknown, key: string) => {
          asked.push(key)
          return Promise.resolve(unknown('timeout', 'No answer.'))
        }
        await collected(readSeats(ask, { now: Date.now }, watching(...keys), notes))
        memo = notes.text()
        firsts.push(asked[0] ?? '')
      }
      expect(firsts).toEqual(keys)
    })
  })

  it('with an exhausted budget returns what it has read first, then reports the budget', async () => {
    let left = 2
    const spent = new BudgetSpent(5000)
    const school = open(WHOLE, {}, async () => {
      if (left-- <= 0) throw spent
    })
    const answers = school.spending
      .seats([...watching('10001', '8145', '10003'), ...watching('10001')], new Map())
      [Symbol.asyncIterator]()
    const { value } = await answers.next()
    const { seen } = believed(
      (value as { answer: Parameters<typeof believed<{ seen: Parameters<typeof judge>[0][] }>>[0] }).answer,
    )
    expect(seen.map((one) => judge(one).status)).toEqual(['open', 'closed', 'unknown'])
    await expect(answers.next()).rejects.toBe(spent)
    const none = open(WHOLE, {}, () => Promise.reject(spent))
    await expect(collected(none.spending.seats(watching('10001'), new Map()))).rejects.toBe(spent)
  })
})

describe("a Banner 8 school's terms and subjects", () => {
  it('are those of its forms; view-only terms are marked as such', async () => {
    const { lane, asked } = open()
    const terms = await lane.termsAndSchools()
    expect(
      believed(terms).terms.map(({ code, season, year, is_available }) => [code, season, year, is_available]),
    ).toEqual([
      ['202710', 'fall', 2026, true],
      ['202705', 'summer', 2026, true],
      ['202630', 'spring', 2026, false],
      ['202609', 'fall', 2025, false],
    ])
    expect(terms).toMatchObject({
      warnings: [expect.stringContaining('Do Not Use'), expect.stringContaining('Continuing')],
    })
    expect(believed(await lane.subjects(group)).subjects).toEqual([
      { key: 'MATH', name: 'Mathematics' },
      { key: 'ART', name: 'Arts & Crafts' },
    ])
    expect(asked[1]).toBe('bwckgens.p_proc_term_date?p_calling_proc=bwckschd.p_disp_dyn_sched&p_term=202710')
  })

  it.each([
    ['another page', '<html><body>Welcome</body></html>', 'not_the_protocol'],
    ['a form that breaks off', TERMS.slice(0, TERMS.indexOf('202630')), 'incomplete'],
    ['a form without any', TERMS.replaceAll(/<OPTION.*/g, ''), 'incomplete'],
  ])('are unknown where the school answers with %s', async (_what, html, reason) => {
    const { lane } = open({ 'bwckschd.p_disp_dyn_sched': () => html, 'bwckgens.p_proc_term_date': () => html })
    expect(await lane.termsAndSchools()).toMatchObject({ known: false, reason })
    expect((await lane.subjects(group)).known).toBe(false)
  })

  it.each([
    ['Second Term: Jan - Apr 2021', 'spring 2021'],
    ['Summer Session: May - Aug 2020', 'summer 2020'],
    ['Winter 2016 Law Quarter (View only)', 'winter 2016'],
    ['Faculty workload 2020', null],
  ])('term "%s" is %s', (label, expected) => {
    const term = readTerm('1', label)
    expect(term === null ? null : `${term.season} ${term.year}`).toBe(expected)
  })
})

describe('a Banner 8 address', () => {
  it.each([
    ['https://ssb.example.edu:9001/pls/PROD', null],
    ['https://selfservice.example.edu/ords/ssb', null],
    ['https://selfservice.example.edu', 'the path'],
    ['https://selfservice.example.edu/PROD/bwckschd.p_disp_dyn_sched', '/bwckschd'],
    ['http://selfservice.example.edu/PROD', 'https'],
  ])('%s', (url, expected) => {
    const refusal = banner8.checkAddress(url)
    if (expected === null) expect(refusal).toBeNull()
    else expect(refusal).toContain(expected)
  })

  it('links to the page of the class, or to the class search', () => {
    const link = (section_key: string) => banner8.link(address, { school: '', term: '202710', section_key })
    expect(link('10001')).toBe(`${address.url}/bwckschd.p_disp_detail_sched?term_in=202710&crn_in=10001`)
    expect(link('')).toBe(`${address.url}/bwckschd.p_disp_dyn_sched`)
  })
})

function fail(): never {
  throw new Error('there is no such call')
}
