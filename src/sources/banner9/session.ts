import { type Unknown, unknown } from '../answer.ts'
import { type Call, Conversation, isHtml, type Page, whyNoPage } from '../http.ts'
import { parsePage, readJson } from '../json-page.ts'
import { isRecord } from '../record.ts'
import type { Answer, SourceAddress, Tools, UnknownReason } from '../source.ts'
import { tidy } from '../text.ts'
import { Calls, type Criteria } from './calls.ts'
import { readSearchPage, type SearchPage } from './search-page.ts'

/**
 * A session rarely dies twice in one job. After that the school is down, and further tries would only double the
 * requests.
 */
const MAX_RENEWALS = 3

/** Some front servers say explicitly that there is no session. */
const NO_SESSION: ReadonlySet<number> = new Set([401, 403])

/**
 * Failures that a new session may fix: the session was lost, a front server answered in its place, or it still had
 * another search.
 */
const WORTH_RENEWAL: ReadonlySet<UnknownReason> = new Set(['session_lost', 'not_the_protocol', 'wrong_scope'])

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
  #renewals = 0
  /** Set when rows of another search came after a reset: from then on, every search has its own session. */
  #isResetUseless = false

  constructor(address: SourceAddress, tools: Tools) {
    this.#conversation = new Conversation(tools)
    this.calls = new Calls(address)
  }

  /** Makes the next search open a new session. */
  startAnew(): void {
    this.#term = null
    this.#criteria = null
    this.#conversation.forget()
  }

  /**
   * One page of a search, from row `offset` on. A page of the last search needs no reset; `criteria` is compared by
   * identity for that.
   */
  async page(criteria: Criteria, offset: number): Promise<Answer<SearchPage>> {
    const first = await this.#attempt(criteria, offset)
    if (first.known || !WORTH_RENEWAL.has(first.reason) || this.#renewals >= MAX_RENEWALS) return first
    this.#renewals++
    return this.#attempt(criteria, offset)
  }

  /** A list outside the search, such as the terms: needs no session. */
  async list(call: Call): Promise<Answer<unknown>> {
    const asked = await this.ask(call)
    if ('unknown' in asked) return asked.unknown
    return readJson(asked.page, 'a list')
  }

  /** Makes any call and returns its answer unchanged. */
  async ask(call: Call): Promise<{ page: Page } | { unknown: Unknown }> {
    const reply = await this.#conversation.request(call)
    return reply.page === null ? { unknown: whyNoPage(reply, NO_SESSION) } : reply
  }

  /** Whatever is not believed leaves the server's session in doubt, so the next attempt starts over. */
  async #attempt(criteria: Criteria, offset: number): Promise<Answer<SearchPage>> {
    const answer = (await this.#prepare(criteria)) ?? (await this.#search(criteria, offset))
    if (answer.known) return answer
    if (answer.reason === 'wrong_scope') this.#isResetUseless = true
    this.startAnew()
    return answer
  }

  async #search(criteria: Criteria, offset: number): Promise<Answer<SearchPage>> {
    this.#criteria = criteria
    const asked = await this.ask(this.calls.search(criteria, offset))
    return 'unknown' in asked ? asked.unknown : readSearchPage(asked.page, criteria)
  }

  /** Binds the session to the term, or clears the last search; null if a search may follow. */
  async #prepare(criteria: Criteria): Promise<Unknown | null> {
    const isSameSearch = this.#criteria === null || this.#criteria === criteria
    if (this.#term !== criteria.term || (!isSameSearch && this.#isResetUseless)) return this.#bind(criteria.term)
    return isSameSearch ? null : this.#reset()
  }

  async #bind(term: string): Promise<Unknown | null> {
    this.startAnew()
    const bound = await this.ask(this.calls.bind(term))
    if ('unknown' in bound) return bound.unknown
    if (isHtml(bound.page))
      return unknown('not_the_protocol', 'The school answered with a web page instead of a session.')
    const answer = parsePage(bound.page)
    if (!isRecord(answer) || typeof answer.fwdURL !== 'string') {
      const shown = tidy(new TextDecoder().decode(bound.page.bytes.subarray(0, 80)).replaceAll(/\p{Cc}/gu, ' '))
      const said = shown === '' ? 'answered with nothing' : `answered "${shown}"`
      return unknown('session_lost', `The school did not open a search for term ${term}: it ${said}.`)
    }
    this.#term = term
    return null
  }

  async #reset(): Promise<Unknown | null> {
    const reset = await this.ask(this.calls.reset())
    if ('unknown' in reset) return reset.unknown
    const answer = parsePage(reset.page)
    if (answer !== true && !(isRecord(answer) && answer.reset === true)) {
      return unknown('session_lost', 'The school did not reset the last search.')
    }
    this.#criteria = null
    return null
  }
}
