import { refuseAddress } from '../address.ts'
import { known } from '../answer.ts'
import type { Answer, Lane, Source, SourceAddress, Tools, WatchedGroup } from '../source.ts'
import { type CountedPage, CountedWalk, readAll, walkTerm } from '../walk-pages.ts'
import { PollNotes } from '../poll-notes.ts'
import { readBySearch, type Searches } from '../watched-sections.ts'
import { Calls, MAX_PAGE_SIZE } from './calls.ts'
import { readSubjects, readTerms } from './lists.ts'
import { BannerSession, type Search as BannerSearch } from './session.ts'

const ENDING = '/StudentRegistrationSsb/ssb'
/** Some schools name it after themselves: /ecsuprodStudentRegistrationSsb/ssb, /StudentRegistration/ssb. */
const OTHER_ENDING = /\/\w*StudentRegistration\w*\/ssb$/

type Search = (walk: CountedWalk) => Promise<Answer<CountedPage>>

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
  scopes: [],
  number_label: 'CRN',
  reads: { catalog: 'term', status: 'group' },
  checkAddress: (url) => refuseAddress(url, OTHER_ENDING.exec(url)?.[0] ?? ENDING),
  openLane,
  link: (address) => new Calls(address).searchPage,
}

function openLane(address: SourceAddress, tools: Tools): Lane {
  const session = new BannerSession(address, tools)
  const isOurs = campusFilter(address)
  const notes = new PollNotes(tools.memo)
  const isViewOnlyOffered = address.settings['view_only_terms'] === 'offered'
  return {
    termsAndSchools: () => readTerms(session, isViewOnlyOffered),
    subjects: ({ term }) => readSubjects(session, term),
    sections: ({ term, subject }) => readAll(CountedWalk, onCampus(session.search({ term, subject }), isOurs)),
    wholeTerm: ({ term }, from) =>
      walkTerm(CountedWalk, onCampus(session.searchTerm(term), isOurs), from, FINDS_NOTHING),
    // `getEnrollmentInfo` lacks the shared seats of cross-listed sections, so it cannot distinguish open from full.
    seats: (groups, termSizes) =>
      readBySearch(groups, termSizes, {
        now: tools.now,
        pageSize: MAX_PAGE_SIZE,
        // Criteria are reset between two searches.
        extraCost: 1,
        notes,
        ofGroup: (watched) => searchesOf(session, watched, isOurs),
        ofTerm: (term) => onCampus(session.searchTerm(term), isOurs),
      }),
    details: ({ term }, sectionKey) => session.details(term, sectionKey),
    memo: () => notes.text(),
  }
}

/** Some schools require a filter in any term. */
const FINDS_NOTHING = 'The school finds nothing in a search without a filter, as some do for any term.'

/**
 * Narrowed to one course if all watches are for it: a smaller answer for the same request. CRNs identify the sections. If
 * one is not found, its course may have another number now, and the whole subject shows whether it is gone.
 */
function searchesOf(
  session: BannerSession,
  { group: { term, subject }, watched }: WatchedGroup,
  isOurs: CampusFilter,
): Searches {
  const ofSubject = onCampus(session.search({ term, subject }), isOurs)
  const [level = '', ...others] = new Set(watched.map((section) => section.level))
  if (level === '' || others.length > 0) return [ofSubject]
  return [onCampus(session.search({ term, subject, courseNumber: level }), isOurs), ofSubject]
}

/** The search without the sections of other campuses, which count as rows. Rows without a campus are left out too. */
function onCampus(search: BannerSearch, isOurs: CampusFilter): Search {
  if (isOurs === null) return search
  return async (walk) => {
    const page = await search(walk)
    if (!page.known) return page
    const { sections } = page.value
    const keys = new Set(sections.map(({ section_key }) => section_key))
    const unnamed = sections.filter(({ campus }) => campus === '').length
    const left = unnamed === 0 ? [] : [`Rows without a campus are left out: ${unnamed}.`]
    const own = sections.filter(({ campus = '' }) => isOurs(campus))
    return known({ ...page.value, keys, sections: own }, [...page.warnings, ...left])
  }
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
