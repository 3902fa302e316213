import { refuseAddress } from '../address.ts'
import { known, mapKnown } from '../answer.ts'
import type { Answer, Group, GroupSections, Lane, Source, SourceAddress, Tools, WatchedGroup } from '../source.ts'
import { type CountedPage, CountedWalk, readAll, walkTerm } from '../walk-pages.ts'
import { readBySearch } from '../watched-sections.ts'
import { MAX_PAGE_SIZE } from './calls.ts'
import { readDetails } from './enrollment-info.ts'
import { readSubjects, readTerms } from './lists.ts'
import type { SearchPage } from './search-page.ts'
import { BannerSession, type Search } from './session.ts'

const ENDING = '/StudentRegistrationSsb/ssb'
/** Some schools name it after themselves: /ecsuprodStudentRegistrationSsb/ssb, /StudentRegistration/ssb. */
const OTHER_ENDING = /\/\w*StudentRegistration\w*\/ssb$/

/** Ellucian Banner 9, Student Registration Self-Service: one school per address, a group is a subject in a term. */
export const banner9: Source = {
  kind: 'banner9',
  label: 'Ellucian Banner 9',
  settings: [
    { name: 'mepCode', meaning: 'The institution code that shared systems require.' },
    { name: 'campus', meaning: 'The campus as its rows name it, if several colleges share a site.' },
    {
      name: 'campus_match',
      meaning: '"first word" where rows begin with it and go on; "exact", or nothing, where they equal it.',
    },
    {
      name: 'view_only_terms',
      meaning: '"offered" at schools that mark a coming term "View Only"; otherwise such terms are left alone.',
    },
  ],
  address: {
    ending: ENDING,
    help: `up to and including ${ENDING}`,
    example: `https://registration.example.edu${ENDING}`,
  },
  scopes: ['campus'],
  number_label: 'CRN',
  reads: { catalog: 'term', status: 'group', figures: 'always' },
  checkAddress: (url) => refuseAddress(url, OTHER_ENDING.exec(url)?.[0] ?? ENDING),
  openLane,
  link,
}

function openLane(address: SourceAddress, tools: Tools): Lane {
  const session = new BannerSession(address, tools)
  const isOurs = campusFilter(address)
  const isViewOnlyOffered = address.settings['view_only_terms'] === 'offered'
  return {
    termsAndSchools: () => readTerms(session, isViewOnlyOffered),
    subjects: ({ term }) => readSubjects(session, term),
    sections: async ({ term, subject }: Group) =>
      ofCampus(await readAll(() => new CountedWalk(), session.search({ term, subject })), isOurs),
    async *wholeTerm({ term }, from) {
      for await (const page of walkTerm(session.searchTerm(term), FINDS_NOTHING, from)) yield ofCampus(page, isOurs)
    },
    // `getEnrollmentInfo` lacks the shared seats of cross-listed sections, so it cannot distinguish open from full.
    seats: (groups, termSizes) =>
      readBySearch(groups, termSizes, {
        now: tools.now,
        pageSize: MAX_PAGE_SIZE,
        // Criteria are reset between two searches.
        extraCost: 1,
        ofGroup: (watched) => onCampus(searchGroup(session, watched), isOurs),
        ofTerm: (term) => onCampus(session.searchTerm(term), isOurs),
      }),
    details: ({ term }, sectionKey) => readDetails(session, term, sectionKey),
  }
}

/** Some schools require a filter in any term. */
const FINDS_NOTHING = 'The school finds nothing in a search without a filter, as some do for any term.'

/**
 * Narrowed to one course if all watches are for it: a smaller answer for the same request. CRNs identify the sections. If
 * the course is not found, the whole subject shows whether it is gone.
 */
function searchGroup(session: BannerSession, { group: { term, subject }, watched }: WatchedGroup): Search {
  const ofSubject = session.search({ term, subject })
  const [level = '', ...others] = new Set(watched.map((section) => section.level))
  if (level === '' || others.length > 0) return ofSubject
  let search = session.search({ term, subject, courseNumber: level })
  return async (walk) => {
    const page = await search(walk)
    if (!page.known || page.value.totalCount > 0 || walk.rows > 0) return page
    search = ofSubject
    return search(walk)
  }
}

/** The search without the sections of other campuses, which count as rows. */
function onCampus(search: Search, isOurs: CampusFilter): (walk: CountedWalk) => Promise<Answer<CountedPage>> {
  if (isOurs === null) return search
  const ours = (page: SearchPage): CountedPage => ({
    ...page,
    keys: new Set(page.sections.map(({ section_key }) => section_key)),
    sections: page.sections.filter(({ campus = '' }) => isOurs(campus)),
  })
  return async (walk) => mapKnown(await search(walk), ours)
}

/** A section has no page of its own, so this is the start of the school's class search. */
function link(address: SourceAddress): string {
  const url = new URL(`${address.url}/term/termSelection?mode=search`)
  const { mepCode } = address.settings
  if (mepCode !== undefined && mepCode !== '') url.searchParams.set('mepCode', mepCode)
  return url.href
}

/** Null if every section belongs to the school. */
type CampusFilter = ((campus: string) => boolean) | null

/**
 * Whether a section on this campus belongs to the school, according to the operator's settings; null if the address is
 * a single school. Whole names are compared, because first words collide on some hosts, and case is kept.
 */
export function campusFilter({ settings }: SourceAddress): CampusFilter {
  const { campus: wanted = '', campus_match: how } = settings
  if (wanted === '') return null
  if (how !== 'first word') return (campus) => campus === wanted
  return (campus) => campus.startsWith(wanted) && !/^[\p{L}\p{N}]/u.test(campus.slice(wanted.length))
}

/** The answer without the sections of other campuses. Rows without a campus are left out too. */
function ofCampus(answer: Answer<GroupSections>, isOurs: CampusFilter): Answer<GroupSections> {
  if (isOurs === null || !answer.known) return answer
  const { value, warnings } = answer
  const sections = value.sections.filter(({ campus = '' }) => isOurs(campus))
  const withoutCampus = value.sections.filter(({ campus = '' }) => campus === '').length
  const left = withoutCampus === 0 ? [] : [`${withoutCampus} rows name no campus; they are left out.`]
  const stated_count = value.stated_count === null ? null : sections.length
  return known({ ...value, sections, stated_count }, [...warnings, ...left])
}
