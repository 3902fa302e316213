import type { SourceSection } from '../../sources/source.ts'
import { counted } from '../../lib/counted.ts'
import { absenceSentence, unobservedOf, type Looked } from '../polling/absence.ts'
import {
  type Asked,
  type JudgedSeats,
  type KnownSection,
  proposeChanges,
  type Proposal,
  withKnownFigures,
} from '../polling/openings.ts'
import { fingerprintOf, instructionJson } from './fingerprint.ts'

/** A section as it is stored. */
export interface StoredSection extends KnownSection {
  group_id: number
  fingerprint: string
  watch_count: number
  missing_since: number | null
  unknown_since: number | null
  unlisted_at: number | null
  created_at: number
}

/** A section as a school gave it, with its status judged. */
export type JudgedSection = SourceSection & JudgedSeats

/**
 * A believed, whole answer of one group, and what was stored of the group before the school was asked. `known_at` is
 * the clock (ms since epoch) before that was read.
 */
export interface GroupRead extends Asked {
  subject_id: number
  known_at: number
  known: readonly StoredSection[]
  sections: readonly JudgedSection[]
  /** A part of a group: `known` holds those of its sections alone, none is missing, and the group's own row stays. */
  is_part?: true
}

/** No section has it. */
const NO_VERSION = -1

/** A section to insert or to correct, with everything the statement needs. */
export interface SectionWrite {
  group_id: number
  subject_id: number
  section: JudgedSection
  /** The version its status may replace: the one that was read, 1 for a section that was not known. */
  version: number
  /** The clock (ms since epoch) before the school was asked. */
  asked_at: number
  instruction: string
  fingerprint: string
}

export interface SectionChanges {
  writes: SectionWrite[]
  /** Seats of watched sections: only `recordObservations` may write those. */
  proposals: Proposal[]
  /** What was observed of each group and what was not: its known sections, watched or not. */
  looked: Looked[]
  /** Why watched sections of a group were not observed, as a sentence. */
  unseen: Map<number, string>
  /** Groups whose watched sections are not written, nor their clock: too much seems to open in them at once. */
  setAside: ReadonlySet<number>
  /** Sections whose title, meetings or course an answer left out: what we have is kept. */
  kept: number
}

/**
 * What a refresh has to write. Pure. Nothing for a section that did not change. An answer without any rows leaves the
 * group's sections as they are: empty is not "gone". Text that an answer leaves out overwrites nothing.
 */
export function compareSections(reads: readonly GroupRead[]): SectionChanges {
  const changes: SectionChanges = {
    writes: [],
    proposals: [],
    looked: [],
    unseen: new Map(),
    setAside: new Set(),
    kept: 0,
  }
  const knownByKey = new Map(reads.flatMap(({ known }) => known).map((section) => [section.section_key, section]))
  const seen = new Set<string>()
  for (const read of reads) {
    for (const section of read.sections) {
      if (seen.has(section.section_key)) continue
      seen.add(section.section_key)
      compareSection(changes, read, section, knownByKey.get(section.section_key))
    }
    const watched = read.known.filter((section) => section.watch_count > 0)
    changes.proposals.push(...proposeChanges(watched, read.sections, read))
  }
  for (const read of reads) if (read.sections.length > 0) compareAbsence(changes, read, seen)
  return changes
}

function compareSection(
  changes: SectionChanges,
  { group_id, subject_id, asked_at }: GroupRead,
  told: JudgedSection,
  former: StoredSection | undefined,
): void {
  const section = withKnownFigures(former, told)
  const fingerprint = fingerprintOf(section)
  if (former && isSame(former, section, group_id, fingerprint)) return
  if (isOfNoCourse(section) || section.title === '' || section.instruction_list === null) changes.kept += 1
  if (isOfNoCourse(section)) return
  const instruction = instructionJson(section)
  // A section that is watched when it is read has its status written by the proposals alone, even if nobody watches it later.
  const version = former && former.watch_count > 0 ? NO_VERSION : (former?.version ?? 1)
  changes.writes.push({ group_id, subject_id, section, version, asked_at, instruction, fingerprint })
}

function compareAbsence(changes: SectionChanges, read: GroupRead, seen: ReadonlySet<string>): void {
  const { group_id, known_at } = read
  const listed = new Map(read.sections.map((section) => [section.section_key, section]))
  const unwritten = read.known.filter((former) => {
    const section = listed.get(former.section_key)
    return section && section.status !== 'unknown' && isOfNoCourse(section) && !hasSameSeats(former, section)
  })
  const unobserved = [
    ...unobservedOf(read.known, read.sections).filter(
      ({ why_unknown, section_key }) => why_unknown !== null || !seen.has(section_key),
    ),
    ...unwritten.map((section) => ({ ...section, why_unknown: 'The answer does not say of which course it is.' })),
  ]
  const ids = new Set(unobserved.map(({ id }) => id))
  const missing = unobserved.filter(({ why_unknown, missing_since }) => why_unknown === null && missing_since === null)
  const unknown = unobserved.filter(({ why_unknown, unknown_since }) => why_unknown !== null && unknown_since === null)
  const back = read.known.filter(
    ({ id, section_key, missing_since, unknown_since }) =>
      listed.has(section_key) && !ids.has(id) && (missing_since !== null || unknown_since !== null),
  )
  if (missing.length + unknown.length + back.length > 0) {
    changes.looked.push({ group_id, known_at, missing: idsOf(missing), unknown: idsOf(unknown), observed: idsOf(back) })
  }
  const sentence = absenceSentence(unobserved.filter(({ watch_count }) => watch_count > 0))
  if (sentence !== null) changes.unseen.set(group_id, sentence)
}

const idsOf = (sections: readonly { id: number }[]): number[] => sections.map(({ id }) => id)

function isSame(former: StoredSection, section: JudgedSection, groupId: number, fingerprint: string): boolean {
  if (former.fingerprint !== fingerprint || former.group_id !== groupId) return false
  return section.status === 'unknown' || hasSameSeats(former, section)
}

/** Whether the answer has nothing to write of the section's seats; those of a watched one are written by the proposals. */
function hasSameSeats(former: StoredSection, section: JudgedSection): boolean {
  return (
    former.watch_count > 0 ||
    (former.status === section.status &&
      former.seats_available === section.seats_available &&
      former.capacity === section.capacity &&
      former.waitlist_available === section.waitlist_available)
  )
}

/** Whether the answer left out which course the section is of: such a row is not written. */
function isOfNoCourse({ code, level }: JudgedSection): boolean {
  return code === '' || level === ''
}

/**
 * Why an answer without any section is not believed of a group, as a sentence; null where none of its sections is known, so
 * that nothing speaks against it. Empty is also what a site in trouble says: a subject that truly lost all its sections
 * stays unknown.
 */
export function whyNotEmpty(known: readonly StoredSection[]): string | null {
  const count = known.filter(({ missing_since }) => missing_since === null).length
  return count === 0 ? null : `We know ${counted(count, 'section')} there, and the school says there are none.`
}
