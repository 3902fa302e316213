import { randomBytes } from 'node:crypto'
import { html, json, jsonObjectOf, text, withCookies, type Answer, type Call, type StandIn } from '../http.ts'
import { subjectsAmong } from '../schools/catalog.ts'
import { type Listing, offeredOf } from '../schools/listing.ts'
import type { BannerStyle, School, Section } from '../schools/types.ts'
import type { World } from '../world.ts'
import { type ColleagueStyle, courseId, locationCode, rowOf, termCode, termName, wrappedRowOf } from './rows.ts'

/** Schools of the local world that can be read by this protocol as well as by their own. */
const STYLES: readonly ColleagueStyle[] = [
  {
    school: 'Harbor State University',
    generation: 'words',
    pageCap: 500,
    separator: '-',
    hidesEnrolled: false,
    listsCourses: false,
  },
  {
    school: 'Northfield Technical University',
    generation: 'words',
    pageCap: 30,
    separator: '_',
    hidesEnrolled: false,
    listsCourses: true,
  },
  {
    school: 'Cedar Valley Community College',
    generation: 'numbers',
    pageCap: 30,
    separator: '*',
    hidesEnrolled: true,
    listsCourses: false,
  },
]

const COOKIES = {
  words: '.ColleagueSelfServiceAntiforgery',
  numbers: '__RequestVerificationToken_L1N0dWRlbnQ1',
} as const

const CALLS = {
  words: {
    filters: 'Courses/GetCatalogAdvancedSearch',
    search: 'Courses/PostSearchCriteria',
    course: 'Courses/Sections',
  },
  numbers: {
    filters: 'Courses/GetCatalogAdvancedSearchAsync',
    search: 'Courses/SearchAsync',
    course: 'Courses/SectionsAsync',
  },
} as const

/**
 * Colleague Self-Service at the schools that have it, each beside the school's own system and with the same changes.
 */
export function colleagueStandIns(world: World): StandIn[] {
  return STYLES.flatMap((style) => {
    const school = world.catalog.schools.find(({ name }) => name === style.school)
    return school?.banner ? [colleagueStandIn(world, school, school.banner, style)] : []
  })
}

