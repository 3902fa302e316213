import type { SourceSection } from '../../sources/source.ts'
import { addIfAbsent } from '../../lib/collections.ts'
import { counted, truncated } from '../../lib/text.ts'
import { absenceSentence, unobservedOf, type CheckedGroup } from '../polling/absence.ts'
import {
  type Asked,
  hasSameSeats,
  judged,
  type JudgedSeats,
  type KnownSection,
  proposeChanges,
  type Proposal,
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

/** A section's judged seats, and the section as the school listed it. */
export interface JudgedSection extends JudgedSeats {
  listed: SourceSection
}

export function judgedSection(listed: SourceSection): JudgedSection {
  return { ...judged(listed), listed: withShortTexts(listed) }
}

/** The longest text stored of a section; a longer one is a mistake, and enough of them do not fit into a statement. */
const MAX_TEXT = 500
const texts = [
  'code',
  'level',
  'title',
  'number',
  'section',
  'topic',
  'instruction_mode',
  'component',
  'session',
  'campus',
  'place',
  'credits',
] as const

/** Nearly always the section itself. Its key stays whole, because polls compare it. */
function withShortTexts(listed: SourceSection): SourceSection {
  let section = listed
  for (const name of texts) {
    const text = listed[name]
    if (text !== undefined && text.length > MAX_TEXT) section = { ...section, [name]: truncated(text, MAX_TEXT) }
  }
  const instruction = listed.instruction_list
  if (!instruction?.some(({ name, days_times }) => name.length > MAX_TEXT || days_times.length > MAX_TEXT))
    return section
  const short = instruction.map(({ name, days_times }) => ({
    name: truncated(name, MAX_TEXT),
    days_times: truncated(days_times, MAX_TEXT),
  }))
  return { ...section, instruction_list: short }
}

/** A believed answer, and what was stored before the school was asked; `known_at`: before that was read, in ms. */
export interface GroupRead extends Asked {
  subject_id: number
  known_at: number
  known: readonly StoredSection[]
  sections: readonly JudgedSection[]
  /** Only part of a group: `known` holds just those sections, none counts as missing, the group's row stays. */
  is_part?: true
}

/** No section has this id. */
const NO_VERSION = -1

/** A section to insert or update, with everything the statement needs. */
export interface SectionWrite {
  group_id: number
  subject_id: number
  section: JudgedSection
  /** The version that its status may replace: the one that was read; 1 for a new section. */
  version: number
  /** The time (ms since epoch) before the school was asked. */
  asked_at: number
  instruction: string
  fingerprint: string
}

export interface SectionChanges {
  writes: SectionWrite[]
  /** Proposals for watched sections, which only `recordObservations` may write. */
  proposals: Proposal[]
  /** Which known sections of each group were observed and which were not, watched or not. */
  checked: CheckedGroup[]
  /** By group, why its watched sections were not observed, as a sentence. */
  unseen: Map<number, string>
  /** Groups whose watched sections and read time are not written, because too many sections seem to open in them. */
  setAside: ReadonlySet<number>
  /** The number of sections whose title, meetings or course an answer left out; the stored ones are kept. */
  kept: number
}

/**
 * What a refresh must write. Empty does not mean gone: without rows, sections stay; missing text overwrites nothing.
 */
export function compareSections(reads: readonly GroupRead[]): SectionChanges {
  const changes: SectionChanges = {
    writes: [],
    proposals: [],
    checked: [],
    unseen: new Map(),
    setAside: new Set(),
    kept: 0,
  }
  const knownByKey = new Map<string, StoredSection>()
  for (const { known } of reads) for (const section of known) knownByKey.set(section.section_key, section)
  const seen = new Set<string>()
  for (const read of reads) {
    for (const section of read.sections) {
      if (!addIfAbsent(seen, section.section_key)) continue
      compareSection(changes, read, section, knownByKey.get(section.section_key))
    }
    changes.proposals.push(...proposeChanges(watchedOf(read), read.sections, read))
  }
  for (const read of reads) if (read.sections.length > 0) compareAbsence(changes, read, seen)
  return changes
}

export const watchedOf = (read: GroupRead): StoredSection[] => read.known.filter(({ watch_count }) => watch_count > 0)

function compareSection(
  changes: SectionChanges,
  { group_id, subject_id, asked_at }: GroupRead,
  section: JudgedSection,
  former: StoredSection | undefined,
): void {
  const { listed } = section
  const fingerprint = fingerprintOf(listed)
  if (former && isSame(former, section, group_id, fingerprint)) return
  if (hasNoCourse(section) || listed.title === '' || listed.instruction_list === null) changes.kept += 1
  if (hasNoCourse(section)) return
  const instruction = instructionJson(listed)
  // The status of a section that was watched when it was read is written only by its proposal, even if its watches end
  // in the meantime.
  const version = former && former.watch_count > 0 ? NO_VERSION : (former?.version ?? 1)
  changes.writes.push({ group_id, subject_id, section, version, asked_at, instruction, fingerprint })
}

function compareAbsence(changes: SectionChanges, read: GroupRead, seen: ReadonlySet<string>): void {
  const { group_id, known_at } = read
  const listed = new Map<string, JudgedSection>()
  for (const section of read.sections) listed.set(section.section_key, section)
  // Left out, with an unknown status, or without a course.
  const unclear = read.known.filter(({ section_key }) => {
    const section = listed.get(section_key)
    return section === undefined || section.status === 'unknown' || hasNoCourse(section)
  })
  // Their seats changed, but a row without a course is not written.
  const unwritten = unclear.filter((former) => {
    const section = listed.get(former.section_key)
    return section && section.status !== 'unknown' && hasNoCourse(section) && !needsNoSeats(former, section)
  })
  const unobserved = [
    ...unobservedOf(unclear, listed).filter(
      ({ why_unknown, section_key }) => why_unknown !== null || !seen.has(section_key),
    ),
    ...unwritten.map((section) => ({ ...section, why_unknown: 'The answer does not say which course it belongs to.' })),
  ]
  const ids = new Set(unobserved.map(({ id }) => id))
  const missing = unobserved.filter(({ why_unknown, missing_since }) => why_unknown === null && missing_since === null)
  const unknown = unobserved.filter(({ why_unknown, unknown_since }) => why_unknown !== null && unknown_since === null)
  const observedAgain = read.known.filter(
    ({ id, section_key, missing_since, unknown_since }) =>
      (missing_since !== null || unknown_since !== null) && listed.has(section_key) && !ids.has(id),
  )
  if (missing.length + unknown.length + observedAgain.length > 0) {
    changes.checked.push({
      group_id,
      known_at,
      missing: idsOf(missing),
      unknown: idsOf(unknown),
      observed: idsOf(observedAgain),
    })
  }
  const sentence = absenceSentence(unobserved.filter(({ watch_count }) => watch_count > 0))
  if (sentence !== null) changes.unseen.set(group_id, sentence)
}

const idsOf = (sections: readonly { id: number }[]): number[] => sections.map(({ id }) => id)

function isSame(former: StoredSection, section: JudgedSection, groupId: number, fingerprint: string): boolean {
  if (former.fingerprint !== fingerprint || former.group_id !== groupId) return false
  return section.status === 'unknown' || needsNoSeats(former, section)
}

/** Whether a refresh has no seats to write: they are the same, or the section is watched and its proposal writes them. */
function needsNoSeats(former: StoredSection, section: JudgedSection): boolean {
  return former.watch_count > 0 || hasSameSeats(former, section)
}

/** Whether the answer left out the section's course: such a row is not written. */
function hasNoCourse({ listed }: JudgedSection): boolean {
  return listed.code === '' || listed.level === ''
}

/**
 * Why an answer without sections is not believed for a group, as a sentence; null when the group has no known sections.
 * A broken site also returns nothing, so a subject that really lost all its sections stays unknown.
 */
export function whyNotEmpty(known: readonly StoredSection[]): string | null {
  const count = known.filter(({ missing_since }) => missing_since === null).length
  return count === 0 ? null : `The school lists no sections, but we know of ${counted(count, 'section')}.`
}
