/** The requests that reading one group may need at once: with fewer, none would ever be read completely. */
const MIN_REQUESTS = 6

/**
 * Requests a minute that a refresh may take from a source's budget, or if it shares its host, that all refreshes there
 * may take together: what polls leave, but at least a tenth and enough for a group, so that neither blocks the other.
 * `requests_a_round`: of the last round of polls; 0 when nothing is watched there. `other_polls`: requests a minute
 * that polls of the others on the host take.
 */
export function spareRequests(source: {
  requests_per_minute: number
  host_requests_per_minute: number | null
  other_polls: number
  requests_a_round: number
  poll_seconds: number
}): number {
  const { requests_per_minute: share, requests_a_round: round } = source
  const roundSeconds = Math.max(source.poll_seconds, (60 * round) / Math.max(1, share))
  const polls = source.other_polls + (round === 0 ? 0 : Math.ceil((60 * round) / roundSeconds))
  const budget = source.host_requests_per_minute ?? share
  return Math.max(Math.min(budget, MIN_REQUESTS), Math.ceil(budget / 10), budget - polls)
}
