import { html, json, type Answer, type Call, type StandIn } from '../http.ts'
import type { Listing } from '../schools/listing.ts'
import { seatsAvailable } from '../schools/seats.ts'
import type { Course, School, Section, Term } from '../schools/types.ts'
import type { World } from '../world.ts'
import { type Asked, readRequest } from './request.ts'
import { courseId, courseNode, sectionNode, termCode } from './rows.ts'

interface Style {
  school: string
  /** The system's name for it. */
  slug: string
  termName: (term: Term) => string
  /** The maximum of one answer, whatever is requested. */
  mostInAnswer: number
}

const STYLES: readonly Style[] = [
  {
    school: 'Harbor State University',
    slug: 'harbor',
    termName: ({ year, season }) => `${season} ${year}`,
    mostInAnswer: 60,
  },
  {
    school: 'Maple Ridge University',
    slug: 'mapleridge',
    termName: ({ year, season }) => `${year} ${season}`,
    mostInAnswer: 100,
  },
]

/** The public course search of College Scheduler beside the schools' own systems, with the same changes. */
export function collegeschedulerStandIns(world: World): StandIn[] {
  return STYLES.flatMap((style) => {
    const school = world.catalog.schools.find(({ name }) => name === style.school)
    return school ? [courseSearch(world, school, style)] : []
  })
}

function courseSearch(world: World, school: School, style: Style): StandIn {
  const terms = (): Term[] => world.catalog.termsOf(school).filter(({ past }) => !past)
  const sectionsOf = (term: Term): Section[] => world.catalog.of(school, term).filter(({ offered }) => offered)
  const coursesOf = (term: Term): Course[] => [
    ...new Map(sectionsOf(term).map(({ course }) => [`${course.subject.code} ${course.level}`, course])).values(),
  ]

  const findCourses = ({ termCode: code, query, includeFullCourses, first, after }: Asked['values']): unknown => {
    const term = terms().find((one) => termCode(one) === code)
    if (term === undefined) return null
    const hasRoom = (course: Course): boolean =>
      sectionsOf(term).some((section) => isOf(section, course) && seatsAvailable(section) > 0)
    const courses = coursesOf(term).filter((course) => includeFullCourses === true || hasRoom(course))
    const found = typeof query === 'string' ? ranked(courses, query) : courses
    return page(found, (course) => courseNode(style.slug, term, course), first, after)
  }

  const courseSections = (
    { courseId: id, includeFullSections, first, after }: Asked['values'],
    listing: Listing | undefined,
  ): unknown => {
    const found = terms().flatMap((term) =>
      coursesOf(term).flatMap((course) => (courseId(style.slug, term, course) === id ? [{ term, course }] : [])),
    )
    const [wanted] = found
    if (wanted === undefined) return null
    const sections = sectionsOf(wanted.term)
      .filter((section) => isOf(section, wanted.course))
      .map((section) => listing?.get(section) ?? section)
      .filter((section) => includeFullSections === true || seatsAvailable(section) > 0)
    return { totalSections: sections.length, ...page(sections, sectionNode, first, after) }
  }

  /** Cursors are positions in the list. */
  const page = <Item>(items: readonly Item[], nodeOf: (item: Item) => object, first: unknown, after: unknown) => {
    const from = typeof after === 'string' ? Number(Buffer.from(after, 'base64').toString()) : 0
    const to = from + Math.min(Number(first), style.mostInAnswer)
    const hasNextPage = to < items.length
    return {
      pageInfo: { hasNextPage, endCursor: hasNextPage ? Buffer.from(String(to)).toString('base64') : null },
      edges: items.slice(from, to).map((item) => ({ node: nodeOf(item) })),
    }
  }

  const isApi = ({ path }: Call): boolean => path === '/graphql'
  const answerOf = (call: Call, valueOf: (asked: Asked) => unknown): Answer => {
    const asked = readRequest(call)
    if (typeof asked === 'string') return json({ errors: [{ message: asked }] })
    const environment = asked.school === style.slug ? { [asked.field]: valueOf(asked) } : null
    return json({ data: { environment } })
  }

  return {
    service: school.source,
    prefix: `/collegescheduler/${style.slug}`,
    answer: (call) => {
      if (!isApi(call)) return html('<!DOCTYPE html><html><body><div id="root"></div></body></html>')
      return answerOf(call, ({ field, values }) => {
        if (field === 'findCourses') return findCourses(values)
        if (field === 'getCourseSections') return courseSections(values, call.listing)
        return terms().map((term) => ({ code: termCode(term), name: style.termName(term) }))
      })
    },
    emptyAnswer: (call) =>
      isApi(call)
        ? answerOf(call, ({ field }) => (field === 'courseSearchTerms' ? [] : { totalSections: 0, ...EMPTY_PAGE }))
        : null,
    lists: (call) => isApi(call) && call.body.includes('getCourseSections'),
    errorBody: (status) => ({
      type: 'application/json',
      body: JSON.stringify({ errors: [{ message: `Error ${status}` }] }),
    }),
  }
}

const EMPTY_PAGE = { pageInfo: { hasNextPage: false, endCursor: null }, edges: [] }

function isOf(section: Section, { subject, level }: Course): boolean {
  return section.course.subject.code === subject.code && section.course.level === level
}

/** Courses of the subject, with similar ones before the one that was meant, as seen in the real search. */
function ranked(courses: readonly Course[], query: string): Course[] {
  const [subject = '', level] = query.split(' ')
  const found = courses.filter((course) => course.subject.code.startsWith(subject))
  const isMeant = (course: Course): boolean => course.subject.code === subject && course.level === level
  const others = found.filter((course) => !isMeant(course))
  return [...others.slice(0, 4), ...found.filter(isMeant), ...others.slice(4)]
}
