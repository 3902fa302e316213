import { unknown, type Unknown } from './answer.ts'
import { addSection, observationOf } from './observation.ts'
import type { Group, Observation, SourceSection, WatchedGroup } from './source.ts'

/** A group with its position in the request. */
export interface NumberedGroup {
  index: number
  watched: WatchedGroup
}

/** The watched groups of a term, and how many pages the whole term has; Infinity if its size is not known. */
interface WatchedTerm {
  term: string
  asked: NumberedGroup[]
  pages: number
}

/** @param termSizes known sections of a term by `school/term` */
export function byTerm(
  groups: readonly WatchedGroup[],
  termSizes: ReadonlyMap<string, number>,
  pageSize: number,
): WatchedTerm[] {
  const numbered = groups.map((watched, index) => ({ watched, index }))
  return Array.from(
    Map.groupBy(numbered, ({ watched }) => watched.group.term),
    ([term, asked]) => {
      const size = termSizes.get(`${asked[0]?.watched.group.school ?? ''}/${term}`)
      return { term, asked, pages: size === undefined ? Infinity : Math.max(1, Math.ceil(size / pageSize)) }
    },
  )
}

/** The watched sections of one group, as pages arrive. */
export class WatchedSections {
  readonly keys: ReadonlySet<string>
  readonly #seen = new Map<string, Observation>()
  /** When the page with the first of them was requested; null before one has arrived. */
  firstAskedAt: number | null = null

  constructor({ watched }: Pick<WatchedGroup, 'watched'>) {
    this.keys = new Set(watched.map(({ section_key }) => section_key))
  }

  get seen(): Observation[] {
    return [...this.#seen.values()]
  }

  get isComplete(): boolean {
    return this.#seen.size === this.keys.size
  }

  has(sectionKey: string): boolean {
    return this.#seen.has(sectionKey)
  }

  collect(sections: readonly SourceSection[], askedAt = 0): void {
    for (const section of sections) {
      if (!this.keys.has(section.section_key)) continue
      addSection(this.#seen, observationOf(section))
      this.firstAskedAt ??= askedAt
    }
  }
}

/**
 * The answer for a watched group if the school lists no sections. A broken school does so too, so it is not
 * believed: a subject that really lost all its sections stays unknown.
 */
export function noneListed({ subject, subject_name }: Pick<Group, 'subject' | 'subject_name'>): Unknown {
  const name = subject_name || subject
  return unknown('incomplete', `We watch sections of ${name} there, and the school says there are none.`)
}
