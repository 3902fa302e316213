import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Visitor, control, sectionsOf } from './client.ts'
import { startWorld, type RunningWorld } from './server.ts'

interface Row {
  courseReferenceNumber: string
  subject: string
  subjectDescription: string
  courseTitle: string
  maximumEnrollment: number
  enrollment: number
  seatsAvailable: number
  waitAvailable: number
  openSection: boolean
  crossList: string | null
  crossListCapacity: number | null
  crossListCount: number | null
  crossListAvailable: number | null
  faculty: unknown[]
  term: string
}
interface Envelope {
  success: boolean
  totalCount: number
  data: Row[] | null
  pathMode: string | null
  pageMaxSize: number
}

const NOW = Date.parse('2026-11-21T12:00:00Z')
const HARBOR = '/schools/harbor/StudentRegistrationSsb/ssb'
const NORTHFIELD = '/schools/northfield/StudentRegistrationSsb/ssb'
const CEDAR = '/schools/cedar-valley/StudentRegistrationSsb/ssb'
let running: RunningWorld

beforeAll(async () => {
  running = await startWorld({ appUrl: 'http://localhost:1', twilioAccountSid: 'AC1', twilioAuthToken: 't', now: NOW })
})
afterAll(() => running.close())

async function visitor(base: string, term: string, mep = ''): Promise<Visitor> {
  const someone = new Visitor(running.url)
  await someone.page(`${base}/term/search?mode=search${mep}`, { term })
  return someone
}
const search = (someone: Visitor, base: string, query: string): Promise<Envelope> =>
  someone.json<Envelope>(`${base}/searchResults/searchResults?${query}`)

describe('a Banner session', () => {
  it('is required: without one a search looks successful and returns null', async () => {
    const lost = await search(new Visitor(running.url), HARBOR, 'txt_term=202640&txt_subject=MATH')
    expect(lost).toMatchObject({ success: true, totalCount: 0, data: null, pathMode: null })
    const other = await search(new Visitor(running.url), NORTHFIELD, 'txt_term=202710&txt_subject=MATH')
    expect(other).toMatchObject({ success: true, data: null, pathMode: 'registration' })
  })

  it('lives on one node: without the load balancer cookie the next node does not know it', async () => {
    const someone = await visitor(HARBOR, '202640')
    someone.jar.delete('AWSALB')
    someone.jar.delete('AWSALBCORS')
    expect((await search(someone, HARBOR, 'txt_term=202640&txt_subject=MATH')).data).toBeNull()
  })

  it('is bound to a term, and another term needs another term/search', async () => {
    const someone = await visitor(HARBOR, '202640')
    expect((await search(someone, HARBOR, 'txt_term=202710&txt_subject=MATH')).data).toBeNull()
    await someone.page(`${HARBOR}/term/search?mode=search`, { term: '202710' })
    const { data } = await search(someone, HARBOR, 'txt_term=202710&txt_subject=MATH&pageMaxSize=500')
    expect(data?.every((row) => row.term === '202710')).toBe(true)
  })

  it('accepts any term, valid or not, and refuses a missing one in its own way', async () => {
    const someone = new Visitor(running.url)
    expect(await someone.json(`${HARBOR}/term/search?mode=search`, { term: '999999' })).toHaveProperty('fwdURL')
    expect(await search(someone, HARBOR, 'txt_term=999999')).toMatchObject({ data: [], pathMode: 'search' })
    expect(await someone.json(`${HARBOR}/term/search?mode=search`, { x: '1' })).toHaveProperty('studentEligFailures')
  })

  it('ends when the server restarts or the session is idle', async () => {
    const someone = await visitor(HARBOR, '202640')
    await control(running.url, 'DELETE', 'sessions')
    expect((await search(someone, HARBOR, 'txt_term=202640&txt_subject=MATH')).data).toBeNull()
    const brief = await startWorld({
      appUrl: 'x',
      twilioAccountSid: 'AC1',
      twilioAuthToken: 't',
      now: NOW,
      bannerSessionMs: -1,
    })
    const late = new Visitor(brief.url)
    await late.page(`${HARBOR}/term/search?mode=search`, { term: '202640' })
    expect((await search(late, HARBOR, 'txt_term=202640&txt_subject=MATH')).data).toBeNull()
    await brief.close()
  })

  it('keeps the first filters until the form is reset', async () => {
    const someone = await visitor(HARBOR, '202640')
    const first = await search(someone, HARBOR, 'txt_term=202640&txt_subject=MATH&pageMaxSize=500')
    const stuck = await search(someone, HARBOR, 'txt_term=202640&txt_subject=CSCI&pageMaxSize=500')
    expect(stuck).toEqual(first)
    expect(await someone.page(`${HARBOR}/classSearch/resetDataForm`, { resetCourses: 'true' })).toBe('true')
    const moved = await search(someone, HARBOR, 'txt_term=202640&txt_subject=CSCI&pageMaxSize=500')
    expect(moved.data?.every((row) => row.subject === 'CSCI')).toBe(true)
    expect(moved.data).not.toHaveLength(0)
  })
})

