import { known, unknown } from '../answer.ts'
import type { Answer, GroupSections } from '../source.ts'
import { MAX_WALKS, type Walk, walkPages, walkTerm } from '../walk-pages.ts'
import { type Criteria, MAX_PAGES } from './calls.ts'
import type { SearchPage } from './search-page.ts'
import type { BannerSession } from './session.ts'

/** Walks over the pages of one search and checks whether rows can have slipped between two pages. */
class SearchWalk implements Walk<SearchPage> {
  readonly seen = new Set<string>()
  readonly #totals: Set<number>
  /** How many rows came before this walk. */
  readonly #before: number
  #rows: number
  #pages = 0
  /** How many rows repeated a section of their own page. */
  #repeated = 0

  /**
   * @param from the {@link cursor} of an earlier walk, to continue it; sections that it returned twice are not detected
   * then
   */
  constructor(from: string | null = null) {
    const [, rows, total] = /^(\d+)\/(\d+)$/.exec(from ?? '') ?? []
    this.#before = this.#rows = Number(rows ?? 0)
    this.#totals = new Set(total === undefined ? [] : [Number(total)])
  }

  get cursor(): string {
    const [total = 0] = this.#totals
    return `${this.#rows}/${total}`
  }

  /**
   * The rows so far, where the next page begins. The server may cut pages short, so this counts received rows, not
   * requested ones.
   */
  get offset(): number {
    return this.#rows
  }

  take(page: SearchPage): void {
    this.#pages++
    this.#rows += page.rows
    this.#repeated += page.rows - page.sections.length
    this.#totals.add(page.totalCount)
    for (const section of page.sections) this.seen.add(section.section_key)
  }

  isOver(page: SearchPage): boolean {
    return this.#rows >= page.totalCount || page.rows === 0 || this.#pages >= MAX_PAGES
  }

  /** If the count never changed, the rows match it, and none was on two pages, no row was lost or invented. */
  get isWhole(): boolean {
    const [total] = this.#totals
    return this.#totals.size === 1 && this.#rows === total && this.#before + this.seen.size + this.#repeated === total
  }

  get why(): string {
    const totals = [...this.#totals].join(', then ')
    return `The school counts ${totals} sections; ${this.#rows} rows came, ${this.#before + this.seen.size} of them different.`
  }
}

/**
 * All sections of one search, with one second walk if the count changed in the meantime; unknown if it changed again.
 */
export async function readAll(session: BannerSession, criteria: Criteria): Promise<Answer<GroupSections>> {
  let why = ''
  for (let walks = 0; walks < MAX_WALKS; walks++) {
    const walk = new SearchWalk()
    const read = await walkPages(walk, () => session.page(criteria, walk.offset))
    if (!read.known) return read
    if (walk.isWhole) return known({ sections: read.value, stated_count: read.value.length }, read.warnings)
    why = walk.why
  }
  return unknown('incomplete', why)
}

/** All sections of a term, page by page: {@link walkTerm}. Schools that require a filter find nothing for any term. */
export function readPages(
  session: BannerSession,
  criteria: Criteria,
  from: string | null = null,
): AsyncGenerator<Answer<GroupSections>> {
  return walkTerm(
    (cursor) => new SearchWalk(cursor),
    (walk) => session.page(criteria, walk.offset),
    'The school finds nothing in a search without a filter, as some do for any term.',
    from,
  )
}
