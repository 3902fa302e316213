import type { AddClassesProps } from '../../../src/class-tracker/recipients/contract.ts'
import { counted, countText } from '../../components/count-text.ts'
import { RelativeTime } from '../../components/relative-time.tsx'

interface WatchSummaryProps {
  totals: NonNullable<AddClassesProps['totals']>
  /** Whether the recipients are on several pages; the counted sections are those of this page. */
  isOnePageOfMany: boolean
  /** Whether some watched sections were not read, so that the newest time would be misleading. */
  isUnread: boolean
  timeZone: string
}

export function WatchSummary({ totals, isOnePageOfMany, isUnread, timeZone }: WatchSummaryProps) {
  const { sections, open, recipients, observed_at: at } = totals
  const here = isOnePageOfMany ? ' on this page' : ''
  return (
    <>
      {sections === 0 ? (
        `No watched sections${here}`
      ) : (
        <>
          <strong>{`${countText(open)} open now`}</strong>
          {` of ${counted(sections, 'watched section')}${here}`}
        </>
      )}
      {` · ${counted(recipients, 'recipient')}`}
      {/* With several pages, the time would be that of this page only; its rows have theirs. */}
      {at !== null && !isOnePageOfMany && !isUnread && (
        <>
          {' · checked '}
          <RelativeTime at={at} timeZone={timeZone} />
        </>
      )}
    </>
  )
}
