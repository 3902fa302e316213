import { RelativeTime } from '../../components/relative-time.tsx'
import { absoluteText, relativeText } from '../../components/time-text.ts'
import { useNow } from '../../components/use-now.ts'

interface MomentProps {
  /** ISO 8601; null: a dash */
  at: string | null
  timeZone: string
}

/** How long ago something was; the exact time on hover. */
export function Moment({ at, timeZone }: MomentProps) {
  return at === null ? <>–</> : <RelativeTime at={at} timeZone={timeZone} />
}

/** The exact time to the second, for comparing times of a job; how long ago on hover. */
export function ExactMoment({ at, timeZone }: MomentProps) {
  const now = useNow()
  if (at === null) return <>–</>
  return (
    <time dateTime={at} {...(now !== null && { title: relativeText(Date.parse(at), now) })}>
      {absoluteText(at, timeZone, true)}
    </time>
  )
}