function colleagueStandIn(world: World, school: School, { slug }: BannerStyle, style: ColleagueStyle): StandIn {
  const prefix = `/schools/${slug}/Student`
  const calls = CALLS[style.generation]
  const cookie = COOKIES[style.generation]
  /** Tokens by the cookie they belong to. */
  const visits = new Map<string, string>()
  world.endSessions.add(() => visits.clear())

  const sectionsOf = (codes: readonly string[], listing?: Listing): Section[] => {
    const terms = world.catalog.termsOf(school).filter((term) => codes.includes(termCode(term, style)))
    return offeredOf(
      terms.flatMap((term) => world.catalog.of(school, term)),
      listing,
    )
  }

  const openPage = (): Answer => {
    const [key, token] = [randomBytes(16).toString('base64url'), randomBytes(48).toString('base64url')]
    visits.set(key, token)
    const input =
      style.generation === 'words'
        ? `<input name="__RequestVerificationToken" type="hidden" value="${token}" />`
        : `<input value="${token}" type="hidden" name="__RequestVerificationToken" />`
    const page = `<!DOCTYPE html>
<html lang="en"><head><title>Course Catalog</title></head><body><form><input type="text" name="keyword" value="" />${input}</form>
<script>Ellucian.Course.ActionUrls.postSearch = "${prefix}/${calls.search}";</script></body></html>`
    return withCookies(html(page), [`${cookie}=${key}; Path=${prefix}; HttpOnly; Secure`])
  }

  const isVisitor = (call: Call): boolean => {
    const token = visits.get(call.cookies.get(cookie) ?? '')
    return token !== undefined && call.headers['__requestverificationtoken'] === token
  }

  const filters = (terms: readonly { code: string; name: string }[], sections: readonly Section[]): Answer =>
    json({
      Subjects: subjectsAmong(sections).map(({ code, name }) => ({
        Code: code,
        Description: name,
        ShowInCourseSearch: true,
      })),
      Terms: terms.map(({ code, name }) => ({ Item1: code, Item2: name })),
      Locations: school.campuses.map((name) => ({ Item1: locationCode(school, name), Item2: name })),
      DefaultSearchResultView: 'CatalogListing',
    })

  const allFilters = (): Answer => {
    const terms = world.catalog.termsOf(school).map((term) => ({ code: termCode(term, style), name: termName(term) }))
    const sections = sectionsOf(terms.map(({ code }) => code))
    return filters([...terms, { code: 'CE', name: 'Continuing Education' }], sections)
  }

  const criteriaOf = (call: Call): Record<string, unknown> | null => {
    const body = jsonObjectOf(call)
    if (style.generation === 'words') return body
    const inner = body?.['searchParameters']
    return typeof inner === 'string' ? jsonObjectOf({ ...call, body: inner }) : null
  }

  const search = (call: Call): Answer => {
    const criteria = criteriaOf(call)
    if (criteria === null || criteria['sortOn'] === '' || criteria['sortDirection'] === '') {
      return text('The search criteria is required.', 400)
    }
    const wanted = (name: string): string[] => {
      const value = criteria[name]
      return Array.isArray(value) ? value.map(String) : []
    }
    const [subjects, locations, ids] = [wanted('subjects'), wanted('locations'), wanted('sectionIds')]
    const found = sectionsOf(wanted('terms'), ids.length > 0 ? undefined : call.listing).filter(
      ({ course, campus, number }) =>
        (subjects.length === 0 || subjects.includes(course.subject.code)) &&
        (locations.length === 0 || locations.includes(locationCode(school, campus))) &&
        (ids.length === 0 || ids.includes(number)),
    )
    const isListing = criteria['searchResultsView'] === 'SectionListing' && !style.listsCourses
    return isListing ? listing(found, criteria) : courseListing(found, criteria)
  }

  const envelope = (total: number, page: number, size: number): Record<string, unknown> => ({
    Keyword: null,
    ErrorMessage: '',
    TotalItems: total,
    TotalPages: Math.ceil(total / size),
    PageSize: size,
    CurrentPageIndex: page,
    TypeOfSearchResultView: style.generation === 'words' ? 'SectionListing' : 1,
  })

  const listing = (found: readonly Section[], criteria: Record<string, unknown>): Answer => {
    const size = Math.min(Number(criteria['quantityPerPage']) || 30, style.pageCap)
    const page = Number(criteria['pageNumber']) || 1
    const rows = found.slice((page - 1) * size, page * size).map((section) => rowOf(section, style))
    return json({ Subjects: [], TermFilters: [], ...envelope(found.length, page, size), Sections: rows })
  }

  const courseListing = (found: readonly Section[], criteria: Record<string, unknown>): Answer => {
    const byCourse = [...Map.groupBy(found, courseId)]
    const page = Number(criteria['pageNumber']) || 1
    const Courses = byCourse.slice((page - 1) * style.pageCap, page * style.pageCap).map(([Id, sections]) => ({
      Id,
      SubjectCode: sections[0]?.course.subject.code,
      Number: sections[0]?.course.level,
      Title: sections[0]?.course.title,
      MatchingSectionIds: sections.map(({ number }) => number),
    }))
    return json({ ...envelope(byCourse.length, page, style.pageCap), Courses, Sections: null })
  }

  const course = (call: Call): Answer => {
    const body = jsonObjectOf(call)
    const ids = Array.isArray(body?.['sectionIds']) ? body['sectionIds'].map(String) : []
    const every = sectionsOf(world.catalog.termsOf(school).map((term) => termCode(term, style)))
    const found = every.filter((section) => courseId(section) === body?.['courseId'] && ids.includes(section.number))
    return courseAnswer(
      [...Map.groupBy(found, ({ term }) => term)].map(([term, sections]) => ({
        Term: { Code: termCode(term, style), Description: termName(term) },
        Sections: sections.map((section) => wrappedRowOf(section, style)),
      })),
    )
  }

  const courseAnswer = (terms: object[]): Answer => {
    const found = { TermsAndSections: terms, Course: null }
    return json(style.generation === 'words' ? { SectionsRetrieved: found, MaxJsonLength: 2147483647 } : found)
  }

  const operation = (call: Call): string => call.path.replace(/^\/+|\/+$/g, '')
  const isSearch = (call: Call): boolean => operation(call) === calls.search

  return {
    service: school.source,
    prefix,
    answer: (call) => {
      const name = operation(call)
      if (name === 'Courses' || name === 'Courses/Search') return openPage()
      if (!Object.values<string>(calls).includes(name)) return html('<html><body><h1>404</h1></body></html>', 404)
      if (!isVisitor(call)) return text('The required antiforgery token could not be validated.', 400)
      if (name === calls.course) return course(call)
      return isSearch(call) ? search(call) : allFilters()
    },
    emptyAnswer: (call) => {
      if (operation(call) === calls.filters) return filters([], [])
      if (operation(call) === calls.course) return courseAnswer([])
      const nothing = style.listsCourses ? { Courses: [], Sections: null } : { Sections: [] }
      return isSearch(call) ? json({ ...envelope(0, 1, 30), ...nothing }) : null
    },
    lists: (call) => isSearch(call) && !call.body.includes('sectionIds'),
    errorBody: (status) => ({
      type: 'text/html;charset=UTF-8',
      body: `<html><head><title>Error ${status}</title></head><body>Something unexpected happened.</body></html>`,
    }),
  }
}
