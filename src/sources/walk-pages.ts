import { addNew } from '../lib/collections.ts'
import { known, unknown } from './answer.ts'
import type { Answer, GroupSections, SourceSection } from './source.ts'

/**
 * A count may change during one walk over the pages; if it changes during two, the school is too busy to be believed.
 */
export const MAX_WALKS = 2

/** Checks, page by page, whether sections can have slipped between two pages. */
export interface Walk<Page> {
  take(page: Page): void
  isOver(page: Page): boolean
  /** Whether no section was lost or invented. */
  readonly isWhole: boolean
  /** Why the walk is not complete, as a sentence. */
  readonly why: string
  /** The current position, for another walk that continues there. */
  readonly cursor: string
  /** See {@link GroupSections}; present if pages had it. */
  readonly termEnd?: Pick<GroupSections, 'term_ends_on'>
}

interface Page {
  sections: SourceSection[]
  /** The number of rows of the whole search, by the school's count. */
  totalCount: number
}

/** The sections of all pages of one walk, with their warnings; unknown as soon as a page is. */
export async function walkPages<Kind extends Page>(
  walk: Walk<Kind>,
  ask: () => Promise<Answer<Kind>>,
): Promise<Answer<SourceSection[]>> {
  const sections: SourceSection[] = []
  const warnings: string[] = []
  for (;;) {
    const page = await ask()
    if (!page.known) return page
    walk.take(page.value)
    sections.push(...page.value.sections)
    warnings.push(...page.warnings)
    if (walk.isOver(page.value)) return known(sections, warnings)
  }
}

/**
 * A whole term page by page, each section once. If the count changed, a second walk finds what had slipped; if it
 * changes again, the last answer is unknown. A term without sections is unknown, too. The school does not count pages,
 * so their `stated_count` is null.
 * @param begin starts a walk at a cursor; null for the beginning
 * @param nothing a sentence for a term without sections
 */
export async function* walkTerm<Kind extends Page, Account extends Walk<Kind>>(
  begin: (from: string | null) => Account,
  ask: (walk: Account) => Promise<Answer<Kind>>,
  nothing: string,
  from: string | null = null,
): AsyncGenerator<Answer<GroupSections>> {
  const given = new Set<string>()
  let why = ''
  for (let walks = 0; walks < MAX_WALKS; walks++) {
    const walk = begin(walks === 0 ? from : null)
    for (;;) {
      const page = await ask(walk)
      if (!page.known) {
        yield page
        return
      }
      if (page.value.totalCount === 0) {
        yield unknown('incomplete', nothing)
        return
      }
      walk.take(page.value)
      const sections = page.value.sections.filter(({ section_key }) => addNew(given, section_key))
      const isOver = walk.isOver(page.value)
      const next = isOver ? null : walk.cursor
      yield known({ sections, stated_count: null, next, ...walk.termEnd }, page.warnings)
      if (isOver) break
    }
    if (walk.isWhole) return
    why = walk.why
  }
  yield unknown('incomplete', why)
}
