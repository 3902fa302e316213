import { known } from '../answer.ts'
import { seatsOf } from '../seats-of.ts'
import type { GroupSeats, Seats, SourceSection, WatchedGroup } from '../source.ts'
import { type Criteria, LARGEST_PAGE, MOST_PAGES } from './calls.ts'
import type { SearchPage } from './search-page.ts'
import type { BannerSession } from './session.ts'

interface Asked {
  index: number
  watched: WatchedGroup
}

/**
 * Seats by searches alone. `getEnrollmentInfo` would be smaller for a single section, but it does not know the room that
 * cross-listed sections share, so it cannot tell open from full; and it costs a request a section.
 *
 * A term costs one request to bind a session and, for n groups, n searches with n - 1 resets between; or, page after page,
 * the whole term, where that takes fewer. A group that needs a second page ends as soon as every watched key was seen.
 */
export async function* readSeats(
  session: BannerSession,
  groups: readonly WatchedGroup[],
  termSizes: ReadonlyMap<string, number>,
): AsyncGenerator<GroupSeats> {
  for (const [term, asked] of byTerm(groups)) {
    const size = termSizes.get(`${asked[0]?.watched.group.school ?? ''}/${term}`)
    const pages = size === undefined ? Infinity : Math.max(1, Math.ceil(size / LARGEST_PAGE))
    if (asked.length > 1 && pages < 2 * asked.length - 1) yield* fromWholeTerm(session, term, asked)
    else for (const one of asked) yield { index: one.index, answer: await fromSearch(session, one.watched) }
  }
}

function byTerm(groups: readonly WatchedGroup[]): Map<string, Asked[]> {
  const terms = new Map<string, Asked[]>()
  groups.forEach((watched, index) => {
    const { term } = watched.group
    const others = terms.get(term)
    if (others === undefined) terms.set(term, [{ index, watched }])
    else others.push({ index, watched })
  })
  return terms
}

async function fromSearch(session: BannerSession, { group, watched }: WatchedGroup): Promise<GroupSeats['answer']> {
  const criteria = narrowed(group.term, group.subject, watched)
  const missing = new Set(watched.map(({ section_key }) => section_key))
  const seats: Seats[] = []
  const warnings: string[] = []
  for (let rows = 0, pages = 0; pages < MOST_PAGES; pages++) {
    const page = await session.page(criteria, rows)
    if (!page.known) return page
    collect(page.value.sections, missing, seats)
    warnings.push(...page.warnings)
    rows += page.value.sections.length
    if (missing.size === 0 || isLast(page.value, rows)) break
  }
  return known({ seats }, warnings)
}

/** To one course where all watches are of one: a smaller answer for the same request. Sections are told apart by CRN here. */
function narrowed(term: string, subject: string, watched: WatchedGroup['watched']): Criteria {
  const [level, ...others] = new Set(watched.map((section) => section.level))
  if (level === undefined || level === '' || others.length > 0) return { term, subject }
  return { term, subject, courseNumber: level }
}

/**
 * Pages through the term; a group is answered as soon as all its sections were seen, the rest when the pages end. If the
 * school turns out to find nothing without a filter, or to cut pages so short that paging costs more after all, what is
 * left is searched group by group.
 */
async function* fromWholeTerm(
  session: BannerSession,
  term: string,
  asked: readonly Asked[],
): AsyncGenerator<GroupSeats> {
  session.startAnew()
  const criteria: Criteria = { term }
  let open = asked.map((one) => ({
    ...one,
    missing: new Set(one.watched.watched.map(({ section_key }) => section_key)),
    seats: new Array<Seats>(),
  }))
  for (let rows = 0; open.length > 0;) {
    const page = await session.page(criteria, rows)
    if (!page.known) {
      for (const { index } of open) yield { index, answer: page }
      return
    }
    const { sections, totalCount } = page.value
    // Some schools want at least one filter and find nothing without.
    if (totalCount === 0) break
    rows += sections.length
    for (const { missing, seats } of open) collect(sections, missing, seats)
    const isOver = isLast(page.value, rows)
    for (const { index, missing, seats } of open) {
      if (missing.size === 0 || isOver) yield { index, answer: known({ seats }) }
    }
    open = isOver ? [] : open.filter(({ missing }) => missing.size > 0)
    if ((totalCount - rows) / sections.length > 2 * open.length) break
  }
  for (const { index, watched } of open) yield { index, answer: await fromSearch(session, watched) }
}

function isLast(page: SearchPage, rows: number): boolean {
  return page.sections.length === 0 || rows >= page.totalCount
}

function collect(sections: readonly SourceSection[], missing: Set<string>, seats: Seats[]): void {
  for (const section of sections) {
    if (missing.delete(section.section_key)) seats.push(seatsOf(section))
  }
}
