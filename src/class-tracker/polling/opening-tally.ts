import { countOpenings, isGroupImplausible, isImplausible, looksImplausible, type Proposal } from './openings.ts'
import type { DoubtedOpening } from './second-look-rules.ts'
import type { PolledGroup } from './watched-groups.ts'

/** A group's term at its school. */
export const termOf = ({ watched: { group } }: Pick<PolledGroup, 'watched'>): string => `${group.school}/${group.term}`

/** Watched sections of a term that this run has read, and those that seemed to open. */
interface Read {
  read: number
  opened: number
}

/**
 * Counts a round's openings by group, and by school and term: in a source of many schools, one that is broken is a small
 * share of all. Openings that a second look already doubts are not new.
 */
export class OpeningTally {
  /** Openings of the round so far, by term. */
  readonly opened: Record<string, number>
  readonly #watched = new Map<string, number>()
  readonly #read = new Map<string, Read>()
  readonly #suspects = new Set<number>()
  readonly #doubts: ReadonlyMap<number, DoubtedOpening>

  /**
   * @param groups all watched groups of the source
   * @param opened what earlier runs of the round found
   */
  constructor(
    groups: readonly PolledGroup[],
    opened: Readonly<Record<string, number>>,
    doubts: ReadonlyMap<number, DoubtedOpening>,
  ) {
    this.opened = { ...opened }
    this.#doubts = doubts
    for (const group of groups) {
      const term = termOf(group)
      this.#watched.set(term, (this.#watched.get(term) ?? 0) + group.sections.length)
    }
  }

  /** Counts the openings in a group's first answer of the round. */
  add(group: PolledGroup, proposals: readonly Proposal[]): void {
    const opened = countOpenings(proposals, this.#doubts)
    if (isGroupImplausible(opened, group.sections.length)) this.#suspects.add(group.id)
    const term = termOf(group)
    const before = this.#read.get(term) ?? { read: 0, opened: 0 }
    this.#read.set(term, { read: before.read + group.sections.length, opened: before.opened + opened })
    if (opened > 0) this.opened[term] = (this.opened[term] ?? 0) + opened
  }

  /** Whether too many sections open in the group, or so far in its term. */
  isSuspect(group: PolledGroup): boolean {
    const term = termOf(group)
    return this.#suspects.has(group.id) || isImplausible(this.opened[term] ?? 0, this.#watched.get(term) ?? 0)
  }

  /** Whether openings should wait for the rest of a term, which may turn out implausible. */
  looksSuspect(): boolean {
    return [...this.#read].some(([term, { read, opened }]) => {
      const unread = (this.#watched.get(term) ?? 0) - read
      return looksImplausible(opened, read) && isImplausible((this.opened[term] ?? 0) + unread, read + unread)
    })
  }
}
