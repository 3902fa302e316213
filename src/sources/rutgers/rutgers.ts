import { refuseAddress, pageAbove } from '../address.ts'
import { MIN_APART_MS } from '../list-lengths.ts'
import type { SectionIdentity, Source, SourceAddress } from '../source.ts'
import { ENDING } from './calls.ts'
import { RutgersLane } from './lane.ts'

/**
 * Rutgers' schedule of classes. It has two lists, each for a whole term: a short one with the numbers of open sections,
 * and one of 20 MB with everything else. It has no figures and no waitlists.
 */
export const rutgers: Source = {
  kind: 'rutgers',
  label: 'Rutgers Schedule of Classes',
  settings: [],
  address: {
    ending: ENDING,
    help: `up to and including ${ENDING}`,
    example: `https://classes.rutgers.edu${ENDING}`,
  },
  scopes: ['school'],
  number_label: 'Index',
  reads: { catalog: 'term', status: 'term' },
  same_status_ms: MIN_APART_MS,
  checkAddress: (url) => refuseAddress(url, ENDING),
  openLane: (address, tools) => new RutgersLane(address, tools),
  link,
}

/** The page of the schedule that looks the section up by its number. */
function link(address: SourceAddress, { term, school, section_key }: SectionIdentity): string {
  if (term === '' || section_key === '') return pageAbove(address)
  const words = new URLSearchParams({ keyword: section_key, semester: term, campus: school, level: 'U,G' })
  return `${pageAbove(address)}#keyword?${words}`
}
