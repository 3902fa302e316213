import { refuseAddress } from '../address.ts'
import type { SectionIdentity, Source, SourceAddress } from '../source.ts'
import { Calls } from './calls.ts'
import { CunyLane } from './lane.ts'

const ENDING = '/CFGlobalSearchTool'

/**
 * CUNY Global Search: 25 colleges on one site, HTML only. A group is a subject and career of a college in a term. The
 * lists have a status and no figures. Those are only on each section's own page, one request each, so they are read
 * only for a second look.
 */
export const cuny: Source = {
  kind: 'cuny',
  label: 'CUNY Global Search',
  settings: [],
  address: {
    ending: ENDING,
    help: `up to and including ${ENDING}`,
    example: `https://globalsearch.cuny.edu${ENDING}`,
  },
  scopes: ['school', 'career'],
  number_label: 'Class #',
  reads: { catalog: 'group', status: 'group' },
  checkAddress: (url) => refuseAddress(url, ENDING),
  openLane: (address, tools) => new CunyLane(address, tools),
  link,
}

/** The section's page; without the college's label, only the first page can be linked. */
function link(address: SourceAddress, section: SectionIdentity): string {
  const calls = new Calls(address)
  return section.school_name ? calls.detailsPage(section) : calls.firstPage
}
