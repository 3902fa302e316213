import { known } from '../answer.ts'
import { observationOf } from '../observation.ts'
import type { Answer, GroupSeats, Tools, WatchedGroup } from '../source.ts'
import type { FoundSections } from '../subject-pages.ts'
import { byTerm, noneListed } from '../watched-sections.ts'

/**
 * A whole term is one answer of any length. It is requested if the same number of rows would be fewer pages at other
 * schools.
 */
const ROWS_PER_PAGE = 500

type Search = (term: string, subject: string | null) => Promise<Answer<FoundSections>>

/** Reads seats by one search of the whole term or one per group, whichever sends less data. */
export async function* readSeatsOf(
  search: Search,
  now: Tools['now'],
  groups: readonly WatchedGroup[],
  termSizes: ReadonlyMap<string, number>,
): AsyncGenerator<GroupSeats> {
  for (const { term, asked, pages } of byTerm(groups, termSizes, ROWS_PER_PAGE)) {
    if (pages < asked.length) {
      const asked_at = now()
      const found = await search(term, null)
      for (const { index, watched } of asked) yield { index, asked_at, answer: seatsOf(watched, found) }
    } else {
      for (const { index, watched } of asked) {
        const asked_at = now()
        yield { index, asked_at, answer: seatsOf(watched, await search(term, watched.group.subject)) }
      }
    }
  }
}

function seatsOf({ group, watched }: WatchedGroup, found: Answer<FoundSections>): GroupSeats['answer'] {
  if (!found.known) return found
  if (found.value.sections.length === 0 && watched.length > 0) return noneListed(group)
  const keys = new Set(watched.map(({ section_key }) => section_key))
  const seen = found.value.sections.filter(
    ({ subject, section_key }) => subject === group.subject && keys.has(section_key),
  )
  return known({ seen: seen.map(observationOf) }, found.warnings)
}
