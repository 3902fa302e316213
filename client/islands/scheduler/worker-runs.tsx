import type { RunRow } from '../../../src/scheduler/contract.ts'
import { TableHead } from '../../components/table-head.tsx'
import { measureText } from '../../components/time-text.ts'
import { jobAddress } from './addresses.ts'
import { MomentCell } from './moment.tsx'
import { Outcome } from './outcome.tsx'
import { shortName, taskTitle } from './texts.ts'

/** What a worker ran, newest first. */
export function WorkerRuns({ runs, timeZone }: { runs: readonly RunRow[]; timeZone: string }) {
  return (
    <div className="wide">
      <table className="table table-dense table-runs">
        <TableHead
          names={['ID', 'Task', 'Run', 'Created', 'Enqueued', 'Started', 'Ran for', 'Result', 'Return value']}
        />
        <tbody>
          {runs.map((run) => (
            <tr key={`${run.job} ${run.attempt}`}>
              <td data-label="ID">
                <a className="job-name" href={jobAddress(run.job)} title={run.job}>
                  {shortName(run.job)}
                </a>
              </td>
              <td data-label="Task">
                <span className="callable">{taskTitle(run.task)}</span>
              </td>
              <td data-label="Run">{run.attempt}</td>
              <MomentCell label="Created" at={run.created_at} timeZone={timeZone} />
              <MomentCell label="Enqueued" at={run.queued_at} timeZone={timeZone} />
              <MomentCell label="Started" at={run.started_at} timeZone={timeZone} />
              <td data-label="Ran for">{run.ran_ms === null ? '–' : measureText(run.ran_ms)}</td>
              <td data-label="Result">
                <Outcome run={run} />
              </td>
              <td data-label="Return value">
                {run.result === null ? (
                  '–'
                ) : (
                  <span className="arguments tiny" title={run.result}>
                    {run.result}
                  </span>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
