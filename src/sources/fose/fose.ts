import { refuseAddress, pageAbove } from '../address.ts'
import type { SectionIdentity, Source, SourceAddress } from '../source.ts'
import { ENDING } from './calls.ts'
import { FoseLane } from './lane.ts'

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
  openLane: (address, tools) => new FoseLane(address, tools),
  link,
}

/** The section on the public search page, or that page. */
function link(address: SourceAddress, { term, section_key }: SectionIdentity): string {
  if (term === '' || section_key === '') return pageAbove(address)
  return `${pageAbove(address)}?details&${new URLSearchParams({ srcdb: term, crn: section_key })}`
}
