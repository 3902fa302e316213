import type { SourceAddress } from '../../src/sources/source.ts'

export const FAKE_BANNER: SourceAddress = {
  url: 'https://registration.example.edu/StudentRegistrationSsb/ssb',
  settings: {},
}
export const TERM = '202610'

export type FakeRow = Record<string, unknown> & { courseReferenceNumber: string; subject: string; courseNumber: string }

/** A row as every school sends it. */
export function fakeRow(crn: number, fields: Partial<FakeRow> = {}): FakeRow {
  return {
    id: crn,
    term: TERM,
    courseReferenceNumber: String(crn),
    courseNumber: '1010',
    subject: 'MATH',
    sequenceNumber: '001',
    courseTitle: 'Algebra &amp; Geometry',
    maximumEnrollment: 30,
    enrollment: 10,
    seatsAvailable: 20,
    waitCapacity: 5,
    waitCount: 0,
    waitAvailable: 5,
    crossList: null,
    crossListAvailable: null,
    openSection: true,
    faculty: [],
    meetingsFaculty: [],
    ...fields,
  }
}

export interface FakeBannerHabits {
  /** The server's own limit of rows per page. */
  pageCap?: number
  /** False: claims to have reset the criteria, but did not. */
  isResetHonest?: boolean
  /** A search without a filter finds nothing. */
  needsFilter?: boolean
  /** The lists of `classSearch/getTerms` and `get_subject`; the limit applies to them too. */
  terms?: { code: string; description: string }[]
  subjects?: { code: string; description: string }[]
  /** Answers a search without results like a server that lost the session, but with a list. */
  emptyPathMode?: string | null
  /** Called before each search is answered, counted from 1: to move rows or end sessions. */
  beforeSearch?: (count: number, school: FakeBanner) => void
}

interface Session {
  term: string
  criteria: string | null
}

/** One school in memory, as strict about sessions, stickiness and paging as the real ones. */
export class FakeBanner {
  rows: FakeRow[]
  readonly sessions = new Map<string, Session>()
  readonly #habits: FakeBannerHabits
  #searches = 0
  #nextId = 1

  constructor(rows: FakeRow[], habits: FakeBannerHabits = {}) {
    this.rows = rows
    this.#habits = habits
  }

  readonly fetch = async (input: string, init: RequestInit): Promise<Response> => {
    const url = new URL(input)
    const path = url.pathname.replace('/StudentRegistrationSsb/ssb/', '')
    const cookie = new Headers(init.headers).get('cookie') ?? ''
    const session = this.sessions.get(/JSESSIONID=(\w+)/.exec(cookie)?.[1] ?? '')
    if (path === 'term/search') return this.#bind(new URLSearchParams(String(init.body)))
    if (path === 'classSearch/resetDataForm') {
      if (session !== undefined && this.#habits.isResetHonest !== false) session.criteria = null
      return Response.json(true)
    }
    if (path === 'classSearch/getTerms') return this.#list(this.#habits.terms ?? [], url.searchParams)
    if (path === 'classSearch/get_subject') return this.#list(this.#habits.subjects ?? [], url.searchParams)
    if (path !== 'searchResults/searchResults') return new Response('', { status: 404 })
    this.#habits.beforeSearch?.(++this.#searches, this)
    const isAlive = session !== undefined && [...this.sessions.values()].includes(session)
    return isAlive ? this.#search(session, url.searchParams) : lost()
  }

  #bind(form: URLSearchParams): Response {
    const id = `S${this.#nextId++}`
    this.sessions.set(id, { term: form.get('term') ?? '', criteria: null })
    const headers = { 'set-cookie': `JSESSIONID=${id}; Path=/StudentRegistrationSsb; HttpOnly; Secure` }
    return Response.json({ fwdURL: '/StudentRegistrationSsb/ssb/classSearch/classSearch' }, { headers })
  }

  /** The offset is a page here, counted from 1. */
  #list(entries: object[], query: URLSearchParams): Response {
    const size = Math.min(Number(query.get('max')), this.#habits.pageCap ?? 500)
    const start = (Number(query.get('offset')) - 1) * size
    return Response.json(entries.slice(start, start + size))
  }

  #search(session: Session, query: URLSearchParams): Response {
    const asked = new URLSearchParams({
      subject: query.get('txt_subject') ?? '',
      level: query.get('txt_courseNumber') ?? '',
    }).toString()
    session.criteria ??= asked
    const criteria = new URLSearchParams(session.criteria)
    const [subject, level] = [criteria.get('subject'), criteria.get('level')]
    const found = this.rows.filter(
      (row) =>
        row.term === session.term &&
        (subject === '' || row.subject === subject) &&
        (level === '' || row.courseNumber.startsWith(level ?? '')),
    )
    const rows = this.#habits.needsFilter === true && subject === '' ? [] : found
    const size = Math.min(Number(query.get('pageMaxSize')), this.#habits.pageCap ?? 500)
    const offset = Number(query.get('pageOffset'))
    return Response.json({
      success: true,
      totalCount: rows.length,
      data: rows.slice(offset, offset + size),
      pageOffset: offset,
      pathMode: rows.length === 0 && this.#habits.emptyPathMode !== undefined ? this.#habits.emptyPathMode : 'search',
    })
  }
}

function lost(): Response {
  return Response.json({ success: true, totalCount: 0, data: null, pathMode: null, searchResultsConfigs: null })
}
