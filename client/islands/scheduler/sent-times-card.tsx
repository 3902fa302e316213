import type { MonthCost, SentTimes } from '../../../src/class-tracker/alerts/contract.ts'
import { EmptyState } from '../../components/empty-state.tsx'
import { MonthCosts, sentTimesNote, SentTimesTable } from '../../components/sent-times.tsx'

/** How long messages took and what they cost. */
export function SentTimesCard({ times, month }: { times: readonly SentTimes[]; month: readonly MonthCost[] }) {
  return (
    <section className="card" aria-labelledby="sent-times">
      <div className="card-head">
        <h2 id="sent-times">From seat to message</h2>
        <p className="muted small">{sentTimesNote}</p>
      </div>
      {times.length === 0 ? <EmptyState small title="No seat has opened yet." /> : <SentTimesTable times={times} />}
      <MonthCosts month={month} />
    </section>
  )
}
