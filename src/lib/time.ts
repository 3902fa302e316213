export const MINUTE_MS = 60_000
export const HOUR_MS = 60 * MINUTE_MS
export const DAY_MS = 24 * HOUR_MS

/** ISO 8601 in UTC, as every date in JSON is written. */
export function iso(ms: number): string {
  return new Date(ms).toISOString()
}

export function isoOrNull(ms: number | null): string | null {
  return ms === null ? null : iso(ms)
}

/** Resolves to the answer; rejects, with `why`, if it does not come within this many milliseconds. */
export async function withTimeout<Result>(
  answer: Promise<Result>,
  milliseconds = 10_000,
  why = 'No answer in time.',
): Promise<Result> {
  const { promise, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(new Error(why)), milliseconds)
  try {
    return await Promise.race([answer, promise])
  } finally {
    clearTimeout(timer)
  }
}

/** Kept because asking Intl costs more than rendering a small page, and there are only a few hundred zones. */
const known = new Map<string, boolean>()
const MAX_KNOWN = 1000

export function isTimeZone(zone: string): boolean {
  const isKnown = known.get(zone) ?? isKnownToIntl(zone)
  if (known.size < MAX_KNOWN) known.set(zone, isKnown)
  return isKnown
}

function isKnownToIntl(zone: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: zone })
    return true
  } catch {
    return false
  }
}

/** "2026-11-21T14:05:00": the local time at a moment (ms). */
export function wallClock(at: number, timeZone: string): string {
  const format = new Intl.DateTimeFormat('en-US', {
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    hourCycle: 'h23',
    timeZone,
  })
  const part = new Map(format.formatToParts(at).map(({ type, value }) => [type, value]))
  const year = part.get('year')?.padStart(4, '0')
  return `${year}-${part.get('month')}-${part.get('day')}T${part.get('hour')}:${part.get('minute')}:${part.get('second')}`
}

/** Minutes since midnight in a time zone. */
export function localMinutes(timeZone: string, at: number): number {
  const [hours = 0, minutes = 0] = wallClock(at, timeZone).slice(11, 16).split(':').map(Number)
  return hours * 60 + minutes
}

/**
 * The moment (ms) at which the clock shows "2026-11-21", "2026-11-21T14:05" or "…:00"; null for anything else. An hour
 * that daylight saving skips counts as the one after it, and an hour that comes twice as the first one.
 */
export function parseLocalTime(text: string, timeZone: string): number | null {
  const [, day, time = '00:00', seconds = ':00'] =
    /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d)(:\d\d)?(?:\.\d+)?)?$/.exec(text.trim()) ?? []
  const wanted = day === undefined ? Number.NaN : Date.parse(`${day}T${time}${seconds}Z`)
  if (Number.isNaN(wanted) || new Date(wanted).toISOString().slice(0, 10) !== day) return null
  const candidates = [wanted - DAY_MS, wanted + DAY_MS].map((near) => wanted - offsetAt(near, timeZone))
  const exact = candidates.filter((at) => at + offsetAt(at, timeZone) === wanted)
  return exact.length > 0 ? Math.min(...exact) : Math.max(...candidates)
}

function offsetAt(at: number, timeZone: string): number {
  return Date.parse(`${wallClock(at, timeZone)}Z`) - Math.floor(at / 1000) * 1000
}

/** A longer wait is a mistake of the other side, and would leave sections unwatched or messages unsent. */
const MAX_SECONDS = 3600

/**
 * The wait that a `Retry-After` header asks for, in whole seconds from `now`, at most an hour: a number or a date
 * (RFC 9110 §10.2.3). Null without a usable one.
 */
export function retryAfterSeconds(header: string | null, now: number): number | null {
  const value = header?.trim() ?? ''
  if (/^\d+(\.\d+)?$/.test(value)) return Math.min(MAX_SECONDS, Math.ceil(Number(value)))
  // Every date format begins with the day of the week; `Date.parse` would also read "-5" as a date.
  if (!/^[A-Za-z]{3,9},? /.test(value)) return null
  const seconds = Math.ceil((Date.parse(value) - now) / 1000)
  return Number.isNaN(seconds) ? null : Math.min(MAX_SECONDS, Math.max(0, seconds))
}
