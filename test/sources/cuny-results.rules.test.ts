import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { judge, NO_FIGURES, whyUnknown } from '../../src/sources/judge.ts'
import { readResultsPage } from '../../src/sources/cuny/results-page.ts'
import type { Answer, GroupSections } from '../../src/sources/source.ts'
import { ASKED, type PageCourse, type PageOptions, type PageRow, resultsHtml } from './cuny-page.ts'
import { believed } from './lanes.ts'

const DANCE = 'DANCE 2200H - Modern Dance - Part 2'

function read(rows: PageRow[], options: PageOptions = {}): Answer<GroupSections> {
  return readResultsPage(resultsHtml([{ heading: DANCE, rows }], options), ASKED)
}

function only(row: Partial<PageRow>) {
  const [section] = believed(read([{ number: '39021', ...row }])).sections
  return section
}

const STATUSES = [
  ['open', 'status_open.gif', 'Open'],
  ['closed', 'status_closed.gif', 'Closed'],
  ['waitlisted', 'status_waiting.gif', 'Wait'],
] as const

describe('a row of the results', () => {
  it('is read completely', () => {
    expect(only({ section: 'BMWA-LEC Regular', topic: 'Tech, Ethics, & Society' })).toEqual({
      section_key: '39021',
      number: '39021',
      subject: 'DANCE',
      code: 'DANCE',
      level: '2200H',
      title: 'Modern Dance - Part 2',
      section: 'BMWA',
      topic: 'Tech, Ethics, & Society',
      stated: 'open',
      figures: NO_FIGURES,
      doubts: [],
      instruction_list: [{ name: 'Ada Lovelace', days_times: 'MoWe 9:05AM - 10:20AM' }],
      instruction_mode: 'In Person',
      has_figures: false,
      component: 'LEC',
      session: 'Regular',
      session_code: '',
      place: '',
      starts_on: '2026-08-28',
      ends_on: '2026-12-21',
    })
  })

  it('has its session by name and, from the link of its number, by code', () => {
    const link = (number: string, session: string) =>
      `<a href="CFSearchToolController?class_number_searched=${btoa(number)}&session_searched=${btoa(session)}&term_searched=MTI2OQ==">${number}</a>`
    const html = resultsHtml([{ heading: DANCE, rows: [{ number: '39021', section: '2CIS-INT Seven Wk 2' }] }])
    const [section] = believed(
      readResultsPage(html.replace(/<a href="C\?[^>]*>39021<\/a>/, link('39021', '7W2')), ASKED),
    ).sections
    expect(section).toMatchObject({ section: '2CIS', component: 'INT', session: 'Seven Wk 2', session_code: '7W2' })
  })

  it('has the rooms and the first and last day of all its patterns', () => {
    const html = resultsHtml([{ heading: DANCE, rows: [{ number: '39021', times: 'Mo 9:00AM - 9:50AM<br>TBA' }] }])
      .replace('data-label="Room" style="color: #333;">TBA', 'data-label="Room">VC 3-150<br>Online<br>TBA')
      .replace('08/28/2026 - 12/21/2026', '09/28/2026 - 12/21/2026<br>08/28/2026 - 10/1/2026<br>soon - 13/41/2026')
    const [section] = believed(readResultsPage(html, ASKED)).sections
    expect(section).toMatchObject({ place: 'VC 3-150, Online', starts_on: '2026-08-28', ends_on: '2026-12-21' })
  })

  it.each(STATUSES)('is %s by its picture, whose alt always says "Open"', (status, file, title) => {
    expect(only({ status: [file, title] })?.stated).toBe(status)
    expect(only({ status: [file, ''] })?.stated).toBe(status)
    expect(only({ status: ['changed.png', title] })?.stated).toBe(status)
  })

  it('has an unknown status, with a reason, if its picture contradicts itself or is new', () => {
    for (const status of [
      ['status_open.gif', 'Closed'],
      ['status_full.gif', 'Full'],
      ['status_open.gif', 'Open - Reserved'],
      ['status_closed.gif', 'constructor'],
      ['', ''],
    ] as const) {
      const section = only({ status })
      if (section === undefined) throw new Error('the row was not read')
      expect(judge(section).status).toBe('unknown')
      expect(whyUnknown(section)).toBe(`The status "${status[1]}" (images/${status[0]}) is not understood.`)
    }
  })

  it('joins the lines of several patterns, even if one list is shorter', () => {
    const times = 'Th 4:10PM - 5:25PM<br>Tu 4:10PM - 5:25PM'
    const taughtBy = (teachers: string) => only({ times, teachers })?.instruction_list
    expect(taughtBy('Ada Lovelace<br>Ada Lovelace')).toEqual([
      { name: 'Ada Lovelace', days_times: 'Th 4:10PM - 5:25PM, Tu 4:10PM - 5:25PM' },
    ])
    expect(taughtBy('Ada Lovelace<br>')).toEqual([
      { name: 'Ada Lovelace', days_times: 'Th 4:10PM - 5:25PM' },
      { name: 'TBA', days_times: 'Tu 4:10PM - 5:25PM' },
    ])
    expect(only({ times: 'TBA', teachers: 'TBA' })?.instruction_list).toEqual([{ name: 'TBA', days_times: 'TBA' }])
    expect(taughtBy('')).toBeNull()
    expect(only({ times: ' <br> ' })?.instruction_list).toBeNull()
    expect(only({ section: '2CIS-INT Seven Wk 2' })?.section).toBe('2CIS')
    expect(only({ section: 'A-1-LEC Regular' })?.section).toBe('A-1')
  })
})

const rows = (count: number): PageRow[] =>
  Array.from({ length: count }, (_, index) => ({ number: String(30_000 + index) }))

describe('a page of results', () => {
  it('is read with exactly its rows, whatever the courses and statuses', () => {
    const course = fc.array(fc.constantFrom(...STATUSES), { minLength: 1, maxLength: 5 })
    fc.assert(
      fc.property(fc.array(course, { maxLength: 6 }), (drawn) => {
        let number = 10_000
        const courses: PageCourse[] = drawn.map((statuses, index) => ({
          heading: `DANCE ${100 + index} - Course ${index}`,
          rows: statuses.map(([, file, title]) => ({ number: String(number++), status: [file, title] as const })),
        }))
        const { sections } = believed(readResultsPage(resultsHtml(courses), ASKED))
        expect(sections.map((section) => judge(section).status)).toEqual(drawn.flat().map(([status]) => status))
        expect(sections.map(({ level }) => level)).toEqual(
          drawn.flatMap((all, index) => all.map(() => `${100 + index}`)),
        )
      }),
    )
  })

  it('is unknown if its count disagrees with its rows, or a class is there twice', () => {
    expect(read(rows(3), { stated: 4 })).toMatchObject({ known: false, reason: 'incomplete' })
    expect(read(rows(3), { stated: 2 })).toMatchObject({ known: false, reason: 'incomplete' })
    expect(read([...rows(2), ...rows(1)])).toMatchObject({ known: false, reason: 'incomplete' })
    expect(read([...rows(2), ...rows(1)], { stated: 2 })).toMatchObject({ known: false, reason: 'incomplete' })
    expect(read(rows(3), { blockStated: 2 })).toMatchObject({ known: false, reason: 'incomplete' })
    expect(believed(read([], { stated: 0 })).sections).toEqual([])
  })

  it.each([
    [{ school: 'Hunter College' }],
    [{ term: '2026 Summer Term' }],
    [{ subject: 'Dance' }],
    [{ career: 'Graduate' }],
    [{ openOnly: 'Yes' }],
    [{ blockSchool: 'Hunter College' }],
  ])('is not believed when it answers another question: %o', (options) => {
    expect(read(rows(2), options)).toMatchObject({ known: false, reason: 'wrong_scope' })
  })

  it('cut anywhere is unknown, or was complete already', () => {
    const html = resultsHtml([
      { heading: DANCE, rows: [...rows(2), { number: '5', status: ['status_closed.gif', 'Closed'] }] },
    ])
    const whole = readResultsPage(html, ASKED)
    let believedCuts = 0
    for (let cut = 0; cut < html.length; cut++) {
      const answer = readResultsPage(html.slice(0, cut), ASKED)
      if (!answer.known) continue
      believedCuts++
      expect(answer).toEqual(whole)
    }
    expect(believedCuts).toBeLessThan(100)
  })

  it('that is not a results page is unknown', () => {
    for (const html of ['', '<html><body>Down for maintenance</body></html>', 'classfound_msg']) {
      expect(readResultsPage(html, ASKED).known).toBe(false)
    }
  })
})
