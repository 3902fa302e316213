import { refuseAddress } from '../address.ts'
import type { Lane, SectionIdentity, Source, SourceAddress, Tools } from '../source.ts'
import { ENDING, homeOf } from './calls.ts'
import { RutgersSchedule } from './schedule.ts'
import { readSeats } from './seats.ts'

/**
 * Rutgers' schedule of classes. It has two lists, each for a whole term: a short one with the numbers of open sections,
 * and one of 20 MB with everything else. It has no figures and no waiting lists.
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
  reads: { catalog: 'term', status: 'term', figures: 'never' },
  checkAddress: (url) => refuseAddress(url, ENDING),
  openLane,
  link,
}

function openLane(address: SourceAddress, tools: Tools): Lane {
  const schedule = new RutgersSchedule(address, tools)
  return {
    termsAndSchools: () => schedule.terms(),
    subjects: () => schedule.subjects(),
    sections: ({ term, school, subject }) => schedule.sections({ term, campus: school, subject }),
    wholeTerm: ({ term, school }, from) => schedule.wholeTerm({ term, campus: school }, from ?? null),
    seats: (groups) => readSeats((scope) => schedule.openSections(scope), tools.now, groups),
    memo: () => schedule.memo(),
  }
}

/** The page of the schedule that looks the section up by its number. */
function link(address: SourceAddress, { term, school, section_key }: SectionIdentity): string {
  if (term === '' || section_key === '') return homeOf(address)
  const words = new URLSearchParams({ keyword: section_key, semester: term, campus: school, level: 'U,G' })
  return `${homeOf(address)}#keyword?${words}`
}
