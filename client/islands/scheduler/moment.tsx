import { RelativeTime } from '../../components/relative-time.tsx'

/** A moment (ISO 8601); a dash where there is none. */
export function Moment({ at, timeZone }: { at: string | null; timeZone: string }) {
  return at === null ? <>–</> : <RelativeTime at={at} timeZone={timeZone} />
}
