/** Openings of one round that need no second read, whatever the size of the source. */
const MAX_PLAUSIBLE_OPENINGS = 20
/** The share of a source's watched sections that one round may open without a second read. */
const MAX_PLAUSIBLE_SHARE = 0.25
/** Openings among the first answers that are worth waiting for the rest of the round. */
const MIN_SUSPICIOUS_OPENINGS = 5

/**
 * Whether so many sections of a source open in one round that its answers are read a second time before anybody is
 * notified: a school system in trouble is likelier than so many seats at once.
 * @param opened openings of the round so far
 * @param watched all watched sections of the source
 */
export function isImplausible(opened: number, watched: number): boolean {
  return opened > MAX_PLAUSIBLE_OPENINGS && opened > watched * MAX_PLAUSIBLE_SHARE
}

/**
 * Whether the answers so far look as if the round might turn out implausible, so that its openings should wait for more of
 * them instead of going out one by one.
 * @param read watched sections read so far
 */
export function looksImplausible(opened: number, read: number): boolean {
  return opened >= MIN_SUSPICIOUS_OPENINGS && opened > read * MAX_PLAUSIBLE_SHARE
}
