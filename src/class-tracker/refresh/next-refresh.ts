import { DAY_MS, isTimeZone, localMinutes, MINUTE_MS } from '../../lib/time.ts'

/** Minutes after midnight, local time, at which a school is refreshed. */
const quietMinute = 3 * 60 + 30

/**
 * When a source is next refreshed automatically, ms since epoch: at once if it never was, otherwise at the next quiet
 * hour in the source's time zone (IANA name). If a clock change skips that minute, the next one that exists. Null for an
 * unknown time zone: the source waits until it is corrected.
 */
export function nextRefreshAt(timeZone: string, lastRefreshedAt: number | null, now: number): number | null {
  if (lastRefreshedAt === null) return now
  if (!isTimeZone(timeZone)) return null
  const minutes = localMinutes(timeZone, lastRefreshedAt)
  const wait = (quietMinute - minutes + 24 * 60) % (24 * 60) || 24 * 60
  const guess = Math.floor(lastRefreshedAt / MINUTE_MS) * MINUTE_MS + wait * MINUTE_MS
  // The clocks may have changed in between: corrected by what the local clock shows then.
  const shown = localMinutes(timeZone, guess)
  const error = ((shown - quietMinute + 36 * 60) % (24 * 60)) - 12 * 60
  const corrected = guess - error * MINUTE_MS
  return corrected > lastRefreshedAt ? corrected : corrected + DAY_MS
}
