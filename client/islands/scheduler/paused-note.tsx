import type { QueueRow } from '../../../src/scheduler/contract.ts'
import { Moment } from './moment.tsx'

/** Nothing for a queue that runs. */
export function PausedNote({ queue, timeZone }: { queue: QueueRow; timeZone: string }) {
  if (!queue.paused) return null
  return (
    <p className="message message-danger message-text">
      <span>
        <strong>{queue.stops}:</strong> {queue.name} has been paused since{' '}
        <Moment at={queue.paused_at} timeZone={timeZone} />
        {queue.paused_by && ` by ${queue.paused_by}`}. Jobs are kept, but none start.
      </span>
    </p>
  )
}
