import { known } from '../answer.ts'
import { type Call, Conversation, type Page } from '../http.ts'
import type { Answer, Observation, SourceAddress, SourceTerm, Tools, UnknownReason } from '../source.ts'
import { noTerms } from '../term-name.ts'
import { Calls, type Criteria, ENTRIES, type Entry } from './calls.ts'
import { readDetails } from './details.ts'
import { readEntry, readTermsOfPage } from './entry-page.ts'
import { type Options, readOptions } from './options.ts'
import type { SearchWalk } from './paging.ts'
import { type Asked, readSearchPage, type SearchPage } from './search-page.ts'

/** If visits end more often in one job, the school is down, and further tries would only double the requests. */
const MAX_ENTRIES = 4

/** Failures that opening a page as a guest may fix: no session, or a sign-in page instead of an answer. */
const WORTH_ENTERING: ReadonlySet<UnknownReason> = new Set(['session_lost', 'not_the_protocol'])

const REFUSALS: ReadonlySet<number> = new Set([401, 403])

/**
 * A guest's visit. Most sites set their cookies by redirecting the first call to itself. If that is not enough, a public
 * page is opened first, and if that does not help, the other one. The call is then repeated, and its result is
 * final.
 */
export class HcxSession {
  readonly #conversation: Conversation
  readonly #calls: Calls
  /** The page that admitted us; tried first when a visit has ended. */
  #entry: Entry = 'class search'
  #entries = 0

  constructor(address: SourceAddress, tools: Tools) {
    this.#conversation = new Conversation(tools)
    this.#calls = new Calls(address)
  }

  /** The terms, and the subjects of one. */
  options(term: string | null): Promise<Answer<Options>> {
    return this.#ask(this.#calls.options(term), readOptions)
  }

  /** The terms of the options, or if those have none, of the public search page. */
  async terms(): Promise<Answer<SourceTerm[]>> {
    const options = await this.options(null)
    if (!options.known) return options
    const { terms } = options.value
    if (terms === null) return this.#attempt(this.#calls.entry('class search'), readTermsOfPage)
    return terms.length === 0 ? noTerms() : known(terms, options.warnings)
  }

  /** Asks for the pages of one search. */
  search(criteria: Criteria): (walk: Pick<SearchWalk, 'next'>) => Promise<Answer<SearchPage>> {
    return ({ next }) => this.page(criteria, next)
  }

  /** One page of a search, counted from 1. */
  page(criteria: Criteria, number: number): Promise<Answer<SearchPage>> {
    const asked = this.#asked(criteria)
    return this.#ask(this.#calls.search(criteria, number), (page) => readSearchPage(page, asked, number))
  }

  details(criteria: Criteria, sectionKey: string): Promise<Answer<Observation>> {
    const asked = this.#asked(criteria)
    return this.#ask(this.#calls.details(criteria.term, sectionKey), (page) => readDetails(page, asked, sectionKey))
  }

  #asked(criteria: Criteria): Asked {
    const { institution, isShared } = this.#calls
    return { ...criteria, institution, isShared }
  }

  async #ask<Value>(call: Call, readPage: (page: Page) => Answer<Value>): Promise<Answer<Value>> {
    let answer = await this.#attempt(call, readPage)
    const order = [this.#entry, ...ENTRIES.filter((entry) => entry !== this.#entry)]
    for (const entry of order) {
      if (answer.known || !WORTH_ENTERING.has(answer.reason) || this.#entries >= MAX_ENTRIES) return answer
      this.#entries++
      this.#conversation.clearCookies()
      const entered = await this.#attempt(this.#calls.entry(entry), readEntry)
      if (!entered.known) {
        if (!WORTH_ENTERING.has(entered.reason)) return entered
        continue
      }
      answer = await this.#attempt(call, readPage)
      if (answer.known) this.#entry = entry
    }
    return answer
  }

  #attempt<Value>(call: Call, readPage: (page: Page) => Answer<Value>): Promise<Answer<Value>> {
    return this.#conversation.read(call, readPage, REFUSALS)
  }
}
