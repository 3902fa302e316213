import { known, unknown } from '../answer.ts'
import { observationOf } from '../observation.ts'
import type { Answer, GroupSeats, Observation, Tools, WatchedGroup } from '../source.ts'
import { byTerm, noneListed, type NumberedGroup, OpenGroups, WatchedSections } from '../watched-sections.ts'
import { MAX_PAGES, PAGE_SIZE } from './calls.ts'
import type { SearchPage } from './search-page.ts'
import type { ColleagueSession } from './session.ts'

/**
 * Reads seats by one search per group, or, page after page, by the whole term, if that takes fewer requests. A group
 * with several pages ends as soon as every watched section was seen.
 */
export async function* readSeats(
  session: ColleagueSession,
  now: Tools['now'],
  groups: readonly WatchedGroup[],
  termSizes: ReadonlyMap<string, number>,
): AsyncGenerator<GroupSeats> {
  for (const { term, asked, pages } of byTerm(groups, termSizes, PAGE_SIZE)) {
    if (pages < asked.length) yield* fromWholeTerm(session, now, term, asked)
    else for (const one of asked) yield fromSearch(session, now, one)
  }
}

/** One section, which costs one request, and before the first one the visit. */
export async function readDetails(
  session: ColleagueSession,
  term: string,
  sectionKey: string,
): Promise<Answer<Observation>> {
  const page = await session.page({ term, sectionKey }, 1, new Set([sectionKey]))
  if (!page.known) return page
  const found = page.value.sections.find(({ section_key }) => section_key === sectionKey)
  if (found === undefined) return unknown('incomplete', `The school shows no section ${sectionKey} in term ${term}.`)
  return known(observationOf(found), page.warnings)
}

async function fromSearch(session: ColleagueSession, now: Tools['now'], asked: NumberedGroup): Promise<GroupSeats> {
  const { index, watched } = asked
  const asked_at = now()
  const { term, subject } = watched.group
  const wanted = new WatchedSections(watched)
  const warnings: string[] = []
  for (let number = 1; number <= MAX_PAGES; number++) {
    const page = await session.page({ term, subject }, number, wanted.keys)
    if (!page.known) return { index, asked_at, answer: page }
    if (page.value.totalCount === 0 && watched.watched.length > 0) {
      return { index, asked_at, answer: noneListed(watched.group) }
    }
    wanted.collect(page.value.sections, asked_at)
    warnings.push(...page.warnings)
    if (wanted.isComplete || isLast(page.value, number)) break
  }
  return { index, asked_at, answer: known({ seen: wanted.seen }, warnings) }
}

/**
 * A group is answered as soon as all its sections were seen, the rest when the pages end. If the school cuts pages so
 * short that paging costs more, or finds nothing in a whole term, the remaining groups are searched one by one.
 */
async function* fromWholeTerm(
  session: ColleagueSession,
  now: Tools['now'],
  term: string,
  asked: readonly NumberedGroup[],
): AsyncGenerator<GroupSeats> {
  const startedAt = now()
  const open = new OpenGroups(asked, startedAt)
  for (let number = 1; open.left.length > 0 && number <= MAX_PAGES; number++) {
    const askedAt = number === 1 ? startedAt : now()
    const page = await session.page({ term }, number, open.keys)
    if (!page.known) return yield* open.giveUp(page)
    const { totalCount, sections, pages } = page.value
    if (totalCount === 0) break
    yield* open.take(sections, { askedAt, isLast: isLast(page.value, number), warnings: page.warnings })
    if (pages - number > open.left.length) break
  }
  for (const one of open.left) yield fromSearch(session, now, one)
}

function isLast(page: SearchPage, number: number): boolean {
  return page.rows === 0 || number >= page.pages
}
