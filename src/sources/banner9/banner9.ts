import { refuseAddress } from '../address.ts'
import type { Group, Lane, Source, SourceAddress, Tools } from '../source.ts'
import { CAMPUS_SETTINGS, campusFilter, ofCampus } from './campus.ts'
import { readDetails } from './enrollment-info.ts'
import { readSubjects, readTerms } from './lists.ts'
import { readAll, readPages } from './paging.ts'
import { readSeats } from './seats.ts'
import { BannerSession } from './session.ts'

const ENDING = '/StudentRegistrationSsb/ssb'
/**
 * Some schools name the application after themselves: /ecsuprodStudentRegistrationSsb/ssb, /StudentRegistration/ssb.
 */
const OTHER_ENDING = /\/\w*StudentRegistration\w*\/ssb$/

/** Ellucian Banner 9, Student Registration Self-Service: one school per address, a group is a subject in a term. */
export const banner9: Source = {
  kind: 'banner9',
  label: 'Ellucian Banner 9',
  settings: [
    { name: 'mepCode', meaning: 'The institution code that shared systems require.' },
    ...CAMPUS_SETTINGS,
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
    sections: async ({ term, subject }: Group) => ofCampus(await readAll(session, { term, subject }), isOurs),
    async *wholeTerm({ term }, from) {
      // In a session that still has filters, a search without filters would return their rows as the whole term.
      session.startAnew()
      for await (const page of readPages(session, { term }, from)) yield ofCampus(page, isOurs)
    },
    seats: (groups, termSizes) => readSeats(session, tools.now, groups, termSizes, isOurs),
    details: ({ term }, sectionKey) => readDetails(session, term, sectionKey),
  }
}

/** A section has no page of its own, so this is the start of the school's class search. */
function link(address: SourceAddress): string {
  const url = new URL(`${address.url}/term/termSelection?mode=search`)
  const { mepCode } = address.settings
  if (mepCode !== undefined && mepCode !== '') url.searchParams.set('mepCode', mepCode)
  return url.href
}
