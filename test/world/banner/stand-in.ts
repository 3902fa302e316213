import { formOf, html, json, text, withCookies, type Answer, type Call, type StandIn } from '../http.ts'
import { subjectsAmong } from '../schools/catalog.ts'
import { type Listing, offeredOf } from '../schools/listing.ts'
import type { BannerStyle, School, Section } from '../schools/types.ts'
import type { World } from '../world.ts'
import { classDetails, crossListed, enrollmentInfo, needsInstitution, searchPageHtml } from './fragments.ts'
import { facultyOf, label, meetingOf } from './rows.ts'
import { criteriaOf, lostSession, searchPage } from './search.ts'
import { BannerSessions } from './sessions.ts'

interface Option {
  code: string
  description: string
}

/** `offset` is a 1-based page here, not a row. */
function optionPage(options: readonly Option[], query: URLSearchParams): Answer {
  const wanted = (query.get('searchTerm') ?? '').toLowerCase()
  const max = Number(query.get('max')) || 10
  const page = Number(query.get('offset')) || 1
  const found = options.filter((option) => `${option.code} ${option.description}`.toLowerCase().includes(wanted))
  return json(found.slice((page - 1) * max, page * max))
}

/** One school's Banner 9 Student Registration, as an anonymous reader sees it. */
export function bannerStandIn(world: World, school: School, style: BannerStyle): StandIn {
  const application = `/schools/${style.slug}/StudentRegistrationSsb`
  const base = `${application}/ssb`
  const sessions = new BannerSessions(style, world.options.bannerSessionMs, application)
  world.endSessions.add(() => sessions.endAll())

  const terms = (): Option[] => [
    ...style.oddTerms,
    ...world.catalog.termsOf(school).map((term) => ({
      code: style.termCode(term),
      description: `${style.termDescription(term)}${term.past ? ' (View Only)' : ''}`,
    })),
  ]
  const sectionsOf = (code: string | null, listing?: Listing): Section[] => {
    const term = world.catalog.termsOf(school).find((candidate) => style.termCode(candidate) === code)
    if (!term) return []
    return offeredOf(world.catalog.of(school, term), listing)
  }
  const chosen = (call: Call): Section | null => {
    const form = formOf(call)
    const value = (name: string): string | null => call.url.searchParams.get(name) ?? form.get(name)
    return sectionsOf(value('term')).find((section) => section.number === value('courseReferenceNumber')) ?? null
  }

  const search = (call: Call): Answer => {
    const { session, cookies } = sessions.find(call, world.now())
    const query = call.url.searchParams
    if (!session || session.term === null || session.term !== query.get('txt_term'))
      return withCookies(lostSession(style), cookies)
    session.criteria ??= call.method === 'GET' ? criteriaOf(query) : new URLSearchParams()
    return withCookies(searchPage(style, sectionsOf(session.term, call.listing), session.criteria, query), cookies)
  }

  const bindTerm = (call: Call): Answer => {
    const { session, node, cookies } = sessions.find(call, world.now())
    const term = formOf(call).get('term')
    if (!term)
      return withCookies(
        json({ regAllowed: false, studentEligFailures: ['No Classes Found in this Date Range'] }),
        cookies,
      )
    const begun = session ? null : sessions.begin(node, world.now())
    const bound = session ?? begun?.session
    // Any term is accepted, valid or not; another term starts over.
    if (bound && bound.term !== term) Object.assign(bound, { term, criteria: null })
    const answer = json({ fwdURL: `${base}/classSearch/classSearch` })
    return withCookies(answer, begun ? [begun.cookie, ...cookies] : cookies)
  }

  const reset = (call: Call): Answer => {
    const { session, cookies } = sessions.find(call, world.now())
    if (session) session.criteria = null
    return withCookies(style.escapesTwice ? json({ reset: true }) : text('true'), cookies)
  }

  const openPage = (call: Call): Answer => {
    const { session, node, cookies } = sessions.find(call, world.now())
    const begun = session ? null : sessions.begin(node, world.now())
    const page = searchPageHtml(school, base, `a1b2c${world.now()}`)
    return withCookies(page, begun ? [begun.cookie, ...cookies] : cookies)
  }

  const facultyMeetingTimes = (call: Call): Answer => {
    const section = chosen(call)
    // A section without meetings still names its teacher.
    const meetings = section?.meetings.map((meeting, index) => meetingOf(style, section, meeting, index, true)) ?? []
    const nameless = section && meetings.length === 0 && section.instructors.length > 0
    const bare = {
      category: '01',
      courseReferenceNumber: section?.number,
      faculty: section ? facultyOf(style, section) : [],
      meetingTime: null,
    }
    return json({ fmt: nameless ? [bare] : meetings })
  }

  const subjects = (term: string | null): Option[] =>
    subjectsAmong(sectionsOf(term)).map(({ code, name }) => ({ code, description: label(style, name) }))

  const campuses = (): Option[] =>
    school.campuses.map((name) => ({ code: name.slice(0, 2).toUpperCase(), description: label(style, name) }))

  const routes: Record<string, (call: Call) => Answer> = {
    'GET classSearch/getTerms': ({ url }) =>
      optionPage(
        terms().toSorted((a, b) => b.code.localeCompare(a.code)),
        url.searchParams,
      ),
    'GET classSearch/get_subject': ({ url }) => optionPage(subjects(url.searchParams.get('term')), url.searchParams),
    'GET classSearch/get_campus': ({ url }) => optionPage(campuses(), url.searchParams),
    'GET classSearch/get_instructionalMethod': ({ url }) =>
      optionPage([{ code: 'TR', description: 'Traditional' }], url.searchParams),
    'GET classSearch/get_partOfTerm': ({ url }) =>
      optionPage([{ code: '1', description: 'Full Term' }], url.searchParams),
    'GET classSearch/classSearch': openPage,
    'GET term/termSelection': openPage,
    'POST term/search': bindTerm,
    'GET searchResults/searchResults': search,
    'POST searchResults/searchResults': search,
    'POST classSearch/resetDataForm': reset,
    'GET keepAlive/data': () => text('I am Alive'),
  }
  const fragments: Record<string, (call: Call) => Answer> = {
    getFacultyMeetingTimes: facultyMeetingTimes,
    getEnrollmentInfo: (call) => enrollmentInfo(style, chosen(call)),
    getClassDetails: (call) => classDetails(style, chosen(call)),
    getXlstSections: (call) => crossListed(chosen(call)),
    ...Object.fromEntries(
      [
        'getCourseDescription',
        'getRestrictions',
        'getSectionPrerequisites',
        'getCorequisites',
        'getLinkedSections',
        'getFees',
        'getSectionAttributes',
        'getSectionBookstoreDetails',
      ].map((name) => [name, () => html(`<section aria-labelledby="${name}">No information available.</section>`)]),
    ),
  }
  const nothing: Record<string, () => Answer> = {
    'classSearch/getTerms': () => json([]),
    'classSearch/get_subject': () => json([]),
    'searchResults/searchResults': () => lostSession(style),
    'searchResults/getFacultyMeetingTimes': () => json({ fmt: [] }),
    'searchResults/getEnrollmentInfo': () => enrollmentInfo(style, null),
  }
  const operation = (call: Call): string => call.path.replace(/^\/+|\/+$/g, '')

  return {
    service: school.source,
    prefix: base,
    answer: (call) => {
      const name = operation(call)
      const mep = call.url.searchParams.get('mepCode') ?? formOf(call).get('mepCode')
      if (style.mepCode !== null && mep !== style.mepCode) return needsInstitution()
      const fragment = name.startsWith('searchResults/') ? fragments[name.slice('searchResults/'.length)] : undefined
      const route = routes[`${call.method} ${name}`] ?? fragment
      return route ? route(call) : html('<html><body><h1>404</h1><p>Page not found.</p></body></html>', 404)
    },
    emptyAnswer: (call) => nothing[operation(call)]?.() ?? null,
    lists: (call) => operation(call) === 'searchResults/searchResults',
    errorBody: (status) => ({
      type: 'text/html;charset=UTF-8',
      body: `<html><head><title>Error ${status}</title></head><body>An unexpected error has occurred.</body></html>`,
    }),
  }
}
