import { DAY_MS, localMinutes, parseLocalTime, wallClock } from '../../lib/time.ts'

/** Minutes since midnight as "22:30". */
export function clockText(minutes: number): string {
  return `${String(Math.floor(minutes / 60)).padStart(2, '0')}:${String(minutes % 60).padStart(2, '0')}`
}

/** Minutes since midnight of "22:30"; null for anything else. */
export function minutesOf(text: string): number | null {
  const [, hours, minutes] = /^([01]\d|2[0-3]):([0-5]\d)$/.exec(text) ?? []
  return hours === undefined ? null : Number(hours) * 60 + Number(minutes)
}

/**
 * The quiet period at `now` or the next, ms since epoch. `from` and `until` are minutes after midnight, which they may
 * span; an hour that daylight saving skips counts as the next one.
 */
export function quietTimeAt(
  { from, until, timeZone }: { from: number; until: number; timeZone: string },
  now: number,
): { starts_at: number; ends_at: number } {
  const today = Date.parse(wallClock(now, timeZone).slice(0, 10))
  // Yesterday's quiet hours may not be over yet.
  const first = from > until && localMinutes(timeZone, now) < until ? -1 : 0
  for (let day = first; day <= first + 2; day += 1) {
    const starts_at = momentAt(today + day * DAY_MS, from, timeZone)
    const ends_at = momentAt(today + (from < until ? day : day + 1) * DAY_MS, until, timeZone)
    if (ends_at > now && ends_at > starts_at) return { starts_at, ends_at }
  }
  throw new Error(`no quiet time from ${from} until ${until} in ${timeZone}`)
}

function momentAt(day: number, minutes: number, timeZone: string): number {
  const moment = parseLocalTime(`${new Date(day).toISOString().slice(0, 10)}T${clockText(minutes)}`, timeZone)
  if (moment === null) throw new Error(`there is no time ${clockText(minutes)} on this day in ${timeZone}`)
  return moment
}
