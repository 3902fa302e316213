import type { AddClassesProps } from '../../../src/class-tracker/recipients/contract.ts'
import { RelativeTime } from '../../components/relative-time.tsx'

interface WatchSummaryProps {
  totals: NonNullable<AddClassesProps['totals']>
  /** The recipients are on several pages, and the sections counted are those of this one. */
  isOnePageOfMany: boolean
  timeZone: string
}

/** The answer first: how much is watched, what is open now, and when the schools were last read. */
export function WatchSummary({ totals, isOnePageOfMany, timeZone }: WatchSummaryProps) {
  const here = isOnePageOfMany ? ' on this page' : ''
  return (
    <dl className="figures">
      <div>
        <dt>watched{here}</dt>
        <dd>{totals.sections}</dd>
      </div>
      <div>
        <dt>open now</dt>
        <dd className={totals.open > 0 ? 'figure-open' : undefined}>{totals.open}</dd>
      </div>
      <div>
        <dt>{totals.recipients === 1 ? 'recipient' : 'recipients'}</dt>
        <dd>{totals.recipients}</dd>
      </div>
      <div>
        <dt>{totals.observed_at === null ? 'not checked yet' : 'checked'}</dt>
        <dd>{totals.observed_at !== null && <RelativeTime at={totals.observed_at} timeZone={timeZone} />}</dd>
      </div>
    </dl>
  )
}
