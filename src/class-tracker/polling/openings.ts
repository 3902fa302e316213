import { judge, whyUnknown } from '../../sources/judge.ts'
import type { Observation, Seats } from '../../sources/source.ts'

/** A section's seats with their judged status; `why_unknown` gives the reason when it is unknown. */
export type JudgedSeats = Seats & { why_unknown: string | null }

/** The judged seats of one section in a school's answer. */
export function judged(observation: Observation): JudgedSeats {
  const seats = judge(observation)
  return { ...seats, why_unknown: seats.status === 'unknown' ? whyUnknown(observation) : null }
}

/** A watched section as it is stored, read before the school is asked, so that its version shows later changes. */
export interface KnownSection extends Omit<Seats, 'has_figures' | 'session_code'> {
  id: number
  version: number
  /** How many watches have begun since the section was last seen. */
  new_watch_count: number
}

/** The group asked about, when it was asked, and when the answer was read (ms since epoch). */
export interface Asked {
  group_id: number
  asked_at: number
  seen_at: number
}

/**
 * One observation worth writing. The database accepts it only while the section still has the known version and no later
 * answer has been recorded for the group. `is_changed`: status or a figure differs. `is_opening`: open now, and believed
 * to be otherwise before.
 */
export interface Proposal extends Asked, Omit<Seats, 'section_key'> {
  known: KnownSection
  is_changed: boolean
  is_opening: boolean
}

/**
 * Compares a school's answer with what we believed. A section that is not in the answer, or whose status is unknown,
 * leads to no proposal: absence never closes a section. Figures that the answer does not give are forgotten: a list
 * without any would keep for ever what a person has entered. A section with a new watch is proposed even when
 * unchanged, because its first believed reading decides whether that watcher is notified at once.
 */
export function proposeChanges(
  known: readonly KnownSection[],
  seen: readonly Seats[],
  { group_id, asked_at, seen_at }: Asked,
): Proposal[] {
  if (known.length === 0) return []
  const seenByKey = new Map(seen.map((seats) => [seats.section_key, seats]))
  const proposals: Proposal[] = []
  for (const section of known) {
    const seats = seenByKey.get(section.section_key)
    if (!seats || seats.status === 'unknown') continue
    const isChanged = !hasSameSeats(section, seats)
    if (!isChanged && section.new_watch_count === 0) continue
    proposals.push({
      group_id,
      asked_at,
      seen_at,
      known: section,
      status: seats.status,
      seats_available: seats.seats_available,
      seats_for_anyone: seats.seats_for_anyone,
      capacity: seats.capacity,
      waitlist_available: seats.waitlist_available,
      is_changed: isChanged,
      ...(seats.has_figures === false && { has_figures: false }),
      ...(seats.session_code !== undefined && { session_code: seats.session_code }),
      is_opening: seats.status === 'open' && section.status !== 'open' && section.status !== 'unknown',
    })
  }
  return proposals
}

/** Whether a proposal may lead to messages that the section is open. */
export const mayAlert = ({ status, is_opening, known }: Proposal): boolean =>
  status === 'open' && (is_opening || known.new_watch_count > 0)

/**
 * How many proposals open a section.
 * @param doubted sections that are not counted, because a second look already doubts that they opened; default: none
 */
export const countOpenings = (proposals: readonly Proposal[], doubted?: ReadonlyMap<number, unknown>): number =>
  proposals.filter(({ is_opening, known }) => is_opening && doubted?.has(known.id) !== true).length

type Figures = Pick<KnownSection, 'status' | 'seats_available' | 'seats_for_anyone' | 'capacity' | 'waitlist_available'>

/** Whether status and figures are the same. */
export function hasSameSeats(one: Figures, other: Figures): boolean {
  return (
    one.status === other.status &&
    one.seats_available === other.seats_available &&
    one.seats_for_anyone === other.seats_for_anyone &&
    one.capacity === other.capacity &&
    one.waitlist_available === other.waitlist_available
  )
}

/** Ids of the known sections that an answer shows not to be open. */
export function notOpenIn(known: readonly KnownSection[], seen: readonly Seats[]): number[] {
  const full = seen.filter(({ status }) => status !== 'open' && status !== 'unknown')
  const keys = new Set(full.map(({ section_key }) => section_key))
  return known.flatMap(({ id, section_key }) => (keys.has(section_key) ? [id] : []))
}

/** One round may have this many openings without a second read, whatever the size of the source. */
const MAX_PLAUSIBLE_OPENINGS = 20
/** The share of the watched sections that one round may open without a second read. */
const MAX_PLAUSIBLE_SHARE = 0.25
/** The same for the answer about a single group. */
const MAX_PLAUSIBLE_GROUP_SHARE = 0.5
/** With this many openings among the first answers, the round waits for the rest. */
const MIN_SUSPICIOUS_OPENINGS = 5

/**
 * Whether a round opens so many sections that a broken school is likelier: its answers are then read again before
 * anyone is notified.
 * @param opened openings of the round so far
 * @param watched all watched sections of the source, or of one school's term
 */
export function isImplausible(opened: number, watched: number): boolean {
  return opened > MAX_PLAUSIBLE_OPENINGS && opened > watched * MAX_PLAUSIBLE_SHARE
}

/** The same for the answer about a single group. */
export function isGroupImplausible(opened: number, watched: number): boolean {
  return opened > MAX_PLAUSIBLE_OPENINGS && opened > watched * MAX_PLAUSIBLE_GROUP_SHARE
}

/** Whether openings should wait: the round may turn out implausible. @param read its watched sections read so far */
export function looksImplausible(opened: number, read: number): boolean {
  return opened >= MIN_SUSPICIOUS_OPENINGS && opened > read * MAX_PLAUSIBLE_SHARE
}
