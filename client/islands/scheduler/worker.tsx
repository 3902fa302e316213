import type { RunRow, WorkerProps } from '../../../src/scheduler/contract.ts'
import { Badge } from '../../components/badge.tsx'
import { EmptyState } from '../../components/empty-state.tsx'
import { Pagination } from '../../components/pagination.tsx'
import { measureText } from '../../components/time-text.ts'
import type { IslandProps } from '../index.ts'
import { jobAddress, workersAddress } from './addresses.ts'
import { CurrentJobs } from './current-jobs.tsx'
import { Moment, MomentCell } from './moment.tsx'
import { countText } from '../../components/count-text.ts'
import { Facts } from '../../components/facts.tsx'
import { shortName, taskTitle, workerTone } from './texts.ts'
import { Breadcrumbs } from './breadcrumbs.tsx'
import { TableHead } from '../../components/table-head.tsx'
import { Outcome } from './outcome.tsx'

export function Island({ props, context }: IslandProps<WorkerProps>) {
  const { worker, jobs: runs, total } = props
  const timeZone = context.time_zone
  return (
    <div className="stack stack-large scheduler">
      <div className="page-head">
        <div>
          <Breadcrumbs steps={[{ label: 'Workers', href: workersAddress }]} />
          <h1>Worker {worker.name}</h1>
        </div>
        <Badge tone={workerTone(worker.state)}>{worker.state}</Badge>
      </div>
      <section className="card card-body" aria-label="Worker details">
        <Facts
          className="facts-lined"
          facts={[
            ['Queues', worker.queues.join(', ')],
            ['Birth', <Moment key="born" at={worker.born_at} timeZone={timeZone} />],
            ['Last heartbeat', <Moment key="seen" at={worker.seen_at} timeZone={timeZone} />],
            ['Location', worker.location ?? 'unknown'],
            ['Current job', <CurrentJobs key="jobs" jobs={worker.current_jobs} />],
            ['Successful', countText(worker.successful)],
            ['Failed', countText(worker.failed)],
            ['Total working time', measureText(worker.busy_ms)],
          ]}
        />
      </section>
      <section className="card" aria-labelledby="runs">
        <div className="card-head">
          <h2 id="runs">
            Executions <span className="muted numbers">{countText(total)}</span>
          </h2>
        </div>
        {runs.length === 0 ? (
          <EmptyState small title="None of its executions are kept anymore." />
        ) : (
          <WorkerRuns runs={runs} timeZone={timeZone} />
        )}
      </section>
      <Pagination pagination={props.pagination} hrefOf={(page) => `?p=${page}`} />
    </div>
  )
}

function WorkerRuns({ runs, timeZone }: { runs: readonly RunRow[]; timeZone: string }) {
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
