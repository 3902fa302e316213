import type { Presence } from '../../../src/classcords/contract.ts'
import { RelativeTime } from '../../components/relative-time.tsx'
import { figureText } from './server-text.ts'

/** How many members were online, and when that was. */
export function Online({ presence, timeZone }: { presence: Presence; timeZone: string }) {
  if (presence === null) return null
  return (
    <p className="muted small numbers">
      {figureText(presence.online_count)} online, counted <RelativeTime at={presence.counted_at} timeZone={timeZone} />
    </p>
  )
}
