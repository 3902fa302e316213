import type { WorkerRow } from '../../../src/scheduler/contract.ts'
import { Badge } from '../../components/badge.tsx'
import { TableHead } from '../../components/table-head.tsx'
import { measureText } from '../../components/time-text.ts'
import { workerAddress } from './addresses.ts'
import { CurrentJobs } from './current-jobs.tsx'
import { MomentCell } from './moment.tsx'
import { countText } from '../../components/count-text.ts'
import { workerTone } from './texts.ts'

/** The workers, each with what it has done. */
export function WorkerTable({ workers, timeZone }: { workers: readonly WorkerRow[]; timeZone: string }) {
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
