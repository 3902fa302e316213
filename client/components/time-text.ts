/* Times as people read them. The text is built from numbers here, because the formats of JavaScript engines differ
   in spaces and commas, and server and browser must write the same text. */

const monthNames = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']
const weekdayNames = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday']

const formats = new Map<string, Intl.DateTimeFormat>()

function formatOf(timeZone: string): Intl.DateTimeFormat {
  const known = formats.get(timeZone)
  if (known) return known
  const options = {
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
    hourCycle: 'h23',
  } as const
  let made: Intl.DateTimeFormat
  try {
    made = new Intl.DateTimeFormat('en-US', { ...options, timeZone })
  } catch {
    made = new Intl.DateTimeFormat('en-US', { ...options, timeZone: 'UTC' })
  }
  formats.set(timeZone, made)
  return made
}

/** Offsets change only on a quarter of an hour, so each quarter's is computed once: computing it is slow. */
const QUARTER_MS = 15 * 60_000
const MAX_OFFSETS = 2000
const offsets = new Map<string, Map<number, number>>()

/** How far a zone's clocks are ahead of UTC, in ms. */
function offsetAt(moment: number, timeZone: string): number {
  const start = Math.floor(moment / QUARTER_MS) * QUARTER_MS
  const ofZone = offsets.get(timeZone) ?? new Map<number, number>()
  const known = ofZone.get(start)
  if (known !== undefined) return known
  const figures: Record<string, number> = {}
  for (const { type, value } of formatOf(timeZone).formatToParts(start)) figures[type] = Number(value)
  const { year = 1970, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = figures
  const offset = Date.UTC(year, month - 1, day, hour, minute, second) - start
  if (ofZone.size >= MAX_OFFSETS) ofZone.clear()
  ofZone.set(start, offset)
  offsets.set(timeZone, ofZone)
  return offset
}

/** A date whose UTC fields are those of the zone's clocks. */
const localTime = (moment: number, timeZone: string): Date => new Date(moment + offsetAt(moment, timeZone))

/** "Nov 3" */
const dayOf = (local: Date): string => `${monthNames[local.getUTCMonth()]} ${local.getUTCDate()}`

const twoDigits = (figure: number): string => String(figure).padStart(2, '0')

/** "2:05 PM", "2:05:12 PM" */
function clock(local: Date, withSeconds: boolean): string {
  const hour = local.getUTCHours()
  const seconds = withSeconds ? `:${twoDigits(local.getUTCSeconds())}` : ''
  return `${hour % 12 || 12}:${twoDigits(local.getUTCMinutes())}${seconds} ${hour < 12 ? 'AM' : 'PM'}`
}

/** "2:05 PM" in the time zone; " UTC" is added if no better zone is known. `iso` is an ISO 8601 time. */
export function clockText(iso: string, timeZone: string): string {
  const text = clock(localTime(Date.parse(iso), timeZone), false)
  return timeZone === 'UTC' ? `${text} UTC` : text
}

/** "Nov 3, 2026, 2:05 PM". `exact` adds the seconds. */
export function absoluteText(iso: string, timeZone: string, exact = false): string {
  const local = localTime(Date.parse(iso), timeZone)
  const text = `${dayOf(local)}, ${local.getUTCFullYear()}, ${clock(local, exact)}`
  return timeZone === 'UTC' ? `${text} UTC` : text
}

/** "Nov 3, 2026": the day of a time. */
export function dateText(iso: string, timeZone: string): string {
  const local = localTime(Date.parse(iso), timeZone)
  return `${dayOf(local)}, ${local.getUTCFullYear()}`
}

/** "Nov 3, 2026, 2:05:12 PM" for a time that is already in local time: "2026-11-03T14:05:12". */
export function localText(local: string): string {
  return absoluteText(`${local}Z`, 'Etc/UTC', true)
}

/** "2026-11-03": the day of a time, for grouping. */
export const dayKey = (iso: string, timeZone: string): string =>
  localTime(Date.parse(iso), timeZone).toISOString().slice(0, 10)

/** "Tuesday, Nov 3, 2026" from a {@link dayKey}; with `today` (also a key) "Today, Tuesday, Nov 3" if it applies. */
export function dayText(key: string, today: string | null): string {
  const date = new Date(`${key}T00:00:00Z`)
  const written = `${weekdayNames[date.getUTCDay()]}, ${dayOf(date)}`
  const daysAgo = today === null ? null : (Date.parse(`${today}T00:00:00Z`) - date.getTime()) / 86_400_000
  if (daysAgo === 0) return `Today, ${written}`
  return daysAgo === 1 ? `Yesterday, ${written}` : `${written}, ${date.getUTCFullYear()}`
}

/** "Nov 3": for the axis of a chart. */
export const shortDayText = (moment: number, timeZone: string): string => dayOf(localTime(moment, timeZone))

/** A duration in its largest fitting unit: "8 s", "3 min", "2 h", "4 days". `milliseconds` may not be negative. */
export function durationText(milliseconds: number, round = Math.round): string {
  const seconds = round(milliseconds / 1000)
  if (seconds < 1) return 'under 1 s'
  if (seconds < 100) return `${seconds} s`
  const minutes = round(seconds / 60)
  if (minutes < 100) return `${minutes} min`
  const hours = round(minutes / 60)
  if (hours < 36) return `${hours} h`
  return `${round(hours / 24)} days`
}

/** A measured duration: "340 ms", "1.2 s", "45 s", then like any duration. */
export function measureText(milliseconds: number): string {
  if (milliseconds < 999.5) return `${Math.round(milliseconds)} ms`
  if (milliseconds < 9950) return `${(milliseconds / 1000).toFixed(1)} s`
  return durationText(milliseconds)
}

/** "20 s ago", "in 5 min"; within five seconds "just now" or "now", which also allow for a slightly wrong clock. */
export function relativeText(moment: number, now: number): string {
  const away = now - moment
  if (Math.abs(away) < 5000) return away < 0 ? 'now' : 'just now'
  return away > 0 ? `${durationText(away)} ago` : `in ${durationText(-away)}`
}
