import { randomBytes } from 'node:crypto'
import { html, json, withCookies, type Answer, type Call, type StandIn } from '../http.ts'
import { subjectsAmong } from '../schools/catalog.ts'
import { CUNY_SOURCE } from '../schools/roster.ts'
import { type Listing, offeredOf } from '../schools/listing.ts'
import type { School, Section, Term } from '../schools/types.ts'
import type { World } from '../world.ts'
import { detailsOf, type HcxStyle, institutionOf, rowOf, termCode, termName } from './rows.ts'

/** Sites of the local world: a school that has no other system, its four colleges on one, and an older one. */
const STYLES: readonly HcxStyle[] = [
  {
    path: '/schools/granite-bay/hcx',
    source: 'Granite Bay State University',
    isShared: false,
    institution: 'GRBAY',
    pages: 'counted',
    pageSize: 50,
    listsTerms: true,
    redirects: true,
    isOlder: false,
    hidesPlaces: false,
  },
  {
    path: '/hcx',
    source: CUNY_SOURCE,
    isShared: true,
    institution: '',
    pages: 'counted',
    pageSize: 50,
    listsTerms: true,
    redirects: true,
    isOlder: false,
    hidesPlaces: true,
  },
  {
    path: '/schools/northfield/hcx',
    source: 'Northfield Technical University',
    isShared: false,
    institution: 'NRTHF',
    pages: 'bare',
    pageSize: 30,
    listsTerms: false,
    redirects: false,
    isOlder: true,
    hidesPlaces: false,
  },
]

const SITE = 'csprd/EMPLOYEE/SA/s'
const SCRIPT = 'WEBLIB_HCX_CM.H_CLASS_SEARCH.FieldFormula.IScript_'
const COOKIE = 'csprd-PORTAL-PSJSESSIONID'

/** PeopleSoft with HighPoint CX at the schools that have it, with the same changes as in their other systems. */
export function hcxStandIns(world: World): StandIn[] {
  return STYLES.map((style) => hcxStandIn(world, style))
}

function hcxStandIn(world: World, style: HcxStyle): StandIn {
  const schools = world.catalog.schools.filter(({ source }) => source === style.source)
  const sessions = new Set<string>()
  world.endSessions.add(() => sessions.clear())

  const openSession = (answer: Answer): Answer => {
    const key = randomBytes(16).toString('base64url')
    sessions.add(key)
    return withCookies(answer, [`${COOKIE}=${key}; Path=/; HttpOnly; Secure`, 'PS_TOKENEXPIRE=1; Path=/'])
  }
  const visitOf = (call: Call): 'none' | 'over' | 'open' => {
    const key = call.cookies.get(COOKIE)
    return key === undefined ? 'none' : sessions.has(key) ? 'open' : 'over'
  }
  const pathOf = (call: Call): string => call.path.replace(/^\/(?:psc|psp)\//, '')

  /** A shared site answers for another school if it does not know the code. */
  const schoolOf = (call: Call): School | undefined =>
    schools.find((school) => institutionOf(school, style) === call.url.searchParams.get('institution')) ?? schools[0]

  const termsOf = (call: Call): readonly Term[] => {
    const school = schoolOf(call)
    return school ? world.catalog.termsOf(school) : []
  }

  const sectionsOf = (call: Call, listing?: Listing): Section[] => {
    const [school, code] = [schoolOf(call), call.url.searchParams.get('term')]
    const term = termsOf(call).find((candidate) => termCode(candidate, style) === code)
    if (!school || !term) return []
    return offeredOf(world.catalog.of(school, term), listing)
  }

  const termList = (call: Call): object[] =>
    termsOf(call).map((term) => ({ strm: termCode(term, style), descr: termName(term, style) }))

  const page = (call: Call): Answer => {
    const block = Buffer.from(JSON.stringify({ search_options: { terms: termList(call) } })).toString('base64')
    const script = style.listsTerms ? '' : `<script>var model = JSON.parse(atob("${block}"));</script>`
    return openSession(
      html(`<!DOCTYPE html>\n<html><head><title>Class Search</title></head><body>${script}</body></html>`),
    )
  }

  const options = (call: Call): Answer => {
    const sections = call.url.searchParams.has('term')
      ? sectionsOf(call)
      : world.catalog.sections.filter((section) => section.school === schoolOf(call))
    const subjects = subjectsAmong(sections).map(({ code, name }) => ({ subject: code, descr: name }))
    return json({ ...(style.listsTerms ? { terms: termList(call) } : {}), subjects, acad_careers: [], campuses: [] })
  }

  const search = (call: Call): Answer => {
    const query = call.url.searchParams
    const fits = (name: string, value: string): boolean => !query.get(name) || query.get(name) === value
    const found = sectionsOf(call, call.listing).filter(
      ({ course, number }) =>
        fits('subject', course.subject.code) && fits('catalog_nbr', course.level) && fits('class_nbr', number),
    )
    const number = Number(query.get('page')) || 1
    const first = (number - 1) * style.pageSize
    const rows = found.slice(first, first + style.pageSize).map((section, at) => rowOf(section, style, first + at + 1))
    return rowsAnswer(rows, number === 1 ? Math.ceil(found.length / style.pageSize) : 0)
  }

  const rowsAnswer = (classes: object[], pageCount: number): Answer =>
    json(style.pages === 'counted' ? { pageCount, classes } : classes)

  const details = (call: Call): Answer => {
    const section = sectionsOf(call).find(({ number }) => number === call.url.searchParams.get('class_nbr'))
    return json(section ? detailsOf(section, style) : { error: 'Class not found.' })
  }

  const answers: Record<string, (call: Call) => Answer> = {
    ClassSearchOptions: options,
    ClassSearch: search,
    ClassDetails: details,
  }
  const scriptOf = (call: Call): string => {
    const path = pathOf(call)
    return path.startsWith(`${SITE}/${SCRIPT}`) ? path.slice(`${SITE}/${SCRIPT}`.length) : ''
  }
  const isPage = (call: Call): boolean => pathOf(call).endsWith('.IScript_Main')

  return {
    service: style.source,
    prefix: style.path,
    answer: (call) => {
      if (isPage(call)) return page(call)
      const answer = answers[scriptOf(call)]
      if (answer === undefined) return html('<html><body><h1>404</h1></body></html>', 404)
      const visit = visitOf(call)
      if (visit === 'open') return answer(call)
      if (visit === 'over') return html('<!DOCTYPE html>\n<html><title>Sign-in</title><body>User ID</body></html>')
      if (!style.redirects) return html('<html><body><h1>Forbidden</h1></body></html>', 403)
      const location = call.url.pathname + call.url.search
      return openSession({ ...html('', 302), headers: { location, 'content-type': 'text/html' } })
    },
    emptyAnswer: (call) => {
      const script = scriptOf(call)
      if (script === 'ClassSearch') return rowsAnswer([], 0)
      if (script === 'ClassDetails') return json({ error: 'Class not found.' })
      if (script === 'ClassSearchOptions')
        return json(style.listsTerms ? { terms: [], subjects: [] } : { subjects: [] })
      return null
    },
    lists: (call) => scriptOf(call) === 'ClassSearch',
    errorBody: (status) => ({
      type: 'text/html',
      body: `<html><body><h1>${status} PeopleSoft error</h1></body></html>`,
    }),
  }
}
