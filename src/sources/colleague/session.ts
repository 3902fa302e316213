import { known, unknown } from '../answer.ts'
import { type Call, Conversation, type Page, type Reply, whyNoPage } from '../http.ts'
import type { Answer, SourceAddress, Tools, UnknownReason } from '../source.ts'
import type { CountedWalk } from '../walk-pages.ts'
import { ENDS_READING, MAX_FAILURES_IN_A_ROW, RESUMED_LATER, type Wanted } from '../watched-sections.ts'
import { Calls, type Criteria, type Generation, GENERATIONS } from './calls.ts'
import { readCourseSections } from './courses.ts'
import { readToken } from './entry-page.ts'
import { type Filters, readFilters } from './filters.ts'
import { type Asked, FoundSections, readSearchPage, type SearchPage } from './search-page.ts'

/** Failures that a new token may fix: the old one has expired, or a front server answered in the school's place. */
const WORTH_RENEWAL: ReadonlySet<UnknownReason> = new Set(['session_lost', 'not_the_protocol'])

/** What a server says about a token that has expired or is unknown. */
const REFUSALS: ReadonlySet<number> = new Set([400, 401, 403])

/**
 * A visit to the course catalog: the first page gives a token and a cookie that belong together, and every call sends
 * both. When they are refused, they are renewed and the call is repeated, once; after that the answer is unknown. Which
 * calls a school does not know shows which of the two generations it has.
 */
export class ColleagueSession {
  readonly #conversation: Conversation
  readonly #calls: Calls
  #token: string | null = null
  #generation: Generation
  /** Whether the school has answered a call of this generation. */
  #isSure = false
  #termCodes: ReadonlySet<string> | null = null

  constructor(address: SourceAddress, tools: Tools) {
    this.#conversation = new Conversation(tools)
    this.#calls = new Calls(address)
    this.#generation = GENERATIONS.find((name) => name === address.settings['api']) ?? 'PostSearchCriteria'
  }

  /** Asks for the pages of one search. */
  search(criteria: Criteria): (walk: CountedWalk, wanted?: Wanted) => Promise<Answer<SearchPage>> {
    return ({ pages }, wanted) => this.page(criteria, pages + 1, wanted)
  }

  /**
   * One page of a search, counted from 1. If a school lists courses, their sections are requested, one request per
   * course; with `wanted`, only those of courses that have one of these keys, from its course on. If a course shows none,
   * or with `wanted` its request fails, the others are returned; except in a search of a whole term without `wanted`: its
   * subjects are searched instead.
   */
  async page(criteria: Criteria, number: number, wanted: Wanted | null = null): Promise<Answer<SearchPage>> {
    const asked = { ...criteria, locations: this.#calls.locations }
    const page = await this.#ask(
      (generation, token) => this.#calls.search(generation, token, criteria, number),
      (reply) => readSearchPage(reply, asked, number),
    )
    return page.known && page.value.courses.length > 0 ? this.#withSections(page.value, asked, wanted) : page
  }

  async #withSections(page: SearchPage, asked: Asked, wanted: Wanted | null): Promise<Answer<SearchPage>> {
    const found = new FoundSections(asked)
    const first = Math.max(
      0,
      page.courses.findIndex(({ id }) => id === wanted?.course),
    )
    let whyIncomplete = first > 0 ? RESUMED_LATER : ''
    let failures = 0
    for (const listed of page.courses.slice(first)) {
      const keys = listed.sectionKeys.filter((key) => wanted?.keys.has(key) ?? true)
      if (keys.length === 0) continue
      if (wanted !== null) wanted.course = listed.id
      const course = await this.#ask(
        (generation, token) => this.#calls.sections(generation, token, listed.id, keys),
        (reply) => readCourseSections(reply, listed, keys),
      )
      if (!course.known) {
        failures += 1
        if (wanted === null || ENDS_READING.has(course.reason) || failures >= MAX_FAILURES_IN_A_ROW) return course
        whyIncomplete ||= course.why
        continue
      }
      failures = 0
      whyIncomplete ||= course.value.whyIncomplete
      if (whyIncomplete !== '' && wanted === null && asked.subject === undefined)
        return unknown('incomplete', whyIncomplete)
      for (const row of course.value.rows) found.add(row)
      if (found.mismatch === null) wanted?.collect?.(found.all.sections)
    }
    delete wanted?.course
    return found.mismatch === null
      ? known({ ...page, ...found.all, whyIncomplete })
      : unknown('wrong_scope', found.mismatch)
  }

  async filters(): Promise<Answer<Filters>> {
    const filters = await this.#ask((generation, token) => this.#calls.filters(generation, token), readFilters)
    if (filters.known) this.#termCodes = filters.value.termCodes
    return filters
  }

  /** According to the school's last list, because one job may ask this for many empty groups. */
  async hasTerm(term: string): Promise<Answer<boolean>> {
    if (this.#termCodes !== null) return known(this.#termCodes.has(term))
    const filters = await this.filters()
    return filters.known ? known(filters.value.termCodes.has(term)) : filters
  }

  #ask<Value>(
    callOf: (generation: Generation, token: string) => Call,
    readPage: (page: Page) => Answer<Value>,
  ): Promise<Answer<Value>> {
    return this.#conversation.renewing(() => this.#attempt(callOf, readPage), WORTH_RENEWAL)
  }

  /** Whatever is not believed leaves the visit in doubt, so the next attempt begins another. */
  async #attempt<Value>(
    callOf: (generation: Generation, token: string) => Call,
    readPage: (page: Page) => Answer<Value>,
  ): Promise<Answer<Value>> {
    const token = await this.#enter()
    if (!token.known) return token
    const answer = await this.#call((generation) => callOf(generation, token.value), readPage)
    if (!answer.known) this.#token = null
    return answer
  }

  async #enter(): Promise<Answer<string>> {
    if (this.#token !== null) return known(this.#token)
    this.#conversation.clearCookies()
    const token = await this.#conversation.read(this.#calls.entry(), readToken)
    if (token.known) this.#token = token.value
    return token
  }

  async #call<Value>(
    callOf: (generation: Generation) => Call,
    readPage: (page: Page) => Answer<Value>,
  ): Promise<Answer<Value>> {
    const { generation, reply } = await this.#request(callOf)
    if (reply.page === null) return whyNoPage(reply, REFUSALS)
    const answer = readPage(reply.page)
    if (answer.known) {
      this.#generation = generation
      this.#isSure = true
    }
    return answer
  }

  /** Schools move to the newer generation, so one that does not know the first call is asked in the other's words. */
  async #request(callOf: (generation: Generation) => Call): Promise<{ generation: Generation; reply: Reply }> {
    const generation = this.#generation
    const reply = await this.#conversation.request(callOf(generation))
    const isUnknownCall = reply.page === null && reply.status === 404
    if (!isUnknownCall || this.#isSure) return { generation, reply }
    const other = generation === 'SearchAsync' ? 'PostSearchCriteria' : 'SearchAsync'
    return { generation: other, reply: await this.#conversation.request(callOf(other)) }
  }
}
