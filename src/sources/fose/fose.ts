import { refuseAddress } from '../address.ts'
import { known, unknown } from '../answer.ts'
import { Conversation } from '../http.ts'
import type {
  Answer,
  Group,
  GroupSections,
  Lane,
  Observation,
  SectionIdentity,
  Source,
  SourceAddress,
  SubjectsAndCareers,
  TermsAndSchools,
  Tools,
} from '../source.ts'
import { subjectPages } from '../subject-pages.ts'
import { Calls, ENDING, homeOf } from './calls.ts'
import { readDetails } from './details.ts'
import { type HomePage, readHomePage } from './home-page.ts'
import { type FoundSections, readSearchPage } from './search-page.ts'
import { readSeatsOf } from './polls.ts'

/**
 * CourseLeaf's class search (its API calls itself "fose"): one school an address, a group is a subject in a term. Every
 * answer is whole, of a subject or of a whole term; nothing is remembered between them.
 */
export const fose: Source = {
  kind: 'fose',
  label: 'CourseLeaf class search',
  settings: [],
  address: {
    ending: ENDING,
    help: `up to and including ${ENDING}, behind the address of the page for people`,
    example: `https://classes.example.edu${ENDING}`,
  },
  scopes: [],
  number_label: 'CRN',
  reads: { catalogue: 'term', status: 'group', figures: 'details' },
  checkAddress: (url) => refuseAddress(url, ENDING),
  openLane,
  link,
}

function openLane(address: SourceAddress, tools: Tools): Lane {
  const lane = new FoseLane(address, tools)
  return {
    termsAndSchools: () => lane.terms(),
    subjects: ({ term }) => lane.subjects(term),
    sections: (group) => lane.sections(group),
    wholeTerm: ({ term }, from) => lane.wholeTerm(term, from ?? null),
    seats: (groups, termSizes) =>
      readSeatsOf((term, subject) => lane.search(term, subject), tools.now, groups, termSizes),
    details: (group, sectionKey) => lane.details(group, sectionKey),
  }
}

class FoseLane {
  readonly #conversation: Conversation
  readonly #calls: Calls
  readonly #now: Tools['now']

  constructor(address: SourceAddress, tools: Tools) {
    this.#now = tools.now
    this.#conversation = new Conversation(tools)
    this.#calls = new Calls(address)
  }

  async terms(): Promise<Answer<TermsAndSchools>> {
    const home = await this.#home()
    return home.known ? known({ terms: home.value.terms, schools: [] }, home.warnings) : home
  }

  /** Those that have sections, because lists of subjects differ from school to school; named where the page names them. */
  async subjects(term: string): Promise<Answer<SubjectsAndCareers>> {
    const home = await this.#home()
    if (!home.known) return home
    const found = await this.search(term, null)
    if (!found.known) return found
    if (found.value.sections.length === 0) return unknown('incomplete', `The school finds no section in term ${term}.`)
    const keys = new Set(found.value.sections.map(({ subject }) => subject))
    const { subjectNames } = home.value
    const subjects = Array.from(keys, (key) => ({ key, name: subjectNames.get(key) ?? key }))
    return known({ subjects, careers: [''] }, found.warnings)
  }

  /** A subject without sections is what a school in trouble answers, too: believed the second time, in a term it lists. */
  async sections({ term, subject }: Group): Promise<Answer<GroupSections>> {
    const first = await this.search(term, subject)
    const found = first.known && isEmpty(first.value) ? await this.search(term, subject) : first
    if (!found.known) return found
    const { sections, nameless } = found.value
    if (nameless > 0) return unknown('incomplete', found.warnings.join(' '))
    if (sections.length === 0) {
      const offered = await this.terms()
      if (!offered.known) return offered
      if (!offered.value.terms.some(({ code }) => code === term)) {
        return unknown('incomplete', `The school finds nothing, and does not list term ${term}.`)
      }
    }
    return known({ sections, stated_count: sections.length }, found.warnings)
  }

  /** Pages of one answer. Rows that name no section leave the others believed, and the walk without its end. */
  async *wholeTerm(term: string, from: string | null): AsyncGenerator<Answer<GroupSections>> {
    const askedAt = this.#now()
    const found = await this.search(term, null)
    if (!found.known) {
      yield found
      return
    }
    const { sections, nameless } = found.value
    let warnings = found.warnings
    for (const page of subjectPages(sections, from, askedAt)) {
      yield known(page, warnings)
      warnings = []
    }
    if (nameless > 0) yield unknown('incomplete', found.warnings.join(' '))
    else if (sections.length === 0) yield unknown('incomplete', 'The school finds no section in the whole term.')
  }

  async details({ term, subject }: Group, sectionKey: string): Promise<Answer<Observation>> {
    const reply = await this.#conversation.request(this.#calls.details(term, sectionKey))
    return reply.page === null ? reply.unknown : readDetails(reply.page, { term, subject, sectionKey })
  }

  async search(term: string, subject: string | null): Promise<Answer<FoundSections>> {
    const reply = await this.#conversation.request(this.#calls.search(term, subject))
    return reply.page === null ? reply.unknown : readSearchPage(reply.page, { term, subject })
  }

  async #home(): Promise<Answer<HomePage>> {
    const reply = await this.#conversation.request(this.#calls.home())
    return reply.page === null ? reply.unknown : readHomePage(reply.page)
  }
}

function isEmpty({ sections, nameless }: FoundSections): boolean {
  return sections.length === 0 && nameless === 0
}

function link(address: SourceAddress, { term, section_key }: SectionIdentity): string {
  return `${homeOf(address)}?details&srcdb=${encodeURIComponent(term)}&crn=${encodeURIComponent(section_key)}`
}
