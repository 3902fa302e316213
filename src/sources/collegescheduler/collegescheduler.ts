import { refuseAddress } from '../address.ts'
import { known } from '../answer.ts'
import { isLoopback } from '../cookies.ts'
import type { Answer, Lane, Source, SourceAddress, SubjectsAndCareers, Tools } from '../source.ts'
import { HOST_ENDING } from './calls.ts'
import { CourseSearch } from './course-search.ts'
import { readGroup, readTerm } from './groups.ts'
import { readSeats } from './seats.ts'

/**
 * The public course search of College Scheduler (Civitas Learning): one school per address, a group is a subject in a
 * term. About seats it says only how many are free and how many there are: seats that are kept for a waiting list or
 * for certain students look free. It has no call for one section that costs less than a poll's.
 */
export const collegescheduler: Source = {
  kind: 'collegescheduler',
  label: 'College Scheduler',
  settings: [],
  address: {
    ending: '',
    host: HOST_ENDING,
    help: 'of the public course search, without a path',
    example: `https://example${HOST_ENDING}`,
  },
  scopes: [],
  number_label: 'Class #',
  reads: { catalog: 'term', status: 'group', figures: 'always' },
  checkAddress,
  openLane,
  link: ({ url }) => url,
}

/** On this machine, the name of the school is at the end of the path. */
function checkAddress(url: string): string | null {
  const refusal = refuseAddress(url, '')
  if (refusal !== null) return refusal
  const { hostname, pathname } = new URL(url)
  if (isLoopback(hostname)) return pathname === '/' ? 'The address must end in the name of a school.' : null
  if (!hostname.endsWith(HOST_ENDING)) return `The address must be https://NAME${HOST_ENDING}.`
  return pathname === '/' ? null : 'The address must not have a path.'
}

function openLane(address: SourceAddress, tools: Tools): Lane {
  const search = new CourseSearch(address, tools)
  return {
    termsAndSchools: () => search.terms(),
    subjects: ({ term }) => readSubjects(search, term),
    sections: ({ term, subject }) => readGroup(search, term, subject),
    wholeTerm: ({ term }, from) => readTerm(search, term, from ?? null),
    seats: (groups) => readSeats(search, tools, groups),
  }
}

/** The system has no list of subjects: they come from its courses and have no names besides their codes. */
async function readSubjects(search: CourseSearch, term: string): Promise<Answer<SubjectsAndCareers>> {
  const courses = await search.courses(term)
  if (!courses.known) return courses
  const keys = [...new Set(courses.value.map(({ subject }) => subject))].toSorted()
  return known({ subjects: keys.map((key) => ({ key, name: key })), careers: [''] })
}
