import { refuseApplication } from '../address.ts'
import { known, unknown } from '../answer.ts'
import { observationOf } from '../observation.ts'
import type {
  Answer,
  GroupSections,
  Lane,
  Observation,
  Source,
  SourceAddress,
  SubjectsAndCareers,
  TermsAndSchools,
  Tools,
} from '../source.ts'
import { noTerms } from '../term-name.ts'
import { PollNotes } from '../poll-notes.ts'
import { CountedWalk, readAll, walkTerm } from '../walk-pages.ts'
import { readBySearch } from '../watched-sections.ts'
import { PAGE_SIZE } from './calls.ts'
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
      meaning: 'PostSearchCriteria or SearchAsync, whichever search the site has; the other is tried too.',
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
  reads: { catalog: 'term', status: 'group' },
  // The path is /Student at most schools, /css or /SelfService at some.
  checkAddress: (url) => refuseApplication(url, '/Student', /\/(?:courses|account)(?:\/|$)/i, '/Courses'),
  openLane,
  // A section has no public page of its own, so this is the start of the school's catalog.
  link: ({ url }) => `${url}/Courses`,
}

function openLane(address: SourceAddress, tools: Tools): Lane {
  const session = new ColleagueSession(address, tools)
  const notes = new PollNotes(tools.memo)
  return {
    termsAndSchools: () => readTerms(session, address.settings['term_prefix'] ?? ''),
    subjects: ({ term }) => readSubjects(session, term),
    sections: ({ term, subject }) =>
      readAll(CountedWalk, session.search({ term, subject }), () => whenEmpty(session, term)),
    wholeTerm: ({ term }, from) => walkTerm(CountedWalk, session.search({ term }), from),
    seats: (groups, termSizes) =>
      readBySearch(groups, termSizes, {
        now: tools.now,
        pageSize: PAGE_SIZE,
        extraCost: 0,
        notes,
        ofGroup: ({ group: { term, subject } }) => [session.search({ term, subject })],
        ofTerm: (term) => session.search({ term }),
      }),
    details: ({ term }, sectionKey) => readDetails(session, term, sectionKey),
    memo: () => notes.text(),
  }
}

async function readTerms(session: ColleagueSession, prefix: string): Promise<Answer<TermsAndSchools>> {
  const filters = await session.filters()
  if (!filters.known) return filters
  const terms = filters.value.terms.filter(({ name }) => name.startsWith(prefix))
  return terms.length === 0 ? noTerms() : known({ terms, schools: [] }, filters.warnings)
}

/** Schools stop listing a term while its classes are running, so one that is not listed is unknown, not empty. */
async function readSubjects(session: ColleagueSession, term: string): Promise<Answer<SubjectsAndCareers>> {
  const filters = await session.filters()
  if (!filters.known) return filters
  const { termCodes, subjects } = filters.value
  if (!termCodes.has(term)) return unknown('incomplete', `The school does not list term ${term}.`)
  return known({ subjects, careers: [''] }, filters.warnings)
}

/**
 * Withdrawn terms and broken sites also find nothing, so an answer that was empty twice is believed only if the school
 * still lists the term.
 */
async function whenEmpty(session: ColleagueSession, term: string): Promise<Answer<GroupSections>> {
  const listed = await session.hasTerm(term)
  if (!listed.known) return listed
  if (listed.value) return known({ sections: [] })
  return unknown('incomplete', `The school finds nothing, and does not list term ${term}.`)
}

/** One section, which costs one request, and before the first one the visit. */
async function readDetails(session: ColleagueSession, term: string, sectionKey: string): Promise<Answer<Observation>> {
  const page = await session.page({ term, sectionKey }, 1, { keys: new Set([sectionKey]) })
  if (!page.known) return page
  const found = page.value.sections.find(({ section_key }) => section_key === sectionKey)
  const why = page.value.whyIncomplete || `The school shows no section ${sectionKey} in term ${term}.`
  if (found === undefined) return unknown('incomplete', why)
  return known(observationOf(found), page.warnings)
}
