import type { BannerStyle, OnlySystem, School, Season, Term } from './types.ts'

const SEASON_MONTHS: Record<Season, string> = { Spring: 'Jan-May', Summer: 'Jun-Aug', Fall: 'Aug-Dec' }

/** The first half of an academic year belongs to the year that follows: Fall 2026 is 2027's. */
const academicYear = (term: Term): number => (term.season === 'Fall' ? term.year + 1 : term.year)

const harbor: BannerStyle = {
  slug: 'harbor',
  termCode: (term) => `${term.year}${{ Spring: '10', Summer: '20', Fall: '40' }[term.season]}`,
  termDescription: (term) => `${term.season} ${term.year}`,
  nodeCookies: ['AWSALB', 'AWSALBCORS'],
  openSection: 'seats',
  enrollmentInfo: 'full',
  mepCode: null,
  needsFilter: false,
  hidesFaculty: false,
  escapesTwice: false,
  lostPathMode: null,
  nameOrder: 'last_first',
  extraKeys: true,
  oddTerms: [{ code: '202699', description: 'Continuing Education &amp; Extension' }],
  hasPastTerm: false,
}

const northfield: BannerStyle = {
  slug: 'northfield',
  termCode: (term) => `${academicYear(term)}${{ Fall: '10', Spring: '30', Summer: '50' }[term.season]}`,
  termDescription: (term) => `${term.season} ${term.year} Semester`,
  nodeCookies: ['northfield-cookie'],
  openSection: 'seats',
  enrollmentInfo: 'short',
  mepCode: null,
  needsFilter: false,
  hidesFaculty: true,
  escapesTwice: false,
  lostPathMode: 'registration',
  nameOrder: 'last_first',
  extraKeys: false,
  oddTerms: [],
  hasPastTerm: true,
}

const cedar: BannerStyle = {
  slug: 'cedar-valley',
  termCode: (term) => `${term.year}${{ Spring: '01', Summer: '06', Fall: '09' }[term.season]}`,
  termDescription: (term) => `${term.season} ${term.year} (${SEASON_MONTHS[term.season]})`,
  nodeCookies: ['BIGipServer~SSB~pool_registration_8443'],
  openSection: 'seats_or_list',
  enrollmentInfo: 'full',
  mepCode: 'CVCC',
  needsFilter: true,
  hidesFaculty: false,
  escapesTwice: true,
  lostPathMode: null,
  nameOrder: 'first_last',
  extraKeys: false,
  oddTerms: [],
  hasPastTerm: false,
}

function bannerSchool(name: string, campuses: readonly string[], subjectCount: number, banner: BannerStyle): School {
  return { source: name, name, campuses, banner, only: null, institution: null, subjectCount }
}

function otherSchool(name: string, campuses: readonly string[], subjectCount: number, only: OnlySystem): School {
  return { source: name, name, campuses, banner: null, only, institution: null, subjectCount }
}

const mapleRidge: OnlySystem = {
  kind: 'fose',
  label: 'CourseLeaf',
  slug: 'maple-ridge',
  path: '/schools/maple-ridge/classes/api',
  settings: {},
}

const graniteBay: OnlySystem = {
  kind: 'hcx',
  label: 'PeopleSoft',
  slug: 'granite-bay',
  path: '/schools/granite-bay/hcx/psc/csprd/EMPLOYEE/SA/s',
  settings: { institution: 'GRBAY' },
}

const oldMill: OnlySystem = {
  kind: 'banner8',
  label: 'Banner 8',
  slug: 'old-mill',
  path: '/schools/old-mill/PROD',
  settings: {},
}

/** The one site that publishes several colleges. */
export const CUNY_SOURCE = 'CUNY Global Search'

function college(name: string, institution: string, subjectCount: number): School {
  return { source: CUNY_SOURCE, name, campuses: [name], banner: null, only: null, institution, subjectCount }
}

/** Every simulated school. A Banner source publishes one school and has its name. */
export const SCHOOLS: readonly School[] = [
  bannerSchool('Harbor State University', ['Main Campus', 'Wharf & Pier Center', 'Online'], 18, harbor),
  bannerSchool('Northfield Technical University', ['Northfield', 'Downtown'], 12, northfield),
  bannerSchool('Cedar Valley Community College', ['Cedar Valley', 'Ridge Center'], 14, cedar),
  otherSchool('Maple Ridge University', ['Maple Ridge', 'Online'], 6, mapleRidge),
  otherSchool('Granite Bay State University', ['Granite Bay', 'Online'], 5, graniteBay),
  otherSchool('Old Mill College', ['Old Mill', 'Online'], 5, oldMill),
  college('Queens College', 'QNS01', 10),
  college('Hunter College', 'HTR01', 9),
  college('Baruch College', 'BAR01', 8),
  college('School of Labor&Urban Studies', 'SLU01', 4),
]
