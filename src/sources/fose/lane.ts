import { known, mapKnown, unknown } from '../answer.ts'
import { Conversation } from '../http.ts'
import { observationOf } from '../observation.ts'
import type {
  Answer,
  Group,
  GroupSeats,
  GroupSections,
  Lane,
  Observation,
  SourceAddress,
  SubjectsAndCareers,
  TermScope,
  TermsAndSchools,
  Tools,
  UnknownReason,
  WatchedGroup,
} from '../source.ts'
import { type FoundSections, subjectPages } from '../subject-pages.ts'
import { askEach, byTerm, seatsAmong } from '../watched-sections.ts'
import { maySearchGroups, PollNotes } from '../poll-notes.ts'
import { Calls, type Criterion } from './calls.ts'
import { readDetails } from './details.ts'
import { type HomePage, readHomePage } from './home-page.ts'
import { readSearchPage } from './search-page.ts'

/** The school refused, or showed no section. An answer about another section is no reason to ask again. */
const WORTH_A_SEARCH: ReadonlySet<UnknownReason> = new Set(['not_the_protocol', 'incomplete'])

/** A whole term is one answer; it is requested if its rows would be fewer pages of this size. */
const ROWS_PER_PAGE = 500

/** The requests do not depend on each other. */
export class FoseLane implements Lane {
  readonly #conversation: Conversation
  readonly #calls: Calls
  readonly #now: Tools['now']
  readonly #notes: PollNotes

  constructor(address: SourceAddress, tools: Tools) {
    this.#now = tools.now
    this.#conversation = new Conversation(tools)
    this.#calls = new Calls(address)
    this.#notes = new PollNotes(tools.memo)
  }

  memo(): string | null {
    return this.#notes.text()
  }

  async termsAndSchools(): Promise<Answer<TermsAndSchools>> {
    return mapKnown(await this.#home(), ({ terms }) => ({ terms, schools: [] }))
  }

  /**
   * Those that have sections, because lists of subjects differ between schools; with names if the page has them. If the
   * term is too large for one answer, those of the page.
   */
  async subjects({ term }: TermScope): Promise<Answer<SubjectsAndCareers>> {
    const home = await this.#home()
    if (!home.known) return home
    const { terms, subjectNames } = home.value
    const subjectsOf = (keys: Iterable<string>) =>
      Array.from(new Set(keys), (key) => ({ key, name: subjectNames.get(key) ?? key }))
    const found = await this.#find(term, null)
    if (!found.known) {
      const isListed = subjectNames.size > 0 && terms.some(({ code }) => code === term)
      return isListed && found.reason === 'too_large'
        ? known({ subjects: subjectsOf(subjectNames.keys()), careers: [''] }, [found.why])
        : found
    }
    const { sections } = found.value
    if (sections.length === 0) return unknown('incomplete', `The school finds no section in term ${term}.`)
    return known({ subjects: subjectsOf(sections.map(({ subject }) => subject)), careers: [''] }, found.warnings)
  }

  /** A broken school also finds nothing, so this is believed only the second time, in a term that the school lists. */
  async sections({ term, subject }: Group): Promise<Answer<GroupSections>> {
    const first = await this.#find(term, subject)
    const found = first.known && isEmpty(first.value) ? await this.#find(term, subject) : first
    if (!found.known) return found
    const { sections, unidentified } = found.value
    if (unidentified > 0) return unknown('incomplete', found.warnings.join(' '))
    if (sections.length === 0) {
      const offered = await this.termsAndSchools()
      if (!offered.known) return offered
      if (!offered.value.terms.some(({ code }) => code === term)) {
        return unknown('incomplete', `The school finds nothing, and does not list term ${term}.`)
      }
    }
    return known({ sections }, found.warnings)
  }

  async *wholeTerm({ term }: TermScope, from: string | null = null): AsyncGenerator<Answer<GroupSections>> {
    const askedAt = this.#now()
    const found = await this.#find(term, null)
    yield* subjectPages(found, from, askedAt)
    if (found.known && isEmpty(found.value)) {
      yield unknown('incomplete', 'The school finds no section in the whole term.')
    }
  }

  /** One search of the whole term or one per group, whichever sends less data; also per group if the first fails. */
  async *seats(groups: readonly WatchedGroup[], termSizes: ReadonlyMap<string, number>): AsyncGenerator<GroupSeats> {
    for (const { term, asked, pages } of byTerm(groups, termSizes, ROWS_PER_PAGE)) {
      if (pages < asked.length && !this.#notes.isByGroup(term, this.#now())) {
        const asked_at = this.#now()
        const found = await this.#find(term, null)
        const isRead = found.known && !isEmpty(found.value)
        if (isRead) this.#notes.readWhole(term)
        if (isRead || !maySearchGroups(found)) {
          for (const { index, watched } of asked) yield { index, asked_at, answer: seatsOf(watched, found) }
          continue
        }
        this.#notes.readByGroup(term, this.#now())
      }
      yield* askEach(asked, this.#now, async (watched) =>
        seatsOf(watched, await this.#find(term, watched.group.subject)),
      )
    }
  }

  /** Some schools require more than a section's number for details; a search by number shows only the status letter. */
  async details({ term, subject }: Group, sectionKey: string): Promise<Answer<Observation>> {
    const shown = await this.#conversation.read(this.#calls.details(term, sectionKey), (page) =>
      readDetails(page, { term, subject, sectionKey }),
    )
    if (shown.known || !WORTH_A_SEARCH.has(shown.reason)) return shown
    const found = await this.#search(term, subject, { field: 'crn', value: sectionKey })
    if (!found.known) return found
    const section = found.value.sections.find(({ section_key }) => section_key === sectionKey)
    return section === undefined ? shown : known(observationOf(section), found.warnings)
  }

  /** The sections of a subject, or with null those of the whole term. */
  #find(term: string, subject: string | null): Promise<Answer<FoundSections>> {
    return this.#search(term, subject, subject === null ? null : { field: 'subject', value: subject })
  }

  #search(term: string, subject: string | null, criterion: Criterion | null): Promise<Answer<FoundSections>> {
    return this.#conversation.read(this.#calls.search(term, criterion), (page) =>
      readSearchPage(page, { term, subject }),
    )
  }

  #home(): Promise<Answer<HomePage>> {
    return this.#conversation.read(this.#calls.home(), readHomePage)
  }
}

function isEmpty({ sections, unidentified }: FoundSections): boolean {
  return sections.length === 0 && unidentified === 0
}

function seatsOf(watched: WatchedGroup, found: Answer<FoundSections>): GroupSeats['answer'] {
  return seatsAmong(found, watched, ({ subject }) => subject === watched.group.subject)
}
