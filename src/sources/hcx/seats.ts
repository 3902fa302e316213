import { known, type Unknown, unknown } from '../answer.ts'
import { type Start, startingAt } from '../poll-notes.ts'
import { type Answer, BudgetSpent, type Group, type Observation, type WatchedGroup } from '../source.ts'
import {
  NO_REQUESTS_LEFT,
  noneListed,
  RESUMED_LATER,
  type Reading,
  readNoted,
  WatchedSections,
} from '../watched-sections.ts'
import type { Criteria } from './calls.ts'
import { SearchWalk } from './paging.ts'
import type { SearchPage } from './search-page.ts'
import type { HcxSession } from './session.ts'

/**
 * Reads seats by a search of the subject, which ends as soon as every watched section was seen. If only one course is
 * watched, or the subject has more pages left than there are courses to find, the courses are searched instead. If one is
 * not found there that was listed until now, its course may have another number, and the whole subject shows whether it
 * is gone. A group that is cut off goes on from there the next time.
 */
export function readSeats(
  session: HcxSession,
  watched: WatchedGroup,
  reading: Reading,
): Promise<Answer<{ seen: Observation[] }>> {
  const { group } = watched
  const wanted = new Wanted(watched, reading.notes.startOf(group))
  return readNoted(group, { ...reading, wanted }, () => readWanted(session, group, wanted))
}

async function readWanted(session: HcxSession, group: Group, wanted: Wanted): Promise<Answer<{ seen: Observation[] }>> {
  const { term, subject } = group
  const search = new Search(session, wanted)
  if (wanted.levels?.size === 1) await search.courses({ term, subject }, wanted.levels)
  else if (wanted.keys.size > 0) {
    await search.subject({ term, subject })
    if (search.isGivenUp) await search.courses({ term, subject }, wanted.levels ?? new Set())
  }
  if (search.isOfCourses && search.whyLost === '' && wanted.lacksListed) await search.rest({ term, subject })
  if (search.answer !== null) return search.answer
  // If the school has stopped listing all of them before, an empty answer says nothing new.
  if (wanted.lacksListed && search.rows === 0 && search.whyLost === '') return noneListed(group)
  return known({ seen: wanted.seen(search.whyLost) }, search.warnings)
}

class Search {
  readonly #session: HcxSession
  readonly #wanted: Wanted
  readonly warnings: string[] = []
  /** Why the group is unknown; null if it is not. */
  answer: Unknown | null = null
  rows = 0
  /** Why sections may have been lost, as a sentence; '' if none can. */
  whyLost = ''
  /** Whether the courses cost fewer requests than the remaining pages. */
  isGivenUp = false
  /** Whether courses were searched, all of which were read. */
  isOfCourses = false

  constructor(session: HcxSession, wanted: Wanted) {
    this.#session = session
    this.#wanted = wanted
  }

  async subject(criteria: Criteria): Promise<void> {
    const walk = new SearchWalk(this.#wanted.cursor)
    let pages: number | null = null
    while (!walk.isOver && !this.#wanted.isComplete && this.answer === null) {
      const number = walk.next
      const page = await this.#read(criteria, number)
      if (page === null) return
      walk.take(page)
      this.#wanted.cursor = walk.cursor
      if (number === 1) pages = page.pages
      this.isGivenUp = pages !== null && pages - number > (this.#wanted.levels?.size ?? Infinity)
      if (this.isGivenUp && !this.#wanted.isComplete) {
        delete this.#wanted.cursor
        return
      }
    }
    delete this.#wanted.cursor
    this.isGivenUp = false
    if (this.#wanted.isComplete) return
    if (walk.isContinued) this.whyLost = RESUMED_LATER
    else if (walk.isWhole) return
    else if (this.#wanted.hasSeen) this.whyLost = walk.why
    else this.answer = unknown('incomplete', walk.why)
  }

  async courses(criteria: Criteria, levels: ReadonlySet<string>): Promise<void> {
    for (const level of startingAt([...levels], this.#wanted.course)) {
      this.#wanted.course = level
      const walk = new SearchWalk()
      while (!walk.isOver && this.#wanted.hasLeft(level)) {
        const page = await this.#read({ ...criteria, level }, walk.next)
        if (page === null) return
        walk.take(page)
      }
      if (this.#wanted.hasLeft(level)) this.whyLost ||= walk.why
    }
    delete this.#wanted.course
    this.isOfCourses = true
  }

  /** All pages of the subject. What the courses have shown does not depend on them. */
  async rest(criteria: Criteria): Promise<void> {
    const walk = new SearchWalk()
    this.#wanted.beginSearch()
    try {
      while (!walk.isOver && !this.#wanted.isComplete) {
        const page = await this.#read(criteria, walk.next)
        if (page === null) break
        walk.take(page)
      }
    } catch (error) {
      if (this.rows === 0 || !(error instanceof BudgetSpent)) throw error
      this.whyLost = NO_REQUESTS_LEFT
      return
    }
    const failure = this.answer
    if (failure !== null && this.rows > 0) this.answer = null
    if (!this.#wanted.isComplete) this.whyLost = failure?.why ?? walk.why
  }

  async #read(criteria: Criteria, number: number): Promise<SearchPage | null> {
    const page = await this.#session.page(criteria, number)
    if (!page.known) {
      this.answer = page
      return null
    }
    this.rows += page.value.rows
    this.warnings.push(...page.warnings)
    this.#wanted.collect(page.value.sections)
    return page.value
  }
}

/** The watched sections of one group, with their courses. */
class Wanted extends WatchedSections {
  readonly #levels: ReadonlyMap<string, string>

  constructor(group: WatchedGroup, start: Start) {
    super(group, start)
    this.#levels = new Map(group.watched.map(({ section_key, level }) => [section_key, level]))
  }

  /** The courses of the sections not seen yet; null if one of them is unknown. */
  get levels(): ReadonlySet<string> | null {
    const left = [...this.#levels].filter(([key]) => !this.has(key)).map(([, level]) => level)
    return left.includes('') ? null : new Set(left)
  }

  hasLeft(level: string): boolean {
    return [...this.#levels].some(([key, ofSection]) => ofSection === level && !this.has(key))
  }
}
