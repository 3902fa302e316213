import { known, type Unknown, unknown } from '../answer.ts'
import { type Call, Conversation, type Page } from '../http.ts'
import { isRecord, parsePage, refuseHtml } from '../json-page.ts'
import type { Answer, Observation, SourceAddress, Tools, UnknownReason } from '../source.ts'
import { tidy } from '../text.ts'
import type { CountedWalk } from '../walk-pages.ts'
import { Calls, type Criteria } from './calls.ts'
import { readEnrollmentInfo } from './enrollment-info.ts'
import { readSearchPage, type SearchPage } from './search-page.ts'

/** Some front servers say explicitly that there is no session. */
const NO_SESSION: ReadonlySet<number> = new Set([401, 403])

/** A front server may have answered in its place, or the session still had another search. */
const WORTH_RENEWAL: ReadonlySet<UnknownReason> = new Set(['session_lost', 'not_the_protocol', 'wrong_scope'])

export type Search = (walk: Pick<CountedWalk, 'rows'>) => Promise<Answer<SearchPage>>

/**
 * Banner keeps a search's term and criteria on the server, under the session's cookies. A session here is bound to one
 * term and is replaced for another; its criteria are reset between two searches. When it is lost, it is renewed and the
 * page requested again, once; after that the answer is unknown.
 */
export class BannerSession {
  readonly #conversation: Conversation
  readonly calls: Calls
  #term: string | null = null
  /** The last search, which the server remembers; null right after binding or resetting. */
  #criteria: Criteria | null = null
  /** Set when rows of another search came after a reset: from then on, every search has its own session. */
  #isResetUseless = false

  constructor(address: SourceAddress, tools: Tools) {
    this.#conversation = new Conversation(tools)
    this.calls = new Calls(address)
  }

  startOver(): void {
    this.#term = null
    this.#criteria = null
    this.#conversation.clearCookies()
  }

  /**
   * Asks for the pages of one search; a page of the last search needs no reset. `criteria` is compared by identity with
   * that of the last search.
   */
  search(criteria: Criteria): Search {
    return ({ rows }) => this.#conversation.renewing(() => this.#attempt(criteria, rows), WORTH_RENEWAL)
  }

  /** In a session that still has filters, a search without filters would return their rows as the whole term. */
  searchTerm(term: string): Search {
    this.startOver()
    return this.search({ term })
  }

  /**
   * One section from its enrollment details, which need no session. They do not include the shared seats of cross-listed
   * sections or reserved seats. For a section that does not exist they show zeros at some schools, blanks at others.
   */
  details(term: string, crn: string): Promise<Answer<Observation>> {
    const call = this.calls.enrollmentInfo(term, crn)
    return this.ask(call, ({ bytes }) => readEnrollmentInfo(new TextDecoder().decode(bytes), crn))
  }

  ask<Value>(call: Call, readPage: (page: Page) => Answer<Value>): Promise<Answer<Value>> {
    return this.#conversation.read(call, readPage, NO_SESSION)
  }

  /** Whatever is not believed leaves the server's session in doubt, so the next attempt starts over. */
  async #attempt(criteria: Criteria, offset: number): Promise<Answer<SearchPage>> {
    const answer = (await this.#prepare(criteria)) ?? (await this.#read(criteria, offset))
    if (answer.known) return answer
    if (answer.reason === 'wrong_scope') this.#isResetUseless = true
    this.startOver()
    return answer
  }

  #read(criteria: Criteria, offset: number): Promise<Answer<SearchPage>> {
    this.#criteria = criteria
    return this.ask(this.calls.search(criteria, offset), (page) => readSearchPage(page, criteria))
  }

  /** Binds the session to the term, or clears the last search; null if a search may follow. */
  async #prepare(criteria: Criteria): Promise<Unknown | null> {
    const isSameSearch = this.#criteria === null || this.#criteria === criteria
    if (this.#term !== criteria.term || (!isSameSearch && this.#isResetUseless)) return this.#bind(criteria.term)
    return isSameSearch ? null : this.#reset()
  }

  async #bind(term: string): Promise<Unknown | null> {
    this.startOver()
    const bound = await this.ask(this.calls.bind(term), (page) => readBound(page, term))
    if (!bound.known) return bound
    this.#term = term
    return null
  }

  async #reset(): Promise<Unknown | null> {
    const reset = await this.ask(this.calls.reset(), readReset)
    if (!reset.known) return reset
    this.#criteria = null
    return null
  }
}

function readBound(page: Page, term: string): Answer<null> {
  const refusal = refuseHtml(page, 'a session')
  if (refusal !== null) return refusal
  const answer = parsePage(page)
  if (isRecord(answer) && typeof answer.fwdURL === 'string') return known(null)
  const shown = tidy(new TextDecoder().decode(page.bytes.subarray(0, 80)).replaceAll(/\p{Cc}/gu, ' '))
  const said = shown === '' ? 'answered with nothing' : `answered "${shown}"`
  return unknown('session_lost', `The school did not open a search for term ${term}: it ${said}.`)
}

function readReset(page: Page): Answer<null> {
  const answer = parsePage(page)
  const isReset = answer === true || (isRecord(answer) && answer.reset === true)
  return isReset ? known(null) : unknown('session_lost', 'The school did not reset the last search.')
}
