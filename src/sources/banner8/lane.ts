import { known, unexpectedAnswer, unknown } from '../answer.ts'
import { type Choice, readFormPage } from '../form-page.ts'
import { type Call, Conversation } from '../http.ts'
import type {
  Answer,
  Group,
  GroupSeats,
  GroupSections,
  Lane,
  Observation,
  Season,
  SourceAddress,
  SourceTerm,
  SubjectsAndCareers,
  TermScope,
  TermsAndSchools,
  Tools,
  WatchedGroup,
} from '../source.ts'
import { PollNotes } from '../poll-notes.ts'
import { noTerms, readTerms, termOf } from '../term-name.ts'
import { Calls } from './calls.ts'
import { decodePage } from './class-page.ts'
import { readDetails } from './details.ts'
import { type Asked, readListing } from './listing.ts'
import { readSeats } from './seats.ts'

/** Reads the class schedule. No call depends on another; all cookies are sent back. */
export class Banner8Lane implements Lane {
  readonly #conversation: Conversation
  readonly #calls: Calls
  readonly #tools: Tools
  readonly #notes: PollNotes
  readonly #scope: Pick<Asked, 'campus' | 'keepsNoList'>

  constructor(address: SourceAddress, tools: Tools) {
    this.#conversation = new Conversation(tools)
    this.#calls = new Calls(address)
    this.#tools = tools
    this.#notes = new PollNotes(tools.memo)
    const { campus = '', waiting_list: list } = address.settings
    this.#scope = { campus, keepsNoList: list === 'none' }
  }

  memo(): string | null {
    return this.#notes.text()
  }

  async termsAndSchools(): Promise<Answer<TermsAndSchools>> {
    const options = await this.#options(this.#calls.terms(), 'p_term', 'terms')
    if (!options.known) return options
    const warnings: string[] = []
    const listed = options.value.map(({ value, label }) => [value, label] as const)
    const terms = readTerms(listed, warnings, readTerm)
    return terms.length === 0 ? noTerms() : known({ terms, schools: [] }, warnings)
  }

  async subjects({ term }: TermScope): Promise<Answer<SubjectsAndCareers>> {
    const options = await this.#options(this.#calls.subjects(term), 'sel_subj', 'subjects')
    if (!options.known) return options
    const subjects = options.value
      .filter(({ value }) => value !== '%')
      .map(({ value, label }) => ({ key: value, name: label }))
    return subjects.length > 0
      ? known({ subjects, careers: [''] })
      : unknown('incomplete', `The school lists no subjects in term ${term}.`)
  }

  /** Repeated once if there are none, because a broken site may find nothing for a moment. */
  async sections({ term, subject }: Group): Promise<Answer<GroupSections>> {
    const asked = this.#asked(term, subject)
    const ask = () => this.#conversation.read(this.#calls.listing(term, subject), (page) => readListing(page, asked))
    const first = await ask()
    return first.known && first.value.sections.length === 0 ? ask() : first
  }

  seats(groups: readonly WatchedGroup[]): AsyncIterable<GroupSeats> {
    return readSeats((group, sectionKey) => this.details(group, sectionKey), this.#tools, groups, this.#notes)
  }

  details({ term, subject }: Group, sectionKey: string): Promise<Answer<Observation>> {
    const asked = this.#asked(term, subject)
    return this.#conversation.read(this.#calls.details(term, sectionKey), (page) =>
      readDetails(page, asked, sectionKey),
    )
  }

  #asked(term: string, subject: string): Asked {
    return { term, subject, ...this.#scope }
  }

  #options(call: Call, name: string, what: string): Promise<Answer<Choice[]>> {
    return this.#conversation.read(call, (reply) => {
      const page = readFormPage(decodePage(reply))
      const options = page.selects.get(name)
      if (options === undefined) return unexpectedAnswer(`its ${what}`)
      return page.isWhole ? known(options) : unknown('incomplete', `The list of ${what} is cut off.`)
    })
  }
}

const VIEW_ONLY = /\s*\(view only\)\s*$/i
/** Terms without classes, which schools keep for internal use. */
const NOT_FOR_USE = /do not use/i
/** If the name has months instead of a season: "First Term: Sep - Dec 2020". */
const BY_MONTH: readonly (readonly [RegExp, Season])[] = [
  [/\b(?:jan|feb)[a-z]* ?[-–]/i, 'spring'],
  [/\b(?:apr|may|jun|jul)[a-z]* ?[-–]/i, 'summer'],
  [/\b(?:aug|sep)[a-z]* ?[-–]/i, 'fall'],
]

/** A term from an option of the form; null if its name has no year and season, or it is for internal use. */
export function readTerm(code: string, label: string): SourceTerm | null {
  const name = label.replace(VIEW_ONLY, '')
  if (NOT_FOR_USE.test(name)) return null
  const term = termOf(code, name, { season: BY_MONTH.find(([months]) => months.test(name))?.[1] })
  return term && { ...term, is_available: !VIEW_ONLY.test(label) }
}
