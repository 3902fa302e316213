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
