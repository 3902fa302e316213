import { describe, expect, it } from 'vitest'
import { cuny } from '../../src/sources/cuny/cuny.ts'
import type { WatchedGroup } from '../../src/sources/source.ts'
import { resultsHtml } from './cuny-page.ts'
import { believed, collected, groupOf, openCounted } from './lanes.ts'

const ADDRESS = { url: 'https://search.example.edu/CFGlobalSearchTool', settings: {} }
const COLLEGES: Record<string, string> = { QNS01: 'Queens College', HTR01: 'Hunter College' }
const SUBJECTS: Record<string, string> = { CMSC: 'Computer Science', MATH: 'Mathematics' }

const FIRST_PAGE = `<form name=searchform><ul class="checkboxes"><li><input type=checkbox name=inst_selection id=QNS01 value=QNS01>
<label for=QNS01>Queens College</label></li><li><input type="checkbox" name="inst_selection" id="HTR01" value="HTR01"><label for="HTR01">Hunter College</label></ul>
<select id=t_pd name=term_value><option value=""></option><option value="1269">2026 Fall Term<option value="1272">2027 Spring Term</select></form>`

const optionsOf = (choices: Record<string, string>) =>
  Object.entries(choices).map(([value, label]) => `<option value="${value}">${label}</option>`)

const CRITERIA_PAGE = `<html><form name=class_search_form><select id=subject_ld name=subject_name><option value="">&nbsp;</option>
${optionsOf(SUBJECTS).join('')}</select><select name=courseCareer><option value=""></option><option value="UGRD">Undergraduate</option></select>
<script>if (nothing) alert('The search returns no results')</script></form></html>`

interface Session {
  college: string
}

/** The site in memory: its answers depend only on the cookie. */
function fakeSite() {
  const sessions = new Map<string, Session>()
  const cookies: (string | null)[] = []
  const habits = { results: (college: string, subject: string) => pageOf(college, subject) }
  let next = 1
  const html = (page: string, cookie?: string) =>
    new Response(page, {
      headers: { 'content-type': 'text/html', ...(cookie === undefined ? {} : { 'set-cookie': cookie }) },
    })
  const fetch = async (input: string, init: RequestInit): Promise<Response> => {
    const cookie = new Headers(init.headers).get('cookie')
    const form = new URLSearchParams(init.body instanceof URLSearchParams ? init.body : '')
    cookies.push(cookie)
    if (input.endsWith('search.jsp')) return html(FIRST_PAGE)
    if (form.has('next_btn')) {
      const id = `S${next++}!99`
      sessions.set(`JSESSIONID=${id}`, { college: form.get('inst_selection') ?? '' })
      return html(CRITERIA_PAGE, `JSESSIONID=${id}; path=/; HttpOnly`)
    }
    const session = sessions.get(cookie ?? '')
    return html(session === undefined ? FIRST_PAGE : habits.results(session.college, form.get('subject_name') ?? ''))
  }
  return { sessions, cookies, habits, ...openCounted(cuny, ADDRESS, { fetch }) }
}

function pageOf(college: string, subject: string, named = college): string {
  const rows = [{ number: '30001', status: ['status_open.gif', 'Open'] as const }, { number: '30002' }]
  const options = { school: COLLEGES[named] ?? '', subject: SUBJECTS[subject] ?? '' }
  return resultsHtml([{ heading: `${subject} 101 - Introduction`, rows }], options)
}

function watch(school: string, subject: string): WatchedGroup {
  const names = { school_name: COLLEGES[school] ?? '', term_name: '2026 Fall Term' }
  const group = groupOf({ school, ...names, term: '1269', subject, career: 'UGRD' })
  return { group, watched: [{ section_key: '30001', level: '101' }] }
}

