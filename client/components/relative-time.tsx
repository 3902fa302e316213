import { absoluteText, relativeText } from './time-text.ts'
import { useNow } from './use-now.ts'

/** A moment: written out by the server, "20 s ago" once the page lives, exact on hover. `at` is ISO 8601. */
export function RelativeTime({ at, timeZone }: { at: string; timeZone: string }) {
  const now = useNow()
  return (
    <time dateTime={at} title={absoluteText(at, timeZone, true)}>
      {now === null ? absoluteText(at, timeZone) : relativeText(Date.parse(at), now)}
    </time>
  )
}
