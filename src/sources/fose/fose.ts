import { refuseAddress } from '../address.ts'
import type {
  Answer,
  GroupSeats,
  Lane,
  SectionIdentity,
  Source,
  SourceAddress,
  Tools,
  WatchedGroup,
} from '../source.ts'
import type { FoundSections } from '../subject-pages.ts'
import { askEach, byTerm, seatsAmong } from '../watched-sections.ts'
import { ENDING, homeOf } from './calls.ts'
import { ClassSearch } from './class-search.ts'

/**
 * CourseLeaf's class search (its API calls itself "fose"): one school per address, a group is a subject in a term.
 * Every answer is complete, for a subject or a whole term; the school keeps no state between them.
 */
export const fose: Source = {
  kind: 'fose',
  label: 'CourseLeaf class search',
  settings: [],
  address: {
    ending: ENDING,
    help: `up to and including ${ENDING}, which follows the address of the search page`,
    example: `https://classes.example.edu${ENDING}`,
  },
  scopes: [],
  number_label: 'CRN',
  reads: { catalog: 'term', status: 'group' },
  checkAddress: (url) => refuseAddress(url, ENDING),
  openLane,
  link,
}

function openLane(address: SourceAddress, tools: Tools): Lane {
  const search = new ClassSearch(address, tools)
  return {
    termsAndSchools: () => search.terms(),
    subjects: ({ term }) => search.subjects(term),
    sections: (group) => search.sections(group),
    wholeTerm: ({ term }, from) => search.wholeTerm(term, from ?? null),
    seats: (groups, termSizes) => readSeats(search, tools.now, groups, termSizes),
    details: (group, sectionKey) => search.details(group, sectionKey),
  }
}

/** The section on the public search page, or that page. */
function link(address: SourceAddress, { term, section_key }: SectionIdentity): string {
  if (term === '' || section_key === '') return homeOf(address)
  return `${homeOf(address)}?details&${new URLSearchParams({ srcdb: term, crn: section_key })}`
}

/** A whole term is one answer; it is requested if its rows would be fewer pages of this size. */
const ROWS_PER_PAGE = 500

/** Reads seats by one search of the whole term or one per group, whichever sends less data. */
async function* readSeats(
  search: ClassSearch,
  now: Tools['now'],
  groups: readonly WatchedGroup[],
  termSizes: ReadonlyMap<string, number>,
): AsyncGenerator<GroupSeats> {
  for (const { term, asked, pages } of byTerm(groups, termSizes, ROWS_PER_PAGE)) {
    if (pages < asked.length) {
      const asked_at = now()
      const found = await search.find(term, null)
      for (const { index, watched } of asked) yield { index, asked_at, answer: seatsOf(watched, found) }
    } else {
      yield* askEach(asked, now, async (watched) => seatsOf(watched, await search.find(term, watched.group.subject)))
    }
  }
}

function seatsOf(watched: WatchedGroup, found: Answer<FoundSections>): GroupSeats['answer'] {
  return seatsAmong(found, watched, ({ subject }) => subject === watched.group.subject)
}
