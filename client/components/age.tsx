import { absoluteText, relativeText } from './time-text.ts'

/** "2 min ago", which the script keeps current. With a time zone, its title is the time. */
export function Age({ at, now, timeZone }: { at: number; now: number; timeZone?: string }) {
  const iso = new Date(at).toISOString()
  const title = timeZone === undefined ? undefined : absoluteText(iso, timeZone, true)
  return (
    <time dateTime={iso} title={title} data-age={now - at}>
      {relativeText(at, now)}
    </time>
  )
}
