import { known, unknown } from '../answer.ts'
import type { Answer, GroupSections } from '../source.ts'
import { MAX_WALKS, type Walk, walkPages, walkTerm } from '../walk-pages.ts'
import { type Criteria, MAX_PAGES } from './calls.ts'
import type { SearchPage } from './search-page.ts'
import type { ColleagueSession } from './session.ts'

/** Walks over the pages of one search and checks whether sections can have slipped between two pages. */
class SearchWalk implements Walk<SearchPage> {
  readonly #keys = new Set<string>()
  readonly #totals: Set<number>
  /** How many rows came before this walk. */
  readonly #before: number
  #rows: number
  #pages: number
  #termEndsOn = ''

  /**
   * @param from the {@link cursor} of an earlier walk, to continue it; sections that it returned twice are not detected
   * then
   */
  constructor(from: string | null = null) {
    const [, pages, rows, total] = /^(\d+)\/(\d+)\/(\d+)$/.exec(from ?? '') ?? []
    this.#pages = Number(pages ?? 0)
    this.#before = this.#rows = Number(rows ?? 0)
    this.#totals = new Set(total === undefined ? [] : [Number(total)])
  }

  get cursor(): string {
    const [total = 0] = this.#totals
    return `${this.#pages}/${this.#rows}/${total}`
  }

  /** The page to ask for, counted from 1. */
  get next(): number {
    return this.#pages + 1
  }

  take(page: SearchPage): void {
    this.#pages++
    this.#rows += page.rows
    this.#totals.add(page.totalCount)
    for (const key of page.keys) this.#keys.add(key)
    if (page.termEndsOn > this.#termEndsOn) this.#termEndsOn = page.termEndsOn
  }

  /** The term's last day, if a page had it. */
  get termEnd(): { term_ends_on?: string } {
    return this.#termEndsOn === '' ? {} : { term_ends_on: this.#termEndsOn }
  }

  isOver(page: SearchPage): boolean {
    return page.rows === 0 || this.#pages >= page.pages || this.#pages >= MAX_PAGES
  }

  /** If the count never changed, and exactly as many different sections came, none was lost or invented. */
  get isWhole(): boolean {
    const [total] = this.#totals
    return this.#totals.size === 1 && this.#rows === total && this.#before + this.#keys.size === total
  }

  get isEmpty(): boolean {
    return this.#rows === 0
  }

  get why(): string {
    const totals = [...this.#totals].join(', then ')
    return `The school counts ${totals} sections; ${this.#rows} rows came, ${this.#before + this.#keys.size} of them different.`
  }
}

/**
 * All sections of one search, with one second walk if the count changed in the meantime or is 0; unknown if it changed
 * again.
 */
export async function readAll(session: ColleagueSession, criteria: Criteria): Promise<Answer<GroupSections>> {
  let why = ''
  let wasEmpty = false
  for (let walks = 0; walks < MAX_WALKS; walks++) {
    const walk = new SearchWalk()
    const read = await walkPages(walk, () => session.page(criteria, walk.next))
    if (!read.known) return read
    if (walk.isWhole && !walk.isEmpty) {
      const { length: stated_count } = read.value
      return known({ sections: read.value, stated_count, ...walk.termEnd }, read.warnings)
    }
    if (walk.isWhole && wasEmpty) return whenEmpty(session, criteria)
    wasEmpty = walk.isEmpty
    why = walk.why
  }
  return unknown('incomplete', why)
}

/** All sections of a term, page by page: {@link walkTerm}. */
export function readPages(
  session: ColleagueSession,
  criteria: Criteria,
  from: string | null = null,
): AsyncGenerator<Answer<GroupSections>> {
  return walkTerm(
    (cursor) => new SearchWalk(cursor),
    (walk) => session.page(criteria, walk.next),
    'The school finds no section in the whole term.',
    from,
  )
}

/**
 * Withdrawn terms and broken sites also find nothing, so an answer that was empty twice is believed only if the school
 * still lists the term.
 */
async function whenEmpty(session: ColleagueSession, { term }: Criteria): Promise<Answer<GroupSections>> {
  const listed = await session.hasTerm(term)
  if (!listed.known) return listed
  if (listed.value) return known({ sections: [], stated_count: 0 })
  return unknown('incomplete', `The school finds nothing, and does not list term ${term}.`)
}
