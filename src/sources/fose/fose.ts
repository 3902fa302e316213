import { refuseAddress } from '../address.ts'
import type { Lane, SectionIdentity, Source, SourceAddress, Tools } from '../source.ts'
import { ENDING, homeOf } from './calls.ts'
import { ClassSearch } from './class-search.ts'
import { readSeatsOf } from './polls.ts'

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
  reads: { catalog: 'term', status: 'group', figures: 'details' },
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
    seats: (groups, termSizes) =>
      readSeatsOf((term, subject) => search.find(term, subject), tools.now, groups, termSizes),
    details: (group, sectionKey) => search.details(group, sectionKey),
  }
}

/** The section on the public search page, or that page. */
function link(address: SourceAddress, { term, section_key }: SectionIdentity): string {
  if (term === '' || section_key === '') return homeOf(address)
  return `${homeOf(address)}?details&srcdb=${encodeURIComponent(term)}&crn=${encodeURIComponent(section_key)}`
}
