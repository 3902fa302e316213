import { addIfAbsent } from '../lib/collections.ts'
import { known, unknown } from './answer.ts'
import type { Answer, GroupSections, SourceSection } from './source.ts'

/** A count may change during one walk over the pages; if it changes during two, the school is too busy to be believed. */
const MAX_WALKS = 2

/** Far beyond any school's term; if a school's counts lead past this, they are wrong. */
export const MAX_PAGES = 1000

/** The cursor of a walk that begins again, because the one before is not whole. */
const FROM_THE_START = ''

/** A count that changes on every page would make a sentence of thousands of words. */
const MAX_SHOWN_TOTALS = 3

/** Checks, page by page, whether sections can have slipped between two pages. */
export interface Walk<Page> {
  /** Returns the page's sections. */
  take(page: Page): SourceSection[]
  /** The same, without the sections that earlier pages had. */
  takeNew(page: Page): SourceSection[]
  /** The keys of the sections that {@link takeNew} has returned. */
  readonly given: ReadonlySet<string>
  /** Where the next page begins, for a walk that continues this one. */
  readonly cursor: string
  readonly isOver: boolean
  /** Whether no page had rows, not even those before a walk that is continued. */
  readonly isEmpty: boolean
  /** Whether no section was lost or invented. */
  readonly isWhole: boolean
  /** Why it is not whole, as a sentence. */
  readonly why: string
  /** See {@link CountedPage.whyIncomplete}. */
  readonly whyIncomplete?: string
  /** See {@link GroupSections}; present if pages had it. */
  readonly termEnd?: Pick<GroupSections, 'term_ends_on'>
}

/** A page of a search whose rows the school counts; the counts may change while paging. */
export interface CountedPage {
  /** Each section once, regardless of its number of rows. */
  sections: SourceSection[]
  rows: number
  /** What identifies the rows, if it is not only the keys of the sections. */
  keys?: ReadonlySet<string>
  /** How many rows repeat a section of their page, if that is normal at the school. */
  repeated?: number
  /** Why sections of its rows are not among `sections`, as a sentence; '' or absent if all are. */
  whyIncomplete?: string
  /** The number of rows of the whole search. */
  totalCount: number
  /** The number of pages of the whole search; absent if the school does not count them. */
  pages?: number
  /** The term's last day; '' if no row has it. */
  termEndsOn?: string
}

/** A walk over pages whose rows the school counts. */
export class CountedWalk implements Walk<CountedPage> {
  readonly #keys = new Set<string>()
  readonly given = new Set<string>()
  readonly #totals: Set<number>
  /** How many rows came before this walk. */
  readonly #before: number
  /** Whether pages came before this walk. */
  readonly isContinued: boolean
  #pages: number
  #rows: number
  #repeated = 0
  #termEndsOn = ''
  isOver = false
  /** See {@link CountedPage.whyIncomplete}; the first page that has it. */
  whyIncomplete = ''
  /** By the school's count, and the length of the last page. */
  pagesLeft = Infinity

  /** @param from the {@link cursor} of an earlier walk, to continue it; sections repeated from there are not detected */
  constructor(from: string | null = null) {
    const [, pages, rows, total] = /^(\d+)\/(\d+)\/(\d+)$/.exec(from ?? '') ?? []
    this.#pages = Number(pages ?? 0)
    this.#before = this.#rows = Number(rows ?? 0)
    this.isContinued = this.#pages > 0
    this.#totals = new Set(total === undefined ? [] : [Number(total)])
  }

  get cursor(): string {
    // No later page confirms a count of 0, so a walk that has lost or repeated rows stays incomplete when it is continued.
    const isSound = this.#totals.size === 1 && this.#different + this.#repeated === this.#rows
    const [total = 0] = isSound ? this.#totals : []
    return `${this.#pages}/${this.#rows}/${total}`
  }

  get pages(): number {
    return this.#pages
  }

  /** How many rows came, not how many were requested: servers cut pages short. */
  get rows(): number {
    return this.#rows
  }

  get isEmpty(): boolean {
    return this.#rows === 0
  }

  /** If the count never changed, and exactly as many different sections came, none was lost or invented. */
  get isWhole(): boolean {
    const [total] = this.#totals
    if (this.whyIncomplete !== '') return false
    return this.#totals.size === 1 && this.#rows === total && this.#different + this.#repeated === total
  }

