import { addIfAbsent } from '../../lib/collections.ts'
import type { SourceSection } from '../source.ts'
import { MAX_PAGES, type Walk } from '../walk-pages.ts'
import type { SearchPage } from './search-page.ts'

/**
 * Walks over the pages of a search and checks whether rows can have slipped between two of them. The site counts pages,
 * not rows, so the signs are a page that is empty too early, or a section on two pages.
 */
export class SearchWalk implements Walk<SearchPage> {
  readonly given = new Set<string>()
  /** Whether pages came before this walk. */
  readonly isContinued: boolean
  /** As stated on the first page; null if the site does not count them. */
  #pages: number | null
  /** The page to ask for, counted from 1. */
  next: number
  isOver = false
  /** Why rows can have slipped, as a sentence; '' if none can. */
  why = ''

  /** @param from the {@link cursor} of an earlier walk, to continue it */
  constructor(from: string | null = null) {
    const [, number = '1', pages = '', slipped = ''] = /^(\d{1,4})\/(\d{0,6})(!?)$/.exec(from ?? '') ?? []
    this.next = Number(number)
    if (slipped !== '') this.why = `Rows may be missing or duplicated before page ${number}.`
    this.#pages = pages === '' ? null : Number(pages)
    this.isContinued = this.next > 1
  }

  get cursor(): string {
    return `${this.next}/${this.#pages ?? ''}${this.isWhole ? '' : '!'}`
  }

  get isEmpty(): boolean {
    return this.given.size === 0 && !this.isContinued
  }

  get isWhole(): boolean {
    return this.why === ''
  }

  take(page: SearchPage): SourceSection[] {
    this.#repeatedIn(page)
    return page.sections
  }

  takeNew(page: SearchPage): SourceSection[] {
    const repeated = this.#repeatedIn(page)
    if (repeated.size === 0) return page.sections
    return page.sections.filter(({ section_key }) => !repeated.has(section_key))
  }

  /** Takes the page, and returns the keys of its rows that earlier pages had. */
  #repeatedIn(page: SearchPage): ReadonlySet<string> {
    const number = this.next
    const pages = number === 1 ? page.pages : this.#pages
    const repeated = new Set<string>()
    for (const key of page.keys.keys()) if (!addIfAbsent(this.given, key)) repeated.add(key)
    const isRepeat = page.rows > 0 && repeated.size === page.keys.size
    if (page.unidentified > 0) this.why ||= `Rows of page ${number} do not say which section they are.`
    if (page.rows === 0 && pages !== null && number <= pages) this.why ||= `Page ${number} of ${pages} is empty.`
    if (repeated.size > 0) this.why ||= `Page ${number} repeats sections of others.`
    this.isOver = page.rows === 0 || isRepeat || (pages !== null && number >= pages) || number >= MAX_PAGES
    if (number >= MAX_PAGES) this.why ||= `The school has more than ${MAX_PAGES} pages.`
    this.#pages = pages
    this.next = number + 1
    return repeated
  }
}
