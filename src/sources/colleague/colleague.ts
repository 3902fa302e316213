import { refuseAddress } from '../address.ts'
import { known, unknown } from '../answer.ts'
import type {
  Answer,
  Group,
  Lane,
  Source,
  SourceAddress,
  SubjectsAndCareers,
  TermsAndSchools,
  Tools,
} from '../source.ts'
import { noTerms } from '../term-name.ts'
import { readAll, readPages } from './paging.ts'
import { readDetails, readSeats } from './seats.ts'
import { ColleagueSession } from './session.ts'

/**
 * Ellucian Colleague Self-Service, both generations, as a visitor without an account sees it: one school per address, a
 * group is a subject in a term. A section is identified by its internal id, which requests take.
 */
export const colleague: Source = {
  kind: 'colleague',
  label: 'Ellucian Colleague',
  settings: [
    {
      name: 'api',
      meaning: 'PostSearchCriteria or SearchAsync, whichever search the site has; default: both are tried.',
    },
    { name: 'location', meaning: 'Location codes, separated by commas, if several colleges share a site.' },
    { name: 'term_prefix', meaning: 'How the names of its terms begin, if several colleges share a site.' },
  ],
  address: {
    ending: '',
    help: "up to and including /Student, or the school's own name for it",
    example: 'https://selfservice.example.edu/Student',
  },
  scopes: [],
  number_label: 'Synonym',
  reads: { catalog: 'term', status: 'group', figures: 'always' },
  checkAddress,
  openLane,
  link,
}

/** The path is the school's own: /Student at most, /css or /SelfService at some. */
function checkAddress(url: string): string | null {
  const refusal = refuseAddress(url, '')
  if (refusal !== null) return refusal
  const { pathname } = new URL(url)
  if (pathname === '/') return 'The address must end in the path of the application, such as /Student.'
  return /\/(?:courses|account)(?:\/|$)/i.test(pathname) ? 'The address must end before /Courses.' : null
}

function openLane(address: SourceAddress, tools: Tools): Lane {
  const session = new ColleagueSession(address, tools)
  return {
    termsAndSchools: () => readTerms(session, address.settings['term_prefix'] ?? ''),
    subjects: ({ term }) => readSubjects(session, term),
    sections: ({ term, subject }: Group) => readAll(session, { term, subject }),
    wholeTerm: ({ term }, from) => readPages(session, { term }, from),
    seats: (groups, termSizes) => readSeats(session, tools.now, groups, termSizes),
    details: ({ term }, sectionKey) => readDetails(session, term, sectionKey),
  }
}

async function readTerms(session: ColleagueSession, prefix: string): Promise<Answer<TermsAndSchools>> {
  const filters = await session.filters()
  if (!filters.known) return filters
  const terms = filters.value.terms.filter(({ name }) => name.startsWith(prefix))
  return terms.length === 0 ? noTerms() : known({ terms, schools: [] }, filters.warnings)
}

/**
 * A school stops listing a term while its classes are still running, so a term that is not listed is unknown, not
 * empty.
 */
async function readSubjects(session: ColleagueSession, term: string): Promise<Answer<SubjectsAndCareers>> {
  const filters = await session.filters()
  if (!filters.known) return filters
  const { termCodes, subjects } = filters.value
  if (!termCodes.has(term)) return unknown('incomplete', `The school does not list term ${term}.`)
  return known({ subjects, careers: [''] }, filters.warnings)
}

/** A section has no public page of its own, so this is the start of the school's catalog. */
function link(address: SourceAddress): string {
  return `${address.url}/Courses`
}
