import { refuseAddress } from '../address.ts'
import { known, mapKnown, unknown } from '../answer.ts'
import type {
  Answer,
  GroupSections,
  Lane,
  Source,
  SourceAddress,
  SubjectsAndCareers,
  TermScope,
  Tools,
} from '../source.ts'
import { PollNotes } from '../poll-notes.ts'
import { readAll, walkTerm } from '../walk-pages.ts'
import { askEach, numbered } from '../watched-sections.ts'
import { Calls, withPortal } from './calls.ts'
import { SearchWalk } from './paging.ts'
import { readSeats } from './seats.ts'
import { HcxSession } from './session.ts'

/**
 * PeopleSoft with HighPoint CX, as guests see it. Sites of several schools have one address and take the school's code,
 * which they do not list, as a setting. For an unknown code they return another school's classes, so rows are compared
 * with it. A group is a subject in a term.
 */
export const hcx: Source = {
  kind: 'hcx',
  label: 'PeopleSoft (HighPoint CX)',
  address: {
    ending: '/s',
    help: 'up to and including /s, as in /psc/SITE/EMPLOYEE/SA/s',
    example: 'https://classes.example.edu/psc/csprd/EMPLOYEE/SA/s',
  },
  settings: [
    { name: 'institution', meaning: "The school's code at the site, such as UVA01." },
    { name: 'shared', meaning: '"yes" where several schools share the site: rows must then say whose they are.' },
  ],
  scopes: [],
  number_label: 'Class #',
  reads: { catalog: 'term', status: 'group' },
  checkAddress,
  canonicalAddress: (url) => withPortal(url, 'psc'),
  openLane,
  link: (address) => new Calls(address).searchPage,
}

function checkAddress(url: string): string | null {
  const refusal = refuseAddress(url, '/s')
  if (refusal !== null) return refusal
  const isPage = /\/ps[cp]\/[^/]+\/[^/]+\/[^/]+\/s$/.test(new URL(url).pathname)
  return isPage ? null : 'The address must end like /psc/SITE/EMPLOYEE/SA/s.'
}

function openLane(address: SourceAddress, tools: Tools): Lane {
  const session = new HcxSession(address, tools)
  const notes = new PollNotes(tools.memo)
  const { now } = tools
  return {
    termsAndSchools: async () => mapKnown(await session.terms(), (terms) => ({ terms, schools: [] })),
    subjects: (scope) => readSubjects(session, scope),
    sections: ({ term, subject }) =>
      readAll(SearchWalk, session.search({ term, subject }), () => whenEmpty(session, term, subject)),
    wholeTerm: ({ term }, from) => walkTerm(SearchWalk, session.search({ term }), from),
    seats: (groups) =>
      askEach(numbered(groups), now, (watched, isFirst) => readSeats(session, watched, { now, notes, isFirst })),
    details: ({ term, subject }, sectionKey) => session.details({ term, subject }, sectionKey),
    memo: () => notes.text(),
  }
}

async function readSubjects(session: HcxSession, { term }: TermScope): Promise<Answer<SubjectsAndCareers>> {
  const options = await session.options(term)
  if (!options.known) return options
  const { subjects } = options.value
  if (subjects.length === 0) return unknown('incomplete', `The school lists no subjects in term ${term}.`)
  return known({ subjects, careers: [''] }, options.warnings)
}

/** A subject may have no sections, but an unlisted term or subject and a broken site find nothing either. */
async function whenEmpty(session: HcxSession, term: string, subject: string): Promise<Answer<GroupSections>> {
  const options = await session.options(term)
  if (!options.known) return options
  const { terms, subjects } = options.value
  const hasTerm = terms === null || terms.some(({ code }) => code === term)
  if (hasTerm && subjects.some(({ key }) => key === subject)) return known({ sections: [] })
  return unknown('incomplete', `The school finds nothing, and does not list subject ${subject} in term ${term}.`)
}
