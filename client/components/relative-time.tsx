import { absoluteText, relativeText } from './time-text.ts'
import { useNow } from './use-now.ts'

/** A time (ISO 8601), written out. */
export function AbsoluteTime({ at, timeZone }: { at: string; timeZone: string }) {
  return <time dateTime={at}>{absoluteText(at, timeZone)}</time>
}

/** A time (ISO 8601): written out by the server, "20 s ago" once scripts run, exact on hover. */
export function RelativeTime({ at, timeZone, title }: { at: string; timeZone: string; title?: string }) {
  const now = useNow()
  return (
    <time dateTime={at} title={title ?? absoluteText(at, timeZone, true)}>
      {now === null ? absoluteText(at, timeZone) : relativeText(Date.parse(at), now)}
    </time>
  )
}
