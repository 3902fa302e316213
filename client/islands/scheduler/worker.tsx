import type { RunRow, WorkerProps } from '../../../src/scheduler/contract.ts'
import { Badge } from '../../components/badge.tsx'
import { Crumbs } from '../../components/crumbs.tsx'
import { EmptyState } from '../../components/empty-state.tsx'
import { PageHead } from '../../components/page-head.tsx'
import { Pagination } from '../../components/pagination.tsx'
import { measureText } from '../../components/time-text.ts'
import type { IslandProps } from '../index.ts'
import { jobAddress, toQueues, workersAddress } from './addresses.ts'
import { CurrentJobs } from './current-jobs.tsx'
import { Moment } from './moment.tsx'
import { countText } from '../../components/count-text.ts'
import { Facts } from '../../components/facts.tsx'
import { shortName, stateTone, taskTitle, workerStateText, workerTone } from './texts.ts'
import { DataTable } from '../../components/data-table.tsx'
import { RunOutcome } from './outcome.tsx'

export function Island({ props, context }: IslandProps<WorkerProps>) {
  const { worker, jobs: runs, total } = props
  const timeZone = context.time_zone
  return (
    <div className="stack stack-large scheduler">
      <PageHead
        above={<Crumbs steps={[toQueues, { label: 'Workers', href: workersAddress }]} />}
        title={`Worker ${worker.name}`}
      >
        <Badge tone={workerTone(worker.state)}>{workerStateText(worker.state)}</Badge>
      </PageHead>
      <section className="card card-body" aria-label="Worker details">
        <Facts
          className="facts-lined"
          facts={[
            ['Queues', worker.queues.join(', ')],
            ['Birth', <Moment key="born" at={worker.born_at} timeZone={timeZone} />],
            ['Last heartbeat', <Moment key="seen" at={worker.seen_at} timeZone={timeZone} />],
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
        <WorkerRuns runs={runs} timeZone={timeZone} />
      </section>
      <Pagination pagination={props.pagination} hrefOf={(page) => `?p=${page}`} />
    </div>
  )
}

function WorkerRuns({ runs, timeZone }: { runs: readonly RunRow[]; timeZone: string }) {
  return (
    <DataTable
      className="table-dense table-runs"
      isWide
      columns={[
        {
          label: 'ID',
          cell: ({ job }) => (
            <a className="job-name" href={jobAddress(job)} title={job}>
              {shortName(job)}
            </a>
          ),
        },
        { label: 'Scheduled task', cell: ({ task }) => <span className="callable">{taskTitle(task)}</span> },
        { label: 'Status', cell: ({ status }) => <Badge tone={stateTone(status)}>{status}</Badge> },
        { label: 'Run', cell: ({ attempt }) => attempt },
        { label: 'Created', cell: ({ created_at: at }) => <Moment at={at} timeZone={timeZone} /> },
        { label: 'Enqueued', cell: ({ queued_at: at }) => <Moment at={at} timeZone={timeZone} /> },
        { label: 'Started', cell: ({ started_at: at }) => <Moment at={at} timeZone={timeZone} /> },
        { label: 'Ran for', cell: ({ ran_ms: ran }) => (ran === null ? '–' : measureText(ran)) },
        { label: 'Worker', cell: ({ worker }) => <span title={worker}>{shortName(worker)}</span> },
        { label: 'Result', cell: (run) => <RunOutcome run={run} /> },
        {
          label: 'Return value',
          cell: ({ result }) =>
            result === null ? (
              '–'
            ) : (
              <span className="arguments tiny" title={result}>
                {result}
              </span>
            ),
        },
      ]}
      rows={runs}
      keyOf={({ job, attempt }) => `${job} ${attempt}`}
      empty={<EmptyState small title="This worker’s run history has been deleted." />}
    />
  )
}
