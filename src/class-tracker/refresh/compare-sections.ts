import { judge } from '../../sources/judge.ts'
import type { Seats, SourceSection } from '../../sources/source.ts'
import { proposeChanges, type KnownSection, type Proposal } from '../polling/openings.ts'
import { fingerprintOf, instructionJson } from './fingerprint.ts'

/** A section as the catalogue has it. */
export interface CataloguedSection extends KnownSection {
  group_id: number
  fingerprint: string
  watch_count: number
  missing_since: number | null
}

/** A believed, whole answer of one group. */
export interface GroupRead {
  group_id: number
  subject_id: number
  at: number
  sections: readonly SourceSection[]
}

/** A section to insert or to put right, with everything the statement needs. */
export interface SectionWrite {
  group_id: number
  subject_id: number
  section: SourceSection
  seats: Seats
  instruction: string
  fingerprint: string
}

interface CatalogueChanges {
  writes: SectionWrite[]
  /** Seats of watched sections: only {@link recordObservations} may write those. */
  proposals: Proposal[]
  /** Ids of sections that a whole answer with rows no longer lists. */
  missing: number[]
  /** Keys of watched sections that such an answer does not list, by group, whether it listed them before or not. */
  unseen: Map<number, string[]>
}

/**
 * What a refresh has to write, given what the catalogue holds of the same groups. Pure. Nothing for a section that did not
 * change. An answer without any rows leaves the group's sections as they are: empty is not "gone".
 */
export function compareSections(known: readonly CataloguedSection[], reads: readonly GroupRead[]): CatalogueChanges {
  const knownByKey = new Map(known.map((section) => [section.section_key, section]))
  const watchedByGroup = Map.groupBy(
    known.filter((section) => section.watch_count > 0),
    (section) => section.group_id,
  )
  const changes: CatalogueChanges = { writes: [], proposals: [], missing: [], unseen: new Map() }
  const seen = new Set<string>()
  for (const read of reads) {
    const judged: Seats[] = []
    for (const section of read.sections) {
      const seats = judge(section)
      judged.push(seats)
      if (seen.has(section.section_key)) continue
      seen.add(section.section_key)
      const fingerprint = fingerprintOf(section)
      const former = knownByKey.get(section.section_key)
      if (former && isSame(former, seats, read.group_id, fingerprint)) continue
      const instruction = instructionJson(section)
      const { group_id, subject_id } = read
      changes.writes.push({ group_id, subject_id, section, seats, instruction, fingerprint })
    }
    const watched = watchedByGroup.get(read.group_id)
    if (watched) changes.proposals.push(...proposeChanges(watched, judged))
  }
  const answered = new Set(reads.filter((read) => read.sections.length > 0).map((read) => read.group_id))
  for (const section of known) {
    if (!answered.has(section.group_id) || seen.has(section.section_key)) continue
    if (section.missing_since === null) changes.missing.push(section.id)
    if (section.watch_count > 0) {
      changes.unseen.set(section.group_id, [...(changes.unseen.get(section.group_id) ?? []), section.section_key])
    }
  }
  return changes
}

function isSame(former: CataloguedSection, seats: Seats, groupId: number, fingerprint: string): boolean {
  if (former.fingerprint !== fingerprint || former.group_id !== groupId || former.missing_since !== null) return false
  return (
    former.watch_count > 0 ||
    seats.status === 'unknown' ||
    (former.status === seats.status &&
      former.seats_available === seats.seats_available &&
      former.capacity === seats.capacity &&
      former.waitlist_available === seats.waitlist_available)
  )
}
