import { known } from '../answer.ts'
import { readByPieces } from '../pieces.ts'
import type { Answer, Group, GroupSeats, Observation, Tools, WatchedGroup } from '../source.ts'

/** One section, asked alone: a request. */
type Ask = (group: Group, sectionKey: string) => Promise<Answer<Observation>>

/** Seats section by section: the lists tell none. */
export function readSeats(
  ask: Ask,
  tools: Pick<Tools, 'now' | 'deadline'>,
  groups: readonly WatchedGroup[],
): AsyncGenerator<GroupSeats> {
  return readByPieces(tools, groups, ({ group, watched }) =>
    [...new Set(watched.map(({ section_key }) => section_key))].map((key) => ({
      keys: [key],
      ask: async () => {
        const answer = await ask(group, key)
        return answer.known ? known([answer.value], answer.warnings) : answer
      },
    })),
  )
}
