import { mapKnown } from '../answer.ts'
import { readByPieces } from '../pieces.ts'
import type { Answer, Group, GroupSeats, Observation, Tools, WatchedGroup } from '../source.ts'

/** One section, which takes one request. */
type Ask = (group: Group, sectionKey: string) => Promise<Answer<Observation>>

/** Reads seats section by section, because the lists have none. */
export function readSeats(
  ask: Ask,
  tools: Pick<Tools, 'now' | 'deadline'>,
  groups: readonly WatchedGroup[],
): AsyncGenerator<GroupSeats> {
  return readByPieces(tools, groups, ({ group, watched }) =>
    [...new Set(watched.map(({ section_key }) => section_key))].map((key) => ({
      keys: [key],
      ask: async () => mapKnown(await ask(group, key), (observation) => [observation]),
    })),
  )
}
