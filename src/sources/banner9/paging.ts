import { known, unknown } from '../answer.ts'
import type { Answer, GroupSections, SourceSection } from '../source.ts'
import { type Criteria, MOST_PAGES } from './calls.ts'
import type { SearchPage } from './search-page.ts'
import type { BannerSession } from './session.ts'

/** A count may move under one walk over the pages; if it moves under two, the school is too busy to be believed. */
const MOST_WALKS = 2

/** Walks over the pages of one search and keeps account of whether rows can have slipped between two pages. */
class Walk {
  readonly seen = new Set<string>()
  #totals = new Set<number>()
  #rows = 0
  #pages = 0
  /** Rows that repeated a section of their own page. */
  #repeated = 0

  /** Rows so far: where the next page begins. The server may cut pages short, so what came counts, not what was asked. */
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
    return this.#rows >= page.totalCount || page.rows === 0 || this.#pages >= MOST_PAGES
  }

  /** One count all the way, as many rows as it says, and none on two pages: then none was lost and none invented. */
  get isWhole(): boolean {
    const [total] = this.#totals
    return this.#totals.size === 1 && this.#rows === total && this.seen.size + this.#repeated === total
  }

  get why(): string {
    const totals = [...this.#totals].join(', then ')
    return `The school counts ${totals} sections; ${this.#rows} rows came, ${this.seen.size} of them different.`
  }
}

/** All sections of one search, walked again once if the count moved under it; unknown if it did again. */
export async function readAll(session: BannerSession, criteria: Criteria): Promise<Answer<GroupSections>> {
  let why = ''
  for (let walks = 0; walks < MOST_WALKS; walks++) {
    const walk = new Walk()
    const sections: SourceSection[] = []
    const warnings: string[] = []
    for (;;) {
      const page = await session.page(criteria, walk.offset)
      if (!page.known) return page
      walk.take(page.value)
      sections.push(...page.value.sections)
      warnings.push(...page.warnings)
      if (walk.isOver(page.value)) break
    }
    if (walk.isWhole) return known({ sections, stated_count: sections.length }, warnings)
    why = walk.why
  }
  return unknown('incomplete', why)
}

/**
 * The same page by page, each section once. If the count moved, a second walk brings what had slipped; if it moves again
 * the last answer is unknown. So is a term without a section: schools that want a filter answer that to any term. Pages
 * are not counted by the school, so their `stated_count` is null.
 */
export async function* readPages(session: BannerSession, criteria: Criteria): AsyncGenerator<Answer<GroupSections>> {
  const given = new Set<string>()
  let why = ''
  for (let walks = 0; walks < MOST_WALKS; walks++) {
    const walk = new Walk()
    for (;;) {
      const page = await session.page(criteria, walk.offset)
      if (!page.known) {
        yield page
        return
      }
      if (page.value.totalCount === 0) {
        yield unknown('incomplete', 'The school finds nothing in a search without a filter, as some do for any term.')
        return
      }
      walk.take(page.value)
      const sections = page.value.sections.filter((section) => !given.has(section.section_key))
      for (const section of sections) given.add(section.section_key)
      yield known({ sections, stated_count: null }, page.warnings)
      if (walk.isOver(page.value)) break
    }
    if (walk.isWhole) return
    why = walk.why
  }
  yield unknown('incomplete', why)
}
