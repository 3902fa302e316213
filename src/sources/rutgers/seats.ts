import { mapKnown } from '../answer.ts'
import { NO_FIGURES } from '../judge.ts'
import type { Answer, GroupSeats, Observation, Tools, WatchedGroup } from '../source.ts'
import type { Scope } from './schedule.ts'

type OpenSections = (scope: Scope) => Promise<Answer<ReadonlySet<string>>>

/**
 * One request for all groups of a term and campus. A section that is not in the list is closed: there is no third
 * state.
 */
export async function* readSeats(
  openSections: OpenSections,
  now: Tools['now'],
  groups: readonly WatchedGroup[],
): AsyncGenerator<GroupSeats> {
  const numbered = groups.map((watched, index) => ({ watched, index }))
  const byList = Map.groupBy(numbered, ({ watched: { group } }) => `${group.school}/${group.term}`)
  for (const asked of byList.values()) {
    const [first] = asked
    if (first === undefined) continue
    const { term, school: campus } = first.watched.group
    const asked_at = now()
    const open = await openSections({ term, campus })
    for (const { index, watched } of asked) {
      const seen = (list: ReadonlySet<string>) => watched.watched.map(({ section_key }) => observe(section_key, list))
      yield { index, asked_at, answer: mapKnown(open, (list) => ({ seen: seen(list) })) }
    }
  }
}

function observe(index: string, open: ReadonlySet<string>): Observation {
  return { section_key: index, stated: open.has(index) ? 'open' : 'closed', figures: NO_FIGURES, doubts: [] }
}