describe('a Banner search', () => {
  it('cuts a page to 500 and counts rows in pageOffset', async () => {
    const someone = await visitor(HARBOR, '202640')
    const first = await search(someone, HARBOR, 'txt_term=202640&pageOffset=0&pageMaxSize=2000')
    expect([first.data?.length, first.pageMaxSize]).toEqual([500, 500])
    const second = await search(someone, HARBOR, 'txt_term=202640&pageOffset=500&pageMaxSize=500')
    const numbers = [...(first.data ?? []), ...(second.data ?? [])].map((row) => row.courseReferenceNumber)
    const truth = await sectionsOf(running.url, { source: 'Harbor State University', term: '2026 Fall Term' })
    expect(new Set(numbers)).toEqual(new Set(truth.map((section) => section.section)))
    expect(numbers).toHaveLength(first.totalCount)
  })

  it('ignores a CRN filter', async () => {
    const someone = await visitor(HARBOR, '202640')
    const { data } = await search(someone, HARBOR, 'txt_term=202640&txt_subject=MATH&txt_courseReferenceNumber=1')
    expect(data).not.toHaveLength(0)
  })

  it('finds nothing without a filter if the school requires one', async () => {
    const someone = await visitor(CEDAR, '202609', '&mepCode=CVCC')
    expect(await search(someone, CEDAR, 'txt_term=202609&mepCode=CVCC')).toMatchObject({ totalCount: 0, data: [] })
  })

  it('answers an HTML page if mepCode is missing', async () => {
    expect(await new Visitor(running.url).page(`${CEDAR}/classSearch/getTerms?offset=1&max=10`)).toContain('<html>')
    const terms = await new Visitor(running.url).json<unknown[]>(
      `${CEDAR}/classSearch/getTerms?offset=1&max=10&mepCode=CVCC`,
    )
    expect(terms).toContainEqual({ code: '202609', description: 'Fall 2026 (Aug-Dec)' })
  })

  it('has consistent figures, escaped labels, and an openSection with a different meaning at each school', async () => {
    const rowsOf = async (base: string, term: string, mep = ''): Promise<Row[]> => {
      const someone = await visitor(base, term, mep)
      const subject = 'txt_subject=CSCI,MATH,BIO,ENG,BUS,CHEM,ARTS,PHYS,STAT,SPAN,HIST,ECON'
      return (await search(someone, base, `txt_term=${term}&${subject}&pageMaxSize=500${mep}`)).data ?? []
    }
    const [harbor, cedar] = [await rowsOf(HARBOR, '202640'), await rowsOf(CEDAR, '202609', '&mepCode=CVCC')]
    for (const row of [...harbor, ...cedar]) {
      expect(row.seatsAvailable).toBe(row.maximumEnrollment - row.enrollment)
      if (row.crossList !== null)
        expect(row.crossListAvailable).toBe((row.crossListCapacity ?? 0) - (row.crossListCount ?? 0))
    }
    expect(harbor.every((row) => row.openSection === row.seatsAvailable > 0)).toBe(true)
    expect(cedar.every((row) => row.openSection === (row.seatsAvailable > 0 || row.waitAvailable > 0))).toBe(true)
    expect(harbor.some((row) => / &amp; /.test(row.courseTitle))).toBe(true)
    expect(cedar.some((row) => / &amp;amp; /.test(row.courseTitle))).toBe(true)
    expect(harbor.some((row) => row.crossList !== null)).toBe(true)
    expect((await rowsOf(NORTHFIELD, '202710')).every((row) => row.faculty.length === 0)).toBe(true)
  })
})

describe('calls without a session', () => {
  it('page the subjects of a term and know none for an unknown term', async () => {
    const someone = new Visitor(running.url)
    const page = (n: number): Promise<{ code: string }[]> =>
      someone.json(`${HARBOR}/classSearch/get_subject?term=202640&offset=${n}&max=10`)
    const codes = [...(await page(1)), ...(await page(2))].map(({ code }) => code)
    expect([codes.length, new Set(codes).size]).toEqual([18, 18])
    expect(await someone.json(`${HARBOR}/classSearch/get_subject?term=1&offset=1&max=10`)).toEqual([])
  })

  it('return one section in full, or at some schools only enrollment and maximum', async () => {
    const [harbor] = await sectionsOf(running.url, {
      source: 'Harbor State University',
      term: '2026 Fall Term',
      status: 'waitlisted',
    })
    const [north] = await sectionsOf(running.url, { source: 'Northfield Technical University', term: '2026 Fall Term' })
    const figures = (page: string): number[] =>
      [...page.matchAll(/<span dir="ltr"> (-?\d+) <\/span>/g)].map(([, n]) => Number(n))
    const ask = (base: string, term: string, crn = ''): Promise<string> =>
      new Visitor(running.url).page(`${base}/searchResults/getEnrollmentInfo?term=${term}&courseReferenceNumber=${crn}`)
    const full = figures(await ask(HARBOR, '202640', harbor?.section))
    expect(full).toHaveLength(6)
    expect([full[1], full[2], full[4]]).toEqual([harbor?.capacity, harbor?.available, harbor?.waitlist])
    expect(figures(await ask(NORTHFIELD, '202710', north?.section))).toHaveLength(2)
    expect(figures(await ask(HARBOR, '202640', 'none'))).toHaveLength(0)
  })

  it('name the instructors that a search hides', async () => {
    const section = running.world.catalog.sections.find(
      ({ school, term, instructors, meetings }) =>
        school.banner?.hidesFaculty && !term.past && instructors.length > 0 && meetings.length > 0,
    )
    const path = `${NORTHFIELD}/searchResults/getFacultyMeetingTimes?term=${section && section.school.banner?.termCode(section.term)}&courseReferenceNumber=${section?.number}`
    const { fmt } = await new Visitor(running.url).json<{ fmt: { faculty: { displayName: string }[] }[] }>(path)
    const [who] = section?.instructors ?? []
    expect(fmt[0]?.faculty[0]?.displayName).toBe(`${who?.last}, ${who?.first}`)
  })
})
