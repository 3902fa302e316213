/** One round may have this many openings without a second read, whatever the size of the source. */
const MAX_PLAUSIBLE_OPENINGS = 20
/** The share of a source's watched sections that one round may open without a second read. */
const MAX_PLAUSIBLE_SHARE = 0.25
/** With this many openings among the first answers, the round waits for the rest. */
const MIN_SUSPICIOUS_OPENINGS = 5

/**
 * Whether one round opens so many sections of a source that its answers are read again before anyone is notified: a
 * broken school system is likelier than that many seats opening at the same time.
 * @param opened openings of the round so far
 * @param watched all watched sections of the source
 */
export function isImplausible(opened: number, watched: number): boolean {
  return opened > MAX_PLAUSIBLE_OPENINGS && opened > watched * MAX_PLAUSIBLE_SHARE
}

/**
 * Whether the round may turn out implausible, judging by the answers so far, so that its openings should wait for more
 * answers.
 * @param read watched sections read so far
 */
export function looksImplausible(opened: number, read: number): boolean {
  return opened >= MIN_SUSPICIOUS_OPENINGS && opened > read * MAX_PLAUSIBLE_SHARE
}