  get why(): string {
    if (this.whyIncomplete !== '') return this.whyIncomplete
    const totals = [...this.#totals].slice(0, MAX_SHOWN_TOTALS).join(', then ')
    const more = this.#totals.size > MAX_SHOWN_TOTALS ? ', and so on,' : ''
    return `The school counts ${totals}${more} sections; ${this.#rows} rows came, ${this.#different} of them different.`
  }

  get termEnd(): Pick<GroupSections, 'term_ends_on'> {
    return this.#termEndsOn === '' ? {} : { term_ends_on: this.#termEndsOn }
  }

  get #different(): number {
    return this.#before + this.#keys.size
  }

  take({
    sections,
    rows,
    keys,
    repeated = 0,
    whyIncomplete = '',
    totalCount,
    pages,
    termEndsOn = '',
  }: CountedPage): SourceSection[] {
    this.#pages++
    this.#rows += rows
    this.#repeated += repeated
    this.#totals.add(totalCount)
    this.whyIncomplete ||= whyIncomplete
    for (const key of keys ?? sections.map(({ section_key }) => section_key)) this.#keys.add(key)
    if (termEndsOn > this.#termEndsOn) this.#termEndsOn = termEndsOn
    this.pagesLeft = pages === undefined ? (totalCount - this.#rows) / rows : pages - this.#pages
    this.isOver = rows === 0 || this.pagesLeft <= 0 || this.#pages >= MAX_PAGES
    return sections
  }

  takeNew(page: CountedPage): SourceSection[] {
    return this.take(page).filter(({ section_key }) => addIfAbsent(this.given, section_key))
  }
}

/** Begins a walk, or continues one from the {@link Walk.cursor} of an earlier one. */
type WalkClass<One> = new (from?: string | null) => One

/**
 * All sections of one search, with a second walk if sections can have slipped or none came; unknown if they can have
 * slipped again.
 * @param whenEmpty answers if two walks found nothing; absent if one that did is believed
 */
export async function readAll<Page, One extends Walk<Page>>(
  OneWalk: WalkClass<One>,
  ask: (walk: One) => Promise<Answer<Page>>,
  whenEmpty?: () => Promise<Answer<GroupSections>>,
): Promise<Answer<GroupSections>> {
  let why = ''
  let wasEmpty = false
  for (let walks = 0; walks < MAX_WALKS; walks++) {
    const walk = new OneWalk()
    const sections: SourceSection[] = []
    const warnings: string[] = []
    while (!walk.isOver) {
      const page = await ask(walk)
      if (!page.known) return page
      // Not `push(...)`: a page of very many rows would be more arguments than a call can have.
      for (const section of walk.take(page.value)) sections.push(section)
      warnings.push(...page.warnings)
    }
    if (walk.isWhole && (!walk.isEmpty || whenEmpty === undefined))
      return known({ sections, ...walk.termEnd }, warnings)
    // Asked again, the school would keep them back again.
    if (walk.whyIncomplete && sections.length > 0)
      return known({ sections, whyIncomplete: walk.whyIncomplete, ...walk.termEnd }, warnings)
    if (walk.isWhole && wasEmpty && whenEmpty !== undefined) return whenEmpty()
    wasEmpty = walk.isWhole
    why = walk.why || why
  }
  return unknown('incomplete', why)
}

/**
 * A whole term page by page, each section once. If sections can have slipped, a second walk finds them; if they can have
 * slipped again, the last answer is unknown. A term without sections is unknown, too.
 * @param from the {@link Walk.cursor} at which to continue
 * @param nothing a sentence for a term without sections
 */
export async function* walkTerm<Page, One extends Walk<Page>>(
  OneWalk: WalkClass<One>,
  ask: (walk: One) => Promise<Answer<Page>>,
  from: string | null = null,
  nothing = 'The school finds no section in the whole term.',
): AsyncGenerator<Answer<GroupSections>> {
  const earlier: One[] = []
  let why = ''
  for (let walks = 0; walks < MAX_WALKS; walks++) {
    const walk = new OneWalk(walks === 0 ? from : null)
    while (!walk.isOver) {
      const page = await ask(walk)
      if (!page.known) return yield page
      const found = walk.takeNew(page.value)
      const isGiven = ({ section_key }: SourceSection) => earlier.some(({ given }) => given.has(section_key))
      const sections = earlier.length === 0 ? found : found.filter((section) => !isGiven(section))
      if (walk.isEmpty && walk.isWhole) return yield unknown('incomplete', nothing)
      const end = walk.isWhole ? null : FROM_THE_START
      const next = walk.isOver ? end : walk.cursor
      yield known({ sections, next, ...walk.termEnd }, page.warnings)
    }
    if (walk.isWhole) return
    why = walk.why
    earlier.push(walk)
  }
  yield unknown('incomplete', why)
}
