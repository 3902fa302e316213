import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Visitor, control, sectionsOf } from './client.ts'
import { startWorld, type RunningWorld } from './server.ts'

const NOW = Date.parse('2026-11-21T12:00:00Z')
const SITE = '/cuny/CFGlobalSearchTool'
const CONTROLLER = `${SITE}/CFSearchToolController`
const QUEENS = { school: 'Queens College', term: '2026 Fall Term', subject: 'CMSC' }
const STEP_ONE = {
  selectedInstName: 'Queens College | ',
  inst_selection: 'QNS01',
  term_value: '1269',
  next_btn: 'Next',
}
let running: RunningWorld

beforeAll(async () => {
  running = await startWorld({ appUrl: 'http://localhost:1', twilioAccountSid: 'AC1', twilioAuthToken: 't', now: NOW })
})
afterAll(() => running.close())

function criteria(more: Record<string, string> = {}): Record<string, string> {
  return { subject_name: 'CMSC', courseCareer: 'UGRD', open_class: '', search_btn_search: 'Search', ...more }
}
async function results(more: Record<string, string> = {}): Promise<string> {
  const someone = new Visitor(running.url)
  await someone.page(CONTROLLER, STEP_ONE)
  return someone.page(CONTROLLER, criteria(more))
}
function classNumbers(page: string): string[] {
  return [...page.matchAll(/<td data-label="Class"[^>]*><a [^>]*>(\d{5})<\/a>/g)].map(([, number]) => number ?? '')
}
const isFirst = (page: string): boolean => page.includes('name="searchform"')
const isCriteria = (page: string): boolean => page.includes('name="class_search_form"')

describe('the state of a CUNY session', () => {
  it('begins with the first page, from either address', async () => {
    const someone = new Visitor(running.url)
    expect(isFirst(await someone.page(`${SITE}/search.jsp`))).toBe(true)
    expect(someone.jar.get('JSESSIONID')).toMatch(/!-?\d+$/)
    expect(isFirst(await new Visitor(running.url).page(CONTROLLER))).toBe(true)
  })

  it('may begin with step one; step two without it returns to the first page', async () => {
    expect(classNumbers(await results())).not.toHaveLength(0)
    expect(isFirst(await new Visitor(running.url).page(CONTROLLER, criteria()))).toBe(true)
  })

  it('goes back and forth by its buttons and allows many searches', async () => {
    const someone = new Visitor(running.url)
    expect(isCriteria(await someone.page(CONTROLLER, STEP_ONE))).toBe(true)
    const found = await someone.page(CONTROLLER, criteria())
    expect(isCriteria(await someone.page(CONTROLLER, { modify_search: 'Modify Search' }))).toBe(true)
    expect(await someone.page(CONTROLLER, { view_search_results: 'View Search Results' })).toBe(found)
    expect(classNumbers(await someone.page(CONTROLLER, criteria({ subject_name: 'MATH' })))).not.toEqual(
      classNumbers(found),
    )
    expect(isFirst(await someone.page(CONTROLLER, { new_search: 'New Search' }))).toBe(true)
  })

  it('ends without an error', async () => {
    const someone = new Visitor(running.url)
    await someone.page(CONTROLLER, STEP_ONE)
    await control(running.url, 'DELETE', 'sessions')
    expect(isFirst(await someone.page(CONTROLLER, criteria()))).toBe(true)
  })
})

