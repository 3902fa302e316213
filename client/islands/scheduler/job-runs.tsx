import type { RunRow } from '../../../src/scheduler/contract.ts'
import { EmptyState } from '../../components/empty-state.tsx'
import { RunTable } from './run-table.tsx'

/** Every attempt of the job that is kept, newest first. */
export function JobRuns({ runs, timeZone }: { runs: readonly RunRow[]; timeZone: string }) {
  return (
    <section className="card" aria-labelledby="runs">
      <div className="card-head">
        <h2 id="runs">All results</h2>
      </div>
      {runs.length === 0 ? (
        <EmptyState small title="It has not run yet." />
      ) : (
        <RunTable runs={runs} timeZone={timeZone} ofOneJob />
      )}
    </section>
  )
}
