import { banner8 } from '../../src/sources/banner8/banner8.ts'
import { banner9 } from '../../src/sources/banner9/banner9.ts'
import { colleague } from '../../src/sources/colleague/colleague.ts'
import { collegescheduler } from '../../src/sources/collegescheduler/collegescheduler.ts'
import { cuny } from '../../src/sources/cuny/cuny.ts'
import { fose } from '../../src/sources/fose/fose.ts'
import { hcx } from '../../src/sources/hcx/hcx.ts'
import { rutgers } from '../../src/sources/rutgers/rutgers.ts'
import type { Source, SourceAddress } from '../../src/sources/source.ts'

/** One school of the local world, and the adapter that should understand it. */
export interface WorldSchool {
  source: Source
  /** Its path under the world's address. */
  path: string
  settings: Record<string, string>
  /** Names on the control surface. */
  sourceName: string
  schoolName: string
  /** Its code among several schools; '' if there is one. */
  school: string
  /** Whether its lists have figures, or only a status. */
  hasFigures: boolean
  canReadWholeTerm: boolean
  /** The maximum of rows on a page of a whole term. */
  pageSize: number
  /** Lists courses, each of which is asked for its sections. */
  hasCourseCalls: boolean
  /** Requests before the first one about a section. */
  firstRequests: number
  /** Whether an empty page after the last one marks the end. */
  endsWithEmptyPage?: boolean
  /** Distinguishes open from full, and has no waitlist. */
  hasTwoStates?: boolean
  /** Reports only free seats, including those reserved for certain students, and has their status. */
  hasFreeSeatsOnly?: boolean
  /** Has no call for one section, though its lists have figures. */
  hasNoDetails?: boolean
  /**
   * Requests of a round, and of a whole term, by the number of requested courses; given if they differ from the usual
   * count.
   */
  requests?: { round: (courses: number) => number; term: (courses: number) => number }
}

function banner(slug: string, name: string, canReadWholeTerm: boolean, settings: Record<string, string>): WorldSchool {
  return {
    source: banner9,
    path: `/schools/${slug}/StudentRegistrationSsb/ssb`,
    settings,
    sourceName: name,
    schoolName: name,
    school: '',
    hasFigures: true,
    canReadWholeTerm,
    pageSize: 500,
    hasCourseCalls: false,
    firstRequests: 0,
  }
}

function college(school: string, name: string): WorldSchool {
  return {
    source: cuny,
    path: '/cuny/CFGlobalSearchTool',
    settings: {},
    sourceName: 'CUNY Global Search',
    schoolName: name,
    school,
    hasFigures: false,
    canReadWholeTerm: false,
    pageSize: Infinity,
    hasCourseCalls: false,
    firstRequests: 1,
  }
}

/** Its figures are those of a shared room if there is one, so only plain sections show their own. */
function selfService(
  slug: string,
  name: string,
  how: Pick<WorldSchool, 'pageSize' | 'firstRequests' | 'hasCourseCalls'>,
): WorldSchool {
  return {
    source: colleague,
    path: `/schools/${slug}/Student`,
    settings: {},
    sourceName: name,
    schoolName: name,
    school: '',
    hasFigures: false,
    canReadWholeTerm: true,
    ...how,
  }
}

/** Its lists have letters and no figures. */
function classSearch(slug: string, name: string): WorldSchool {
  return {
    source: fose,
    path: `/schools/${slug}/classes/api`,
    settings: {},
    sourceName: name,
    schoolName: name,
    school: '',
    hasFigures: false,
    canReadWholeTerm: true,
    pageSize: Infinity,
    hasCourseCalls: false,
    firstRequests: 0,
  }
}

/** Everything but what is open comes in one answer, before which the other is requested. */
function schedule(slug: string, name: string): WorldSchool {
  return {
    source: rutgers,
    path: `/schools/${slug}/soc/api`,
    settings: {},
    sourceName: name,
    schoolName: name,
    school: 'NB',
    hasFigures: false,
    canReadWholeTerm: true,
    pageSize: Infinity,
    hasCourseCalls: false,
    firstRequests: 2,
    hasTwoStates: true,
  }
}

/**
 * PeopleSoft sites: one first answers with a redirect to itself, the older one admits only visitors who opened a page.
 */
