import { addNew } from '../../lib/collections.ts'
import { known, unknown } from '../answer.ts'
import type { Answer, GroupSections, SourceSection } from '../source.ts'
import { MAX_PAGES, MAX_WALKS } from '../walk-pages.ts'
import type { SearchPage } from './search-page.ts'
import type { HcxSession } from './session.ts'

/** Where a walk is, and the number of pages stated on the first one; null if the site does not count them. */
interface Place {
  number: number
  pages: number | null
}

/**
 * Walks over the pages of a search and checks whether rows can have slipped between two of them. The site counts pages,
 * not rows, so the signs are a page that is empty too early, or a section on two pages.
 */
export class SearchWalk {
  readonly #keys = new Set<string>()
  #place: Place
  #why = ''
  #isOver = false

  constructor(place: Place = { number: 1, pages: null }) {
    this.#place = place
  }

  /** The page to ask for, counted from 1. */
  get next(): number {
    return this.#place.number
  }

  get isOver(): boolean {
    return this.#isOver
  }

  /** Where the next page begins, as text; null at the end. */
  get cursor(): string | null {
    const { number, pages } = this.#place
    return this.#isOver ? null : `${number}/${pages ?? ''}`
  }

  get isEmpty(): boolean {
    return this.#keys.size === 0
  }

  get isWhole(): boolean {
    return this.#why === ''
  }

  /** Why rows can have slipped, as a sentence; '' if none can. */
  get why(): string {
    return this.#why
  }

  /** Of all rows so far. */
  get keys(): ReadonlySet<string> {
    return this.#keys
  }

  /** Returns the sections that no earlier page had. */
  take(page: SearchPage): SourceSection[] {
    const { number } = this.#place
    const pages = number === 1 ? page.pages : this.#place.pages
    const repeated = new Set<string>()
    for (const key of page.keys) {
      if (!addNew(this.#keys, key)) repeated.add(key)
    }
    const isRepeat = page.rows > 0 && repeated.size === page.keys.size
    if (page.unidentified > 0) this.#why ||= `Rows of page ${number} do not say which section they are.`
    if (page.rows === 0 && pages !== null && number <= pages) this.#why ||= `Page ${number} of ${pages} is empty.`
    if (repeated.size > 0) this.#why ||= `Page ${number} repeats sections of others.`
    this.#isOver = page.rows === 0 || isRepeat || (pages !== null && number >= pages) || number >= MAX_PAGES
    if (number >= MAX_PAGES) this.#why ||= `The school has more than ${MAX_PAGES} pages.`
    this.#place = { number: number + 1, pages }
    return repeated.size === 0 ? page.sections : page.sections.filter(({ section_key }) => !repeated.has(section_key))
  }
}

/**
 * Every section of a term, page by page, each once: see {@link Lane.wholeTerm}. If sections repeat on its pages, the
 * walk starts over, and is unknown if they repeat again.
 */
export async function* readTerm(
  session: HcxSession,
  term: string,
  from: string | null,
): AsyncGenerator<Answer<GroupSections>> {
  let given: ReadonlySet<string> = new Set()
  const start = readCursor(from)
  let why = ''
  for (let walks = 0; walks < MAX_WALKS; walks++) {
    const walk = new SearchWalk(walks === 0 ? start : undefined)
    while (!walk.isOver) {
      const { next } = walk
      const page = await session.page({ term }, next)
      if (!page.known) {
        yield page
        return
      }
      if (page.value.rows === 0 && next === 1) {
        yield unknown('incomplete', 'The school finds no section in the whole term.')
        return
      }
      const taken = walk.take(page.value)
      const sections = given.size === 0 ? taken : taken.filter(({ section_key }) => !given.has(section_key))
      yield known({ sections, next: walks === 0 ? walk.cursor : null }, page.warnings)
    }
    if (walk.isWhole) return
    why = walk.why
    given = new Set([...given, ...walk.keys])
  }
  yield unknown('incomplete', why)
}

function readCursor(cursor: string | null): Place | undefined {
  const [, number = '', pages = ''] = /^(\d{1,4})\/(\d{0,6})$/.exec(cursor ?? '') ?? []
  return number === '' ? undefined : { number: Number(number), pages: pages === '' ? null : Number(pages) }
}
