import { DAY_MS, MINUTE_MS } from '../lib/durations.ts'

/** The next time (ms since epoch, after `now`) that is a multiple of this many minutes, counted from midnight UTC. */
export function everyMinutes(minutes: number): (now: number) => number {
  const step = minutes * MINUTE_MS
  return (now) => (Math.floor(now / step) + 1) * step
}

/** The next time (ms since epoch, after `now`) at which it is this time of day in UTC. */
export function dailyAt(hour: number, minute: number): (now: number) => number {
  const time = (hour * 60 + minute) * MINUTE_MS
  return (now) => (Math.floor((now - time) / DAY_MS) + 1) * DAY_MS + time
}