function peopleSoft(
  path: string,
  names: Pick<WorldSchool, 'sourceName' | 'schoolName' | 'settings'>,
  how: Pick<WorldSchool, 'pageSize' | 'firstRequests' | 'endsWithEmptyPage'>,
): WorldSchool {
  return {
    source: hcx,
    path: `${path}/psc/csprd/EMPLOYEE/SA/s`,
    ...names,
    school: '',
    hasFigures: true,
    canReadWholeTerm: true,
    hasCourseCalls: false,
    ...how,
  }
}

/** Its lists have no seats: each section is requested separately. */
function classSchedule(slug: string, path: string, name: string, settings: Record<string, string>): WorldSchool {
  return {
    source: banner8,
    path: `/schools/${slug}${path}`,
    settings,
    sourceName: name,
    schoolName: name,
    school: '',
    hasFigures: false,
    canReadWholeTerm: false,
    pageSize: 1,
    hasCourseCalls: false,
    firstRequests: 0,
  }
}

/** Each course is searched for, and asked for its sections; a whole term comes ten courses at a time. */
function courseSearch(slug: string, name: string): WorldSchool {
  return {
    source: collegescheduler,
    path: `/collegescheduler/${slug}`,
    settings: {},
    sourceName: name,
    schoolName: name,
    school: '',
    hasFigures: false,
    canReadWholeTerm: true,
    pageSize: 10,
    hasCourseCalls: true,
    firstRequests: 0,
    hasFreeSeatsOnly: true,
    hasNoDetails: true,
    requests: { round: (courses) => 2 * courses, term: (courses) => Math.ceil(courses / 10) + courses },
  }
}

export const WORLD_SCHOOLS: readonly WorldSchool[] = [
  banner('harbor', 'Harbor State University', true, {}),
  banner('northfield', 'Northfield Technical University', true, {}),
  banner('cedar-valley', 'Cedar Valley Community College', false, { mepCode: 'CVCC' }),
  selfService('harbor', 'Harbor State University', { pageSize: 200, firstRequests: 1, hasCourseCalls: false }),
  selfService('northfield', 'Northfield Technical University', {
    pageSize: 30,
    firstRequests: 1,
    hasCourseCalls: true,
  }),
  // The older generation, which is recognized by a call that it does not know.
  selfService('cedar-valley', 'Cedar Valley Community College', {
    pageSize: 30,
    firstRequests: 2,
    hasCourseCalls: false,
  }),
  schedule('harbor', 'Harbor State University'),
  classSearch('maple-ridge', 'Maple Ridge University'),
  classSearch('northfield', 'Northfield Technical University'),
  classSearch('cedar-valley', 'Cedar Valley Community College'),
  peopleSoft(
    '/hcx',
    {
      sourceName: 'CUNY Global Search',
      schoolName: 'Hunter College',
      settings: { institution: 'HTR01', shared: 'yes' },
    },
    { pageSize: 50, firstRequests: 1 },
  ),
  peopleSoft(
    '/schools/northfield/hcx',
    {
      sourceName: 'Northfield Technical University',
      schoolName: 'Northfield Technical University',
      settings: { institution: 'NRTHF' },
    },
    { pageSize: 30, firstRequests: 2, endsWithEmptyPage: true },
  ),
  peopleSoft(
    '/schools/granite-bay/hcx',
    {
      sourceName: 'Granite Bay State University',
      schoolName: 'Granite Bay State University',
      settings: { institution: 'GRBAY' },
    },
    { pageSize: 50, firstRequests: 1 },
  ),
  classSchedule('old-mill', '/PROD', 'Old Mill College', {}),
  classSchedule('harbor', '/pls/PROD', 'Harbor State University', {}),
  classSchedule('cedar-valley', '/prod', 'Cedar Valley Community College', { route: 'bwckctlg.p_disp_listcrse' }),
  courseSearch('mapleridge', 'Maple Ridge University'),
  courseSearch('harbor', 'Harbor State University'),
  college('QNS01', 'Queens College'),
  college('SLU01', 'School of Labor&Urban Studies'),
]

/** The status that a school's own system reports for a section. */
export function toldOf(
  { hasTwoStates, hasFreeSeatsOnly }: WorldSchool,
  { status, available }: { status: string; available: number },
): string {
  if (hasFreeSeatsOnly) return available > 0 ? 'open' : 'closed'
  return hasTwoStates && status === 'waitlisted' ? 'closed' : status
}

export function addressOf(school: WorldSchool, origin: string): SourceAddress {
  return { url: `${origin}${school.path}`, settings: school.settings }
}
