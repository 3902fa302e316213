import type { WorkerRow, WorkersProps } from '../../../src/scheduler/contract.ts'
import { LinkButton } from '../../components/button.tsx'
import { EmptyState } from '../../components/empty-state.tsx'
import type { IslandProps } from '../index.ts'
import { ofQueue, workerAddress, workersAddress } from './addresses.ts'
import { Unreachable } from './unreachable.tsx'
import { Badge } from '../../components/badge.tsx'
import { TableHead } from '../../components/table-head.tsx'
import { measureText } from '../../components/time-text.ts'
import { CurrentJobs } from './current-jobs.tsx'
import { MomentCell } from './moment.tsx'
import { countText } from '../../components/count-text.ts'
import { workerTone } from './texts.ts'

/** "3 Tasks Workers", as in the title of the page. */
const titleOf = (count: number, queue: string | null): string =>
  `${count} Tasks ${count === 1 ? 'Worker' : 'Workers'}${queue === null ? '' : ` of ${queue}`}`

export function Island({ props, context }: IslandProps<WorkersProps>) {
  const { queue, workers, with_gone: withGone } = props
  const address = queue === null ? workersAddress : ofQueue(queue, 'workers')
  return (
    <div className="stack stack-large scheduler">
      <div className="page-head">
        <div>
          <h1>{titleOf(workers.length, queue)}</h1>
          <p>A worker is one running copy of the program. It starts when there is work and stops when there is none.</p>
        </div>
        <LinkButton href={withGone ? address : `${address}?gone=1`}>
          {withGone ? 'Hide stopped workers' : 'Show stopped workers'}
        </LinkButton>
      </div>
      <Unreachable queues={props.unreachable} what="workers" />
      <section className="card" aria-label="Workers">
        {workers.length === 0 ? (
          <EmptyState title="No workers">
            <p>Nothing is running. A worker starts when the next job is due.</p>
          </EmptyState>
        ) : (
          <WorkerTable workers={workers} timeZone={context.time_zone} />
        )}
      </section>
    </div>
  )
}

function WorkerTable({ workers, timeZone }: { workers: readonly WorkerRow[]; timeZone: string }) {
  return (
    <div className="wide">
      <table className="table table-dense">
        <TableHead
          names={[
            'Name',
            'Queues',
            'State',
            'Birth',
            'Last heartbeat',
            'Location',
            'Current job',
            'Working time',
            'Successful',
            'Failed',
          ]}
        />
        <tbody>
          {workers.map((worker) => (
            <tr key={`${worker.name} ${worker.queues.join(' ')}`}>
              <td data-label="Name">
                <a href={workerAddress(worker.name)}>{worker.name}</a>
              </td>
              <td data-label="Queues">{worker.queues.join(', ')}</td>
              <td data-label="State">
                <Badge tone={workerTone(worker.state)}>{worker.state}</Badge>
              </td>
              <MomentCell label="Birth" at={worker.born_at} timeZone={timeZone} />
              <MomentCell label="Last heartbeat" at={worker.seen_at} timeZone={timeZone} />
              <td data-label="Location">{worker.location ?? '–'}</td>
              <td data-label="Current job">
                <CurrentJobs jobs={worker.current_jobs} />
              </td>
              <td data-label="Working time">{measureText(worker.busy_ms)}</td>
              <td data-label="Successful">{countText(worker.successful)}</td>
              <td data-label="Failed">{countText(worker.failed)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
