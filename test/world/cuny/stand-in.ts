import { formOf, html, withCookies, type Answer, type Call, type StandIn } from '../http.ts'
import { subjectsAmong } from '../schools/catalog.ts'
import { CUNY_SOURCE } from '../schools/roster.ts'
import { statusOf } from '../schools/seats.ts'
import { type Listing, offeredOf } from '../schools/listing.ts'
import type { School, Section, Term } from '../schools/types.ts'
import type { World } from '../world.ts'
import { detailPage, emptyDetailPage } from './detail.ts'
import { criteriaPage, firstPage } from './forms.ts'
import { CAREERS, termValue } from './labels.ts'
import { resultsPage } from './results.ts'
import { CunySessions, type CunyResults, type CunySession } from './sessions.ts'

const NO_RESULTS = 'The search returns no results that match the criteria specified.'

function decoded(query: URLSearchParams, name: string): string {
  return Buffer.from((query.get(name) ?? '').replaceAll(' ', '+'), 'base64').toString('latin1')
}

/** CUNY's Global Search: one controller whose every answer depends on the state of its session. */
export function cunyStandIn(world: World): StandIn {
  const colleges = world.catalog.schools.filter((school) => school.institution !== null)
  const terms = (): Term[] => {
    const [first] = colleges
    return first ? [...world.catalog.termsOf(first)].toReversed() : []
  }
  const sessions = new CunySessions(world.options.cunySessionMs)
  world.endSessions.add(() => sessions.endAll())

  const sectionsOf = (college: School, term: Term, listing?: Listing): Section[] =>
    offeredOf(world.catalog.of(college, term), listing)

  const first = (): Answer => firstPage(colleges, terms())

  const criteria = (chosen: { colleges: School[]; term: Term }, message?: string): Answer => {
    const sections = chosen.colleges.flatMap((college) => sectionsOf(college, chosen.term))
    return criteriaPage(chosen, subjectsAmong(sections), new Set(sections.map((section) => section.career)), message)
  }

  const choose = (session: CunySession, form: URLSearchParams): Answer => {
    const picked = form.getAll('inst_selection').map((code) => colleges.find((college) => college.institution === code))
    const known = picked.filter((college) => college !== undefined)
    const term = terms().find((candidate) => termValue(candidate) === form.get('term_value'))
    if (known.length === 0 || known.length < picked.length || !term) return first()
    session.chosen = { colleges: known, term }
    session.results = null
    return criteria(session.chosen)
  }

  const find = (
    chosen: { colleges: School[]; term: Term },
    form: URLSearchParams,
    listing: Listing | undefined,
  ): CunyResults => {
    const [key, career, classSession] = [form.get('subject_name'), form.get('courseCareer'), form.get('class_session')]
    const openOnly = form.get('open_class') === 'O'
    const begins = (form.get('instructorName') ?? '').trim().toLowerCase()
    const fits = (section: Section): boolean =>
      section.course.subject.key === key &&
      section.career === career &&
      (!classSession || section.session === classSession) &&
      (!openOnly || statusOf(section) === 'open') &&
      (!begins || section.instructors.some(({ last }) => last.toLowerCase().startsWith(begins)))
    const found = chosen.colleges.map((college) => ({
      college,
      sections: sectionsOf(college, chosen.term, listing).filter(fits),
    }))
    const subject = found.flatMap(({ sections }) => sections)[0]?.course.subject.name ?? ''
    return {
      echo: { subject, career: CAREERS.find(([code]) => code === career)?.[1] ?? '', openOnly },
      colleges: found,
    }
  }

  const search = (session: CunySession, form: URLSearchParams, listing: Listing | undefined): Answer => {
    if (!session.chosen) return first()
    const results = find(session.chosen, form, listing)
    if (results.colleges.every(({ sections }) => sections.length === 0)) return criteria(session.chosen, NO_RESULTS)
    session.results = results
    return resultsPage(session.chosen.term, results)
  }

  /** Any college's class can be read, whatever the session was opened for; the session code must be right. */
  const detail = (session: CunySession, query: URLSearchParams): Answer => {
    if (!session.chosen) return first()
    const college = colleges.find(({ name }) => name === decoded(query, 'inst_searched'))
    const term = terms().find((candidate) => termValue(candidate) === decoded(query, 'term_searched'))
    const number = decoded(query, 'class_number_searched')
    const found = college && term && sectionsOf(college, term).find((section) => section.number === number)
    return found && found.session === decoded(query, 'session_searched') ? detailPage(found) : emptyDetailPage()
  }

  const control = (session: CunySession, call: Call): Answer => {
    const form = formOf(call)
    const query = call.url.searchParams
    const asks = (name: string): boolean => form.has(name) || query.has(name)
    if (asks('class_number_searched')) return detail(session, query)
    if (asks('new_search')) return first()
    if (asks('modify_search')) return session.chosen ? criteria(session.chosen) : first()
    if (asks('view_search_results'))
      return session.chosen && session.results ? resultsPage(session.chosen.term, session.results) : first()
    if (asks('next_btn')) return choose(session, form)
    if (asks('search_btn_search')) return search(session, form, call.listing)
    return first()
  }

  /** The answer of each step if the site has lost its data: well-formed and empty. */
  const emptied = (session: CunySession, call: Call): Answer => {
    const form = formOf(call)
    if (call.url.searchParams.has('class_number_searched')) return emptyDetailPage()
    if (form.has('search_btn_search')) return session.chosen ? criteria(session.chosen, NO_RESULTS) : first()
    if (!form.has('next_btn')) return firstPage([], [])
    const page = choose(session, form)
    return session.chosen ? criteriaPage(session.chosen, [], new Set()) : page
  }

  return {
    service: CUNY_SOURCE,
    prefix: '/cuny/CFGlobalSearchTool',
    answer: (call) => {
      const { session, setCookie } = sessions.open(call.cookies.get('JSESSIONID'), world.now())
      if (call.path === '/search.jsp') return withCookies(first(), setCookie)
      if (call.path === '/CFSearchToolController') return withCookies(control(session, call), setCookie)
      return html('<html><body><h2>Error 404--Not Found</h2></body></html>', 404)
    },
    emptyAnswer: (call) => {
      const { session, setCookie } = sessions.open(call.cookies.get('JSESSIONID'), world.now())
      return withCookies(emptied(session, call), setCookie)
    },
    lists: (call) => call.method === 'POST' && formOf(call).has('search_btn_search'),
    errorBody: (status) => ({
      type: 'text/html;charset=ISO-8859-1',
      body: `<html><body><h2>Error ${status}</h2></body></html>`,
    }),
  }
}
