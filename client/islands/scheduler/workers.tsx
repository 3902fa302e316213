import type { WorkersProps } from '../../../src/scheduler/contract.ts'
import { LinkButton } from '../../components/button.tsx'
import { EmptyState } from '../../components/empty-state.tsx'
import type { IslandProps } from '../index.ts'
import { ofQueue, workerAddress, workersAddress } from './addresses.ts'
import { Unreachable } from './unreachable.tsx'
import { Badge } from '../../components/badge.tsx'
import { DataTable } from '../../components/data-table.tsx'
import { PageHead } from '../../components/page-head.tsx'
import { measureText } from '../../components/time-text.ts'
import { CurrentJobs } from './current-jobs.tsx'
import { Moment } from './moment.tsx'
import { countText } from '../../components/count-text.ts'
import { workersTitle, workerStateText, workerTone } from './texts.ts'

export function Island({ props, context }: IslandProps<WorkersProps>) {
  const { queue, workers, with_gone: withGone } = props
  const { time_zone: timeZone } = context
  const address = queue === null ? workersAddress : ofQueue(queue, 'workers')
  return (
    <div className="stack stack-large scheduler">
      <PageHead
        title={workersTitle(props)}
        about="A worker is one running copy of the app. It starts when there is work and stops when there is none."
      >
        <LinkButton href={withGone ? address : `${address}?gone=1`}>
          {withGone ? 'Hide stopped workers' : 'Show stopped workers'}
        </LinkButton>
      </PageHead>
      <Unreachable queues={props.unreachable} what="workers" />
      <section className="card" aria-label="Workers">
        <DataTable
          className="table-dense"
          isWide
          columns={[
            { label: 'Name', cell: ({ name }) => <a href={workerAddress(name)}>{name}</a> },
            { label: 'Queues', cell: ({ queues }) => queues.join(', ') },
            { label: 'State', cell: ({ state }) => <Badge tone={workerTone(state)}>{workerStateText(state)}</Badge> },
            { label: 'Birth', cell: ({ born_at: at }) => <Moment at={at} timeZone={timeZone} /> },
            { label: 'Last heartbeat', cell: ({ seen_at: at }) => <Moment at={at} timeZone={timeZone} /> },
            { label: 'Current job', cell: ({ current_jobs: jobs }) => <CurrentJobs jobs={jobs} /> },
            { label: 'Working time', cell: ({ busy_ms: busy }) => measureText(busy) },
            { label: 'Successful', cell: ({ successful }) => countText(successful) },
            { label: 'Failed', cell: ({ failed }) => countText(failed) },
            // The queues themselves keep what is due later.
            { label: 'Scheduler', cell: () => 'No' },
          ]}
          rows={workers}
          keyOf={({ name, queues }) => `${name} ${queues.join(' ')}`}
          empty={
            <EmptyState title="No workers">
              <p>Nothing is running. A worker starts when the next job is due.</p>
            </EmptyState>
          }
        />
      </section>
      {props.is_cut ? (
        <p className="small muted">Only the 500 workers of a queue that were seen last are listed.</p>
      ) : null}
    </div>
  )
}
