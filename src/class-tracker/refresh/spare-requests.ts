/** The requests that reading one group may need at once: with fewer, none would ever be read completely. */
const MIN_REQUESTS = 6

/**
 * Requests a minute that a refresh may take from a source's budget: what polls leave, but at least a tenth and enough
 * for a group, so that neither blocks the other. `requests_a_round`: of the last round of polls; 0 when nothing is
 * watched there.
 */
export function spareRequests(source: {
  requests_per_minute: number
  requests_a_round: number
  poll_seconds: number
}): number {
  const { requests_per_minute: budget, requests_a_round: round } = source
  const roundSeconds = Math.max(source.poll_seconds, (60 * round) / Math.max(1, budget))
  const polls = round === 0 ? 0 : Math.ceil((60 * round) / roundSeconds)
  return Math.max(Math.min(budget, MIN_REQUESTS), Math.ceil(budget / 10), budget - polls)
}
