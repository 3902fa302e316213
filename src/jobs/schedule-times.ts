const minuteMilliseconds = 60_000
const dayMilliseconds = 24 * 60 * minuteMilliseconds

/** The next moment (ms since epoch, after `now`) that is a multiple of so many minutes, counted from midnight UTC. */
export function everyMinutes(minutes: number): (now: number) => number {
  const step = minutes * minuteMilliseconds
  return (now) => (Math.floor(now / step) + 1) * step
}

/** The next moment (ms since epoch, after `now`) at which it is this time of the day in UTC. */
export function dailyAt(hour: number, minute: number): (now: number) => number {
  const time = (hour * 60 + minute) * minuteMilliseconds
  return (now) => (Math.floor((now - time) / dayMilliseconds) + 1) * dayMilliseconds + time
}