describe('the results page', () => {
  it('has every section once and counts them', async () => {
    const [under, graduate] = [await results(), await results({ courseCareer: 'GRAD' })]
    const truth = (await sectionsOf(running.url, QUEENS)).map(({ section }) => section)
    expect([...classNumbers(under), ...classNumbers(graduate)].toSorted()).toEqual(truth.toSorted())
    expect(under).toContain(`<span>${classNumbers(under).length} class section(s) found&nbsp;</span>`)
  })

  it('has its status only in the title and the file', async () => {
    const page = await results()
    const cells = [
      ...page.matchAll(/<td data-label="Status"[^>]*>&nbsp;<img src="images\/(\w+)\.gif" alt="(\w+)" title = "(\w+)"/g),
    ]
    const truth = new Map((await sectionsOf(running.url, QUEENS)).map(({ section, status }) => [section, status]))
    const words: Record<string, string> = { Open: 'open', Wait: 'waitlisted', Closed: 'closed' }
    expect(cells.map(([, , , title]) => words[title ?? ''])).toEqual(
      classNumbers(page).map((number) => truth.get(number)),
    )
    expect(new Set(cells.map(([, , alt]) => alt))).toEqual(new Set(['Open']))
  })

  it('hides what is not open if requested, as the form does by default', async () => {
    const open = await results({ open_class: 'O' })
    const truth = (await sectionsOf(running.url, { ...QUEENS, status: 'open' })).map(({ section }) => section)
    expect(truth).toEqual(expect.arrayContaining(classNumbers(open)))
    expect(classNumbers(open).length).toBeLessThan(classNumbers(await results()).length)
  })

  it('shows another code than the searched key, in broken HTML, CRLF and Latin-1', async () => {
    const someone = new Visitor(running.url)
    await someone.page(CONTROLLER, STEP_ONE)
    const response = await someone.request(CONTROLLER, { method: 'POST', body: new URLSearchParams(criteria()) })
    expect(response.headers.get('content-type')).toBe('text/html;charset=ISO-8859-1')
    const bytes = Buffer.from(await response.arrayBuffer()).toString('latin1')
    expect(bytes).toMatch(/&nbsp;CSCI&nbsp;\d+H?&nbsp;-&nbsp;/)
    expect(bytes.replaceAll('\r\n', '')).not.toContain('\n')
    expect(bytes.match(/<tbody>/g)?.length).toBeGreaterThan(bytes.match(/<\/tbody>/g)?.length ?? 0)
    expect(bytes).toMatch(/[é-ü]/)
  })

  it('is the criteria page if nothing is found', async () => {
    const page = await results({ subject_name: 'NONE' })
    expect([isCriteria(page), page.includes('The search returns no results'), page.includes('classfound_msg')]).toEqual(
      [true, true, false],
    )
    expect(await results({ courseCareer: '' })).toContain('The search returns no results')
  })

  it('has one block per college if several were selected', async () => {
    const someone = new Visitor(running.url)
    await someone.page(CONTROLLER, [
      ['inst_selection', 'QNS01'],
      ['inst_selection', 'HTR01'],
      ['term_value', '1269'],
      ['next_btn', 'Next'],
    ])
    const page = await someone.page(CONTROLLER, criteria())
    expect(page.match(/contentDivImg_inst\d' style/g)).toHaveLength(2)
    const courses = [...page.matchAll(/<div id='contentDivImg(\d+)'/g)].map(([, index]) => Number(index))
    expect(courses).toEqual(courses.map((_, index) => index))
  })
})

describe('the detail page', () => {
  const coded = (value: string): string => Buffer.from(value).toString('base64')
  const link = (number: string, college: string, session: string): string =>
    `${CONTROLLER}?class_number_searched=${coded(number)}&session_searched=${coded(session)}&term_searched=${coded('1269')}&inst_searched=${coded(college)}`

  it('has five numbers for any college once a session was opened for one', async () => {
    const baruch = await sectionsOf(running.url, { school: 'Baruch College', term: '2026 Fall Term' })
    const [section] = baruch.filter((each) =>
      running.world.catalog.sections.some(({ number, session }) => number === each.section && session === '1'),
    )
    const someone = new Visitor(running.url)
    expect(isFirst(await someone.page(link(section?.section ?? '', 'Baruch College', '1')))).toBe(true)
    await someone.page(CONTROLLER, STEP_ONE)
    const page = await someone.page(link(section?.section ?? '', 'Baruch College', '1'))
    const spans = [...page.slice(page.indexOf('<b>Class Availability</b>')).matchAll(/<span[^>]*>(-?\d+)<\/span>/g)]
    expect(spans).toHaveLength(5)
    expect([spans[0]?.[1], spans[3]?.[1], spans[4]?.[1]].map(Number)).toEqual([
      section?.capacity,
      section?.waitlist,
      section?.available,
    ])
    const wrong = await someone.page(link(section?.section ?? '', 'Baruch College', '7W1'))
    expect(wrong).not.toContain('Class Availability')
  })
})
