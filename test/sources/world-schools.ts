import { banner8 } from '../../src/sources/banner8/banner8.ts'
import { banner9 } from '../../src/sources/banner9/banner9.ts'
import { colleague } from '../../src/sources/colleague/colleague.ts'
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
  /** What its lists do not have; `modes`: how a class is taught, or it is the same for all. */
  lacks?: readonly ('teachers' | 'times' | 'modes')[]
  /** Distinguishes open from full, and has no waitlist. */
  hasTwoStates?: boolean
  /** Its details do not include a waitlist. */
  hasNoWaitlistInDetails?: boolean
  /** Its details report 0 free seats if more are enrolled than there are seats. */
  detailsStopAtZero?: boolean
  /** The rest of the address of a page that people copy. */
  copiedPage?: string
}

/** A single school whose lists have a status and come in one answer, unless the other fields say more. */
function schoolAt(path: string, name: string, fields: Pick<WorldSchool, 'source'> & Partial<WorldSchool>): WorldSchool {
  return {
    path,
    settings: {},
    sourceName: name,
    schoolName: name,
    school: '',
    hasFigures: false,
    canReadWholeTerm: true,
    pageSize: Infinity,
    hasCourseCalls: false,
    firstRequests: 0,
    ...fields,
  }
}

const banner = (slug: string, name: string, fields: Partial<WorldSchool> = {}): WorldSchool =>
  schoolAt(`/schools/${slug}/StudentRegistrationSsb/ssb`, name, {
    source: banner9,
    hasFigures: true,
    pageSize: 500,
    copiedPage: '/classSearch/classSearch?mode=search',
    ...fields,
  })

const college = (school: string, schoolName: string): WorldSchool =>
  schoolAt('/cuny/CFGlobalSearchTool', 'CUNY Global Search', {
    source: cuny,
    schoolName,
    school,
    canReadWholeTerm: false,
    firstRequests: 1,
    copiedPage: '/search.jsp',
  })

/** Its figures are those of a shared room if there is one, so only plain sections show their own. */
const selfService = (slug: string, name: string, fields: Partial<WorldSchool>): WorldSchool =>
  schoolAt(`/schools/${slug}/Student`, name, {
    source: colleague,
    pageSize: 30,
    firstRequests: 1,
    detailsStopAtZero: true,
    copiedPage: '/Courses/Search?keyword=art',
    ...fields,
  })

/** Its lists have letters and no figures. */
const classSearch = (slug: string, name: string): WorldSchool =>
  schoolAt(`/schools/${slug}/classes/api`, name, { source: fose, lacks: ['modes'], detailsStopAtZero: true })

/** Everything but what is open comes in one answer, before which the other is requested. */
const schedule = (slug: string, name: string): WorldSchool =>
  schoolAt(`/schools/${slug}/soc/api`, name, { source: rutgers, school: 'NB', firstRequests: 2, hasTwoStates: true })

/**
 * PeopleSoft sites: one first answers with a redirect to itself, the older one admits only visitors who opened a page.
 */
const peopleSoft = (path: string, name: string, fields: Partial<WorldSchool>): WorldSchool =>
  schoolAt(`${path}/psc/csprd/EMPLOYEE/SA/s`, name, {
    source: hcx,
    hasFigures: true,
    pageSize: 50,
    firstRequests: 1,
    copiedPage: '/WEBLIB_HCX_CM.H_CLASS_SEARCH.FieldFormula.IScript_Main?institution=GRBAY',
    ...fields,
  })

/** Its lists have no seats: each section is requested separately. */
const classSchedule = (path: string, name: string, settings: Record<string, string> = {}): WorldSchool =>
  schoolAt(`/schools/${path}`, name, {
    source: banner8,
    settings,
    canReadWholeTerm: false,
    pageSize: 1,
    copiedPage: '/bwckschd.p_disp_dyn_sched',
  })

export const WORLD_SCHOOLS: readonly WorldSchool[] = [
  banner('harbor', 'Harbor State University'),
  banner('northfield', 'Northfield Technical University', {
    lacks: ['teachers', 'modes'],
    hasNoWaitlistInDetails: true,
  }),
  banner('cedar-valley', 'Cedar Valley Community College', {
    lacks: ['modes'],
    canReadWholeTerm: false,
    settings: { mepCode: 'CVCC' },
  }),
  selfService('harbor', 'Harbor State University', { pageSize: 200 }),
  selfService('northfield', 'Northfield Technical University', { hasCourseCalls: true }),
  // The older generation, which is recognized by a call that it does not know.
  selfService('cedar-valley', 'Cedar Valley Community College', { firstRequests: 2 }),
  schedule('harbor', 'Harbor State University'),
  classSearch('maple-ridge', 'Maple Ridge University'),
  classSearch('northfield', 'Northfield Technical University'),
  classSearch('cedar-valley', 'Cedar Valley Community College'),
  peopleSoft('/hcx', 'CUNY Global Search', {
    schoolName: 'Hunter College',
    settings: { institution: 'HTR01', shared: 'yes' },
  }),
  peopleSoft('/schools/northfield/hcx', 'Northfield Technical University', {
    settings: { institution: 'NRTHF' },
    pageSize: 30,
    firstRequests: 2,
    endsWithEmptyPage: true,
  }),
  peopleSoft('/schools/granite-bay/hcx', 'Granite Bay State University', { settings: { institution: 'GRBAY' } }),
  classSchedule('old-mill/PROD', 'Old Mill College'),
  classSchedule('harbor/pls/PROD', 'Harbor State University'),
  classSchedule('cedar-valley/prod', 'Cedar Valley Community College', { route: 'bwckctlg.p_disp_listcrse' }),
  college('QNS01', 'Queens College'),
  college('SLU01', 'School of Labor&Urban Studies'),
]

/** What the world itself says about a section. */
export interface WorldReport {
  section: string
  /** Reserved seats and shared rooms count against open. */
  status: string
}

/** The status that a school's own system reports for a section. */
export function reportedStatus({ hasTwoStates }: WorldSchool, { status }: Pick<WorldReport, 'status'>): string {
  return hasTwoStates && status === 'waitlisted' ? 'closed' : status
}

export function addressOf(school: WorldSchool, origin: string): SourceAddress {
  return { url: `${origin}${school.path}`, settings: school.settings }
}
