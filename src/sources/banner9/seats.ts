import { known } from '../answer.ts'
import type { GroupSeats, SourceSection, Tools, WatchedGroup } from '../source.ts'
import { byTerm, type NumberedGroup, OpenGroups, WatchedSections } from '../watched-sections.ts'
import { type Criteria, MAX_PAGE_SIZE, MAX_PAGES } from './calls.ts'
import type { CampusFilter } from './campus.ts'
import type { SearchPage } from './search-page.ts'
import type { BannerSession } from './session.ts'

interface Look {
  session: BannerSession
  now: Tools['now']
  isOurs: CampusFilter
}

/**
 * Reads seats by searches only. `getEnrollmentInfo` would be smaller for a single section, but does not include the
 * shared seats of cross-listed sections, so it cannot distinguish open from full; and it costs one request per section.
 *
 * A term costs one request to bind a session and, for n groups, n searches with n - 1 resets between; or, page after
 * page, the whole term, if that takes fewer. A group with several pages ends as soon as every watched key was seen.
 */
export async function* readSeats(
  session: BannerSession,
  now: Tools['now'],
  groups: readonly WatchedGroup[],
  termSizes: ReadonlyMap<string, number>,
  isOurs: CampusFilter = null,
): AsyncGenerator<GroupSeats> {
  const look: Look = { session, now, isOurs }
  for (const { term, asked, pages } of byTerm(groups, termSizes, MAX_PAGE_SIZE)) {
    if (asked.length > 1 && pages < 2 * asked.length - 1) yield* fromWholeTerm(look, term, asked)
    else for (const one of asked) yield fromSearch(look, one)
  }
}

async function fromSearch({ session, now, isOurs }: Look, { index, watched }: NumberedGroup): Promise<GroupSeats> {
  const asked_at = now()
  const { term, subject } = watched.group
  const criteria = narrowed(term, subject, watched.watched)
  const wanted = new WatchedSections(watched)
  const warnings: string[] = []
  for (let rows = 0, pages = 0; pages < MAX_PAGES; pages++) {
    const page = await session.page(criteria, rows)
    if (!page.known) return { index, asked_at, answer: page }
    wanted.collect(onCampus(page.value, isOurs), asked_at)
    warnings.push(...page.warnings)
    rows += page.value.rows
    if (wanted.isComplete || isLast(page.value, rows)) break
  }
  return { index, asked_at, answer: known({ seen: wanted.seen }, warnings) }
}

/**
 * Narrowed to one course if all watches are for it: a smaller answer for the same request. CRNs identify the sections.
 */
function narrowed(term: string, subject: string, watched: WatchedGroup['watched']): Criteria {
  const [level, ...others] = new Set(watched.map((section) => section.level))
  if (level === undefined || level === '' || others.length > 0) return { term, subject }
  return { term, subject, courseNumber: level }
}

/**
 * Pages through the term; a group is answered as soon as all its sections were seen, the rest when the pages end. If
 * the school finds nothing without a filter, or cuts pages so short that paging costs more, the remaining groups are
 * searched one by one.
 */
async function* fromWholeTerm(look: Look, term: string, asked: readonly NumberedGroup[]): AsyncGenerator<GroupSeats> {
  const { session, now, isOurs } = look
  session.startAnew()
  const criteria: Criteria = { term }
  const open = new OpenGroups(asked, now())
  for (let rows = 0; open.left.length > 0;) {
    const askedAt = now()
    const page = await session.page(criteria, rows)
    if (!page.known) return yield* open.giveUp(page)
    const { totalCount } = page.value
    // Some schools require at least one filter and otherwise find nothing.
    if (totalCount === 0) break
    rows += page.value.rows
    yield* open.take(onCampus(page.value, isOurs), { askedAt, isLast: isLast(page.value, rows) })
    if ((totalCount - rows) / page.value.rows > 2 * open.left.length) break
  }
  for (const one of open.left) yield fromSearch(look, one)
}

function isLast(page: SearchPage, rows: number): boolean {
  return page.rows === 0 || rows >= page.totalCount
}

function onCampus({ sections }: SearchPage, isOurs: CampusFilter): SourceSection[] {
  return isOurs === null ? sections : sections.filter(({ campus = '' }) => isOurs(campus))
}
