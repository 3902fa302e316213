import { RelativeTime } from '../../components/relative-time.tsx'

/** A moment in ms since epoch; a dash where there is none. */
export function Moment({ at, timeZone }: { at: number | null; timeZone: string }) {
  return at === null ? <>–</> : <RelativeTime at={new Date(at).toISOString()} timeZone={timeZone} />
}
