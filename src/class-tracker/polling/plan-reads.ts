import { MINUTE_MS } from '../../lib/time.ts'

/** The share of extra reads in a round whose budget is too small for its interval. The interval shown includes them. */
const EXTRA_SHARE = 0.25

/** How long an opening still attracts extra reads, in ms: seats tend to open in groups. */
export const RECENT_OPENING_MS = 30 * MINUTE_MS
/** The weight of a group with a recent opening is multiplied by this. */
const RECENT_OPENING_FACTOR = 4

/** A group that may be read now. */
interface DueGroup {
  /** Groups of one term are read together. */
  term: string
  /** The time (ms since epoch) of its last read; 0 before the first. */
  asked_at: number
  /** {@link weightOf} */
  weight: number
  /** It was already read in this round; this would be an extra one. */
  is_extra: boolean
}

interface Pace {
  /** ms since epoch */
  now: number
  /** The interval that is shown to staff: no group may wait longer. */
  interval_ms: number
  /** How much of the budget one read uses, in ms. */
  read_ms: number
}

/** How much a group gains from a read: the number of people waiting, times four when a seat opened recently. */
export function weightOf(watchCount: number, openedAt: number | null, now: number): number {
  return watchCount * (openedAt !== null && now - openedAt < RECENT_OPENING_MS ? RECENT_OPENING_FACTOR : 1)
}

/** Requests of a round including extra reads, for a source that needs more than the interval for one read each. */
export function requestsWithExtras(
  requests: number,
  source: { poll_seconds: number; requests_per_minute: number },
): number {
  return isScarce(requests, source) ? Math.ceil(requests * (1 + EXTRA_SHARE)) : requests
}

/** Whether a round takes longer than the poll interval. */
export function isScarce(
  requests: number,
  { poll_seconds, requests_per_minute }: { poll_seconds: number; requests_per_minute: number },
): boolean {
  return 60 * requests > poll_seconds * Math.max(1, requests_per_minute)
}

/** How long one read may take, in ms, when a round of so many groups uses the whole interval, including extra reads. */
export const readMs = (intervalMs: number, groupCount: number): number =>
  intervalMs / ((1 + EXTRA_SHARE) * Math.max(1, groupCount))

/**
 * The order in which to read groups: those that have waited longest come first. Before them, spare reads go to the
 * heaviest groups (above average), which may be read twice in a round, as long as no group waits longer than the
 * interval. Groups that are left out have already been read.
 */
export function planReads<One extends DueGroup>(groups: readonly One[], { now, interval_ms, read_ms }: Pace): One[] {
  const waiting = inOrder(groups.filter(({ is_extra }) => !is_extra))
  const [first] = waiting
  if (!first) return []
  const room = Math.min(...waiting.map(({ asked_at }, index) => (asked_at + interval_ms - now) / read_ms - (index + 1)))
  if (room < 1) return waiting
  const average = groups.reduce((sum, { weight }) => sum + weight, 0) / groups.length
  const favored = groups
    .filter(({ term, weight }) => term === first.term && weight > average)
    .toSorted((one, other) => other.weight - one.weight || one.asked_at - other.asked_at)
    .slice(0, Math.floor(room))
  const isFavored = new Set(favored)
  return [...favored, ...waiting.filter((group) => !isFavored.has(group))]
}

/** The term of the longest-waiting group comes first, and within a term the longest-waiting groups. */
function inOrder<One extends DueGroup>(groups: readonly One[]): One[] {
  const byAge = groups.toSorted((one, other) => one.asked_at - other.asked_at)
  return [...Map.groupBy(byAge, ({ term }) => term).values()].flat()
}
