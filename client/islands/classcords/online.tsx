import type { Presence } from '../../../src/classcords/contract.ts'
import { RelativeTime } from '../../components/relative-time.tsx'
import { absoluteText, clockText, shortDayText } from '../../components/time-text.ts'
import { useNow } from '../../components/use-now.ts'
import { countText } from '../../components/count-text.ts'
import { MAX_PRESENCE_AGE_MS } from './server-text.ts'

/** Until the figure is too old. Without scripts its time is written out, because a cached page has no age. */
export function OnlineLately({ presence, timeZone }: { presence: Presence; timeZone: string }) {
  const now = useNow()
  if (presence === null || (now !== null && now - Date.parse(presence.counted_at) > MAX_PRESENCE_AGE_MS)) return null
  const { online_count: count, counted_at: at } = presence
  return (
    <span className="online" title={`Counted ${absoluteText(at, timeZone, true)}`}>
      {countText(count)}
      <span className="unit"> online</span>{' '}
      <time className="only-plain" dateTime={at}>
        {shortDayText(Date.parse(at), timeZone)}, {clockText(at, timeZone)}
      </time>
    </span>
  )
}

/** How many members were online, and when, after the number of members. */
export function Online({ presence, timeZone }: { presence: Presence; timeZone: string }) {
  if (presence === null) return null
  return (
    <>
      {' · '}
      {countText(presence.online_count)} online, counted <RelativeTime at={presence.counted_at} timeZone={timeZone} />
    </>
  )
}
