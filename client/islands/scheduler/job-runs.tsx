import type { JobRun } from '../../../src/scheduler/contract.ts'
import { EmptyState } from '../../components/empty-state.tsx'
import { TableHead } from '../../components/table-head.tsx'
import { measureText } from '../../components/time-text.ts'
import { workerAddress } from './addresses.ts'
import { MomentCell } from './moment.tsx'
import { Outcome } from './outcome.tsx'

function RunTable({ runs, timeZone }: { runs: readonly JobRun[]; timeZone: string }) {
  return (
    <table className="table table-dense table-runs">
      <TableHead names={['Run', 'Result', 'Started', 'Ran for', 'Worker']} />
      <tbody>
        {runs.map((run) => (
          <tr key={run.attempt}>
            <td data-label="Run">{run.attempt}</td>
            <td data-label="Result">
              <Outcome run={run} />
            </td>
            <MomentCell label="Started" at={run.started_at} timeZone={timeZone} />
            <td data-label="Ran for">
              {run.ended_at === null ? '–' : measureText(Date.parse(run.ended_at) - Date.parse(run.started_at))}
            </td>
            <td data-label="Worker">
              <a href={workerAddress(run.worker)}>{run.worker}</a>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

/** Every attempt of the job that is still stored, newest first. */
export function JobRuns({ runs, timeZone }: { runs: readonly JobRun[]; timeZone: string }) {
  return (
    <section className="card" aria-labelledby="runs">
      <div className="card-head">
        <h2 id="runs">All results</h2>
      </div>
      {runs.length === 0 ? <EmptyState small title="Not run yet." /> : <RunTable runs={runs} timeZone={timeZone} />}
    </section>
  )
}
