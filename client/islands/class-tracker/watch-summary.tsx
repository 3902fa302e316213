import type { AddClassesProps } from '../../../src/class-tracker/recipients/contract.ts'
import { countText } from '../../components/count-text.ts'
import { RelativeTime } from '../../components/relative-time.tsx'
import { counted } from './section-text.ts'

interface WatchSummaryProps {
  totals: NonNullable<AddClassesProps['totals']>
  /** Whether the recipients are on several pages; the counted sections are those of this page. */
  isOnePageOfMany: boolean
  /** Some of what is watched could not be read, so that the newest read would say too much. */
  isUnread: boolean
  timeZone: string
}

/** The answer first: how much of what is watched is open now, for how many people, and when the schools were last read. */
export function WatchSummary({ totals, isOnePageOfMany, isUnread, timeZone }: WatchSummaryProps) {
  const { sections, open, recipients, observed_at: at } = totals
  const here = isOnePageOfMany ? ' on this page' : ''
  return (
    <p className="watch-summary numbers">
      {sections === 0 ? (
        `No watched sections${here}`
      ) : (
        <>
          <strong className={open > 0 ? 'seats-open' : undefined}>{`${countText(open)} open now`}</strong>
          {` of ${counted(sections, 'watched section')}${here}`}
        </>
      )}
      {` · ${counted(recipients, 'recipient')}`}
      {/* Of several pages the time would be that of this one only; its rows have theirs. */}
      {at !== null && !isOnePageOfMany && !isUnread && (
        <>
          {' · checked '}
          <RelativeTime at={at} timeZone={timeZone} />
        </>
      )}
    </p>
  )
}
