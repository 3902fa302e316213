/**
 * What a source may ask beyond one look at each group a round, as a part of it, when its budget does not suffice for a round
 * in each interval. It belongs to the round, and so to the interval that is shown.
 */
const EXTRA_SHARE = 0.25

/** An opening this long ago still draws attention: seats come in groups, and go. */
export const RECENT_OPENING_MS = 30 * 60_000
/** What a recent opening counts as, in people who wait. */
const RECENT_OPENING_FACTOR = 4

/** A group that may be asked now. */
interface Look {
  /** The groups of a term are asked together. */
  term: string
  /** The clock (ms since epoch) of its last look; 0 before the first. */
  asked_at: number
  /** {@link weightOf} */
  weight: number
  /** It had its look in this round, and would have another. */
  is_extra: boolean
}

interface Pace {
  /** ms since epoch */
  now: number
  /** The interval that is shown: no group may wait longer. */
  interval_ms: number
  /** What one look takes of the budget, ms. */
  look_ms: number
}

/** How much a look at a group is worth: the people who wait, and more where a seat has just opened. */
export function weightOf(watchCount: number, openedAt: number | null, now: number): number {
  return watchCount * (openedAt !== null && now - openedAt < RECENT_OPENING_MS ? RECENT_OPENING_FACTOR : 1)
}

/** Requests a round is given, the extra looks included: of a source that needs the whole interval and more for one look each. */
export function requestsWithExtras(
  requests: number,
  source: { poll_seconds: number; requests_per_minute: number },
): number {
  return isScarce(requests, source) ? Math.ceil(requests * (1 + EXTRA_SHARE)) : requests
}

/** Whether a round takes longer than the poll seconds. */
export function isScarce(
  requests: number,
  { poll_seconds, requests_per_minute }: { poll_seconds: number; requests_per_minute: number },
): boolean {
  return 60 * requests > poll_seconds * Math.max(1, requests_per_minute)
}

/** How long one look takes, ms, of a round of so many groups that takes the whole interval, its extra looks included. */
export const lookMs = (intervalMs: number, groupCount: number): number =>
  intervalMs / ((1 + EXTRA_SHARE) * Math.max(1, groupCount))

/**
 * The order in which to ask. Those that wait longest come first, but for as many as nobody has to wait too long for: these
 * are the weightiest, above the average, and may have another look. What is left out has had its look.
 */
export function planLooks<One extends Look>(looks: readonly One[], { now, interval_ms, look_ms }: Pace): One[] {
  const waiting = inOrder(looks.filter(({ is_extra }) => !is_extra))
  const [first] = waiting
  if (!first) return []
  const room = Math.min(...waiting.map(({ asked_at }, index) => (asked_at + interval_ms - now) / look_ms - (index + 1)))
  if (room < 1) return waiting
  const average = looks.reduce((sum, { weight }) => sum + weight, 0) / looks.length
  const favored = looks
    .filter(({ term, weight }) => term === first.term && weight > average)
    .toSorted((one, other) => other.weight - one.weight || one.asked_at - other.asked_at)
    .slice(0, Math.floor(room))
  const isFavored = new Set(favored)
  return [...favored, ...waiting.filter((look) => !isFavored.has(look))]
}

/** As a source is asked: the term of the one that waits longest first, within it by how long they wait. */
function inOrder<One extends Look>(looks: readonly One[]): One[] {
  const byAge = looks.toSorted((one, other) => one.asked_at - other.asked_at)
  return [...Map.groupBy(byAge, ({ term }) => term).values()].flat()
}