describe('a round of CUNY searches', () => {
  it('selects each college and term once, in a separate session, whatever the order of the groups', async () => {
    const { lane, asked, cookies } = fakeSite()
    const watched = [watch('QNS01', 'CMSC'), watch('HTR01', 'CMSC'), watch('QNS01', 'MATH'), watch('HTR01', 'MATH')]
    const answers = await collected(lane.seats(watched, new Map()))
    expect(answers.map(({ index }) => index).toSorted()).toEqual([0, 1, 2, 3])
    expect(answers.flatMap(({ answer }) => believed(answer).seen)).toHaveLength(4)
    expect(asked).toHaveLength(4 + 2)
    expect(cookies.filter((cookie) => cookie === null)).toHaveLength(2)
    expect(new Set(cookies).size).toBe(3)
  })

  it('renews a session that ended, once', async () => {
    const site = fakeSite()
    const { group } = watch('QNS01', 'CMSC')
    believed(await site.lane.sections(group))
    site.sessions.clear()
    expect(believed(await site.lane.sections({ ...group, subject: 'MATH' })).sections).toHaveLength(2)
    expect(site.asked).toHaveLength(2 + 3)
  })

  it('is unknown if the site answers for another college, even when asked again', async () => {
    const site = fakeSite()
    site.habits.results = (_college, subject) => pageOf('HTR01', subject)
    expect(await site.lane.sections(watch('QNS01', 'CMSC').group)).toMatchObject({
      known: false,
      reason: 'wrong_scope',
    })
    // Twice the choice and the search, and the first page: the college may only have another label.
    expect(site.asked).toHaveLength(2 * 2 + 1)
  })

  it.each([{ school_name: 'Queens' }, { term_name: 'Fall 2026' }])(
    'looks up the labels of a college and term if the site has other ones by now: %o',
    async (former) => {
      const site = fakeSite()
      const watched = ['CMSC', 'MATH'].map((subject) => {
        const { group, ...sections } = watch('QNS01', subject)
        return { ...sections, group: { ...group, ...former } }
      })
      const answers = await collected(site.lane.seats(watched, new Map()))
      expect(answers.flatMap(({ answer }) => believed(answer).seen)).toHaveLength(2)
      // Two that were in vain, the first page, the choice and two searches.
      expect(site.asked).toHaveLength(2 + 1 + 1 + 2)
    },
  )

  it('believes an empty result only if the page says so to a person, not in a script', async () => {
    const site = fakeSite()
    const { group } = watch('QNS01', 'CMSC')
    site.habits.results = () => CRITERIA_PAGE
    expect(await site.lane.sections(group)).toMatchObject({ known: false, reason: 'session_lost' })
    site.habits.results = () => CRITERIA_PAGE.replace('<form', '<p>The search returns no results.</p><form')
    expect(believed(await site.lane.sections(group))).toEqual({ sections: [] })
  })

  it('does not believe "no results" for watched sections', async () => {
    const site = fakeSite()
    const watched = [watch('QNS01', 'CMSC'), watch('QNS01', 'MATH')]
    site.habits.results = (college, subject) =>
      subject === 'CMSC'
        ? CRITERIA_PAGE.replace('<form', '<p>The search returns no results.</p><form')
        : pageOf(college, subject)
    const answers = await collected(site.lane.seats(watched, new Map()))
    expect(answers[0]?.answer).toMatchObject({
      known: false,
      reason: 'incomplete',
      why: expect.stringMatching(/^We watch sections of .+ there, and the school says there are none\.$/),
    })
    expect(answers[1]?.answer).toMatchObject({ known: true, value: { seen: [{ section_key: '30001' }] } })
  })

  it('looks up labels the caller does not know, and refuses codes the site does not offer', async () => {
    const { lane, asked } = fakeSite()
    const { group } = watch('HTR01', 'MATH')
    expect(believed(await lane.sections({ ...group, school_name: '', term_name: '' })).sections).toHaveLength(2)
    expect(asked).toHaveLength(3)
    const unheard = await lane.sections({ ...group, school: 'XXX01', school_name: '' })
    expect(unheard).toMatchObject({ known: false, reason: 'wrong_scope' })
  })
})

describe('the pages of options', () => {
  it('list colleges, terms, subjects and careers', async () => {
    const { lane } = fakeSite()
    expect(believed(await lane.termsAndSchools())).toEqual({
      schools: [
        { code: 'QNS01', name: 'Queens College' },
        { code: 'HTR01', name: 'Hunter College' },
      ],
      terms: [
        { code: '1269', year: 2026, season: 'fall', name: '2026 Fall Term', is_available: true },
        { code: '1272', year: 2027, season: 'spring', name: '2027 Spring Term', is_available: true },
      ],
    })
    expect(believed(await lane.subjects(watch('QNS01', 'CMSC').group))).toEqual({
      subjects: [
        { key: 'CMSC', name: 'Computer Science' },
        { key: 'MATH', name: 'Mathematics' },
      ],
      careers: ['UGRD'],
    })
  })
})

describe('a page', () => {
  const lane = (page: string | Uint8Array<ArrayBuffer>, contentType: string) =>
    openCounted(cuny, ADDRESS, {
      fetch: async () => new Response(page, { headers: { 'content-type': contentType } }),
    }).lane

  it('that breaks off has no believable options', async () => {
    const { group } = watch('QNS01', 'CMSC')
    const cutFirst = FIRST_PAGE.slice(0, FIRST_PAGE.indexOf('<option value="1272"'))
    expect((await lane(cutFirst, 'text/html').termsAndSchools()).known).toBe(false)
    const cutCriteria = CRITERIA_PAGE.slice(0, CRITERIA_PAGE.indexOf('</select>\n<script>'))
    expect((await lane(cutCriteria, 'text/html').subjects(group)).known).toBe(false)
  })

  it('is read in its own charset, ISO-8859-1 by default', async () => {
    const page = FIRST_PAGE.replace('Hunter', 'Hüntér')
    const latin = Uint8Array.from(page, (character) => character.charCodeAt(0))
    for (const [bytes, contentType] of [
      [latin, 'text/html'],
      [latin, 'text/html;charset=ISO-8859-1'],
      [latin, 'text/html;charset=unheard-of'],
      [page, 'text/html; charset="utf-8"'],
    ] as const) {
      const { schools } = believed(await lane(bytes, contentType).termsAndSchools())
      expect(schools[1]?.name).toBe('Hüntér College')
    }
  })
})

describe('the page of a section', () => {
  const section = { school: 'BAR01', term: '1269', section_key: '39021' }

  it('has the address that the site uses', () => {
    expect(cuny.link(ADDRESS, { ...section, school_name: 'Baruch College' })).toBe(
      `${ADDRESS.url}/CFSearchToolController?class_number_searched=MzkwMjE%3D&session_searched=MQ%3D%3D&term_searched=MTI2OQ%3D%3D&inst_searched=QmFydWNoIENvbGxlZ2U%3D`,
    )
  })

  it("has an address also if the college's label has characters that the site's charset lacks", () => {
    const link = cuny.link(ADDRESS, { ...section, school_name: 'Queens \u2013 Flushing' })
    expect(atob(new URL(link).searchParams.get('inst_searched') ?? '')).toBe('Queens ? Flushing')
  })

  it('is the first page if the college is unknown', () => {
    expect(cuny.link(ADDRESS, section)).toBe(`${ADDRESS.url}/search.jsp`)
  })
})
