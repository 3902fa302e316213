import type { Call } from '../http.ts'
import type { SourceAddress } from '../source.ts'

/** How the addresses of all schools' public searches end. */
export const HOST_ENDING = '.search.collegescheduler.com'
/** One API answers for all schools. */
const API = 'https://api.collegescheduler.com/graphql'

/** How many to request at a time; the system may send fewer. */
export const COURSES_PER_LIST = 100
const SECTIONS_PER_PAGE = 100
/** A search ranks its results, so the intended course is near the top. */
const COURSES_PER_SEARCH = 20

// As they are sent: their text is quoted once, not for every course.
const TERMS = JSON.stringify(`query ($school: String!) {
  environment(name: $school) { courseSearchTerms { code name } }
}`)

const COURSES = JSON.stringify(`query ($school: String!, $term: String!, $query: String, $first: Int, $after: String) {
  environment(name: $school) {
    findCourses(termCode: $term, query: $query, includeFullCourses: true, first: $first, after: $after) {
      pageInfo { hasNextPage endCursor }
      edges { node { id courseNumber title subject { shortName } } }
    }
  }
}`)

const SECTIONS = JSON.stringify(`query ($school: String!, $course: ID!, $first: Int, $after: String) {
  environment(name: $school) {
    getCourseSections(courseId: $course, includeFullSections: true, first: $first, after: $after) {
      totalSections
      pageInfo { hasNextPage endCursor }
      edges {
        node {
          registrationNumber sectionNumber component instructors instructionMode campus openSeats totalSeats
          meetings { days startTime endTime startDate endDate building room }
        }
      }
    }
  }
}`)

/** Builds the requests of the public course search, which needs neither a session nor a token. */
export class Calls {
  readonly #api: string
  readonly #school: string

  constructor({ url }: SourceAddress) {
    const { hostname } = new URL(url)
    const isReal = hostname.endsWith(HOST_ENDING)
    this.#api = isReal ? API : `${url}/graphql`
    this.#school = (isReal ? hostname.split('.')[0] : url.split('/').at(-1)) ?? ''
  }

  terms(): Call {
    return this.#call(TERMS, {})
  }

  /** Every course of a term, `first` at a time, from a cursor on. */
  courses(term: string, first: number, after: string | null): Call {
    // A search without words lists everything.
    return this.#call(COURSES, { term, first, after })
  }

  /** The courses that match words, the best first. */
  search(term: string, query: string, after: string | null): Call {
    return this.#call(COURSES, { term, query, first: COURSES_PER_SEARCH, after })
  }

  /** The sections of one course, full ones too. */
  sections(course: string, after: string | null): Call {
    return this.#call(SECTIONS, { course, first: SECTIONS_PER_PAGE, after })
  }

  /** @param query as JSON */
  #call(query: string, variables: Readonly<Record<string, string | number | null>>): Call {
    return {
      url: this.#api,
      json: `{"query":${query},"variables":${JSON.stringify({ school: this.#school, ...variables })}}`,
      headers: { Accept: 'application/json' },
    }
  }
}
