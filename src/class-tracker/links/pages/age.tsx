import { absoluteText, relativeText } from '../../../../client/components/time-text.ts'
import { iso } from '../../../lib/time.ts'

/** "2 min ago", which the script keeps current. With a time zone, its title is the time. */
export function Age({ at, now, timeZone }: { at: number; now: number; timeZone?: string }) {
  const title = timeZone === undefined ? undefined : absoluteText(iso(at), timeZone, true)
  return (
    <time dateTime={iso(at)} title={title} data-age={now - at}>
      {relativeText(at, now)}
    </time>
  )
}
