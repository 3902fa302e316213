import type { Presence } from '../../../src/classcords/contract.ts'
import { RelativeTime } from '../../components/relative-time.tsx'
import { clockText, shortDayText } from '../../components/time-text.ts'
import { useNow } from '../../components/use-now.ts'
import { figureText, MAX_PRESENCE_AGE_MS } from './server-text.ts'

/**
 * The same in a card, until it is too old. Without scripts and while hydrating the moment is written out, because a kept page does not
 * know how old it is.
 */
export function OnlineLately({
  presence,
  timeZone,
  isCompact = false,
}: {
  presence: Presence
  timeZone: string
  /** Only the hour, where the page is kept for minutes. */
  isCompact?: boolean
}) {
  const now = useNow()
  if (presence === null || (now !== null && now - Date.parse(presence.counted_at) > MAX_PRESENCE_AGE_MS)) return null
  const { online_count: count, counted_at: at } = presence
  return (
    <span className="online">
      {figureText(count)} online{isCompact && now === null ? ' at ' : ' '}
      {now === null ? (
        <time dateTime={at}>
          {!isCompact && `${shortDayText(Date.parse(at), timeZone)}, `}
          {clockText(at, timeZone)}
        </time>
      ) : (
        <RelativeTime at={at} timeZone={timeZone} />
      )}
    </span>
  )
}

/** How many members were online, and when that was, after how many there are. */
export function Online({ presence, timeZone }: { presence: Presence; timeZone: string }) {
  if (presence === null) return null
  return (
    <>
      {' · '}
      {figureText(presence.online_count)} online, counted <RelativeTime at={presence.counted_at} timeZone={timeZone} />
    </>
  )
}
