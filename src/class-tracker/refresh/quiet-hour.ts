import { localMinutes } from '../../lib/time-zone.ts'

const dayMs = 24 * 3600_000

/** Minutes past the school's own midnight at which it is refreshed. */
const quietMinute = 3 * 60 + 30

/**
 * When a source is next refreshed automatically, ms since epoch: at once when it never was, else at the first quiet hour of
 * the source's own time zone (IANA name) after the last time. Where a clock change skips that minute, the next that exists.
 */
export function nextRefreshAt(timeZone: string, lastRefreshedAt: number | null, now: number): number {
  if (lastRefreshedAt === null) return now
  const minutes = localMinutes(timeZone, lastRefreshedAt)
  const wait = (quietMinute - minutes + 24 * 60) % (24 * 60) || 24 * 60
  const guess = Math.floor(lastRefreshedAt / 60_000) * 60_000 + wait * 60_000
  // Between the two the clocks may have changed: put right by what the local clock shows there.
  const shown = localMinutes(timeZone, guess)
  const error = ((shown - quietMinute + 36 * 60) % (24 * 60)) - 12 * 60
  const corrected = guess - error * 60_000
  return corrected > lastRefreshedAt ? corrected : corrected + dayMs
}
