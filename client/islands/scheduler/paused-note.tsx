import type { QueueRow } from '../../../src/scheduler/contract.ts'
import type { PageContext } from '../../../src/web/contract.ts'
import { Moment } from './moment.tsx'
import { ResumeForm } from './pause-form.tsx'

interface PausedNoteProps {
  queue: QueueRow
  context: PageContext
}

/** That a queue is paused, and the way out; nothing for one that runs. */
export function PausedNote({ queue, context }: PausedNoteProps) {
  if (!queue.paused) return null
  return (
    <div className="message message-danger">
      <p className="message-text">
        <strong>{queue.stops}:</strong> the {queue.name} queue was paused{' '}
        <Moment at={queue.paused_at} timeZone={context.time_zone} />
        {queue.paused_by && ` by ${queue.paused_by}`}. Jobs are kept, but none start.
      </p>
      <ResumeForm queue={queue} context={context} />
    </div>
  )
}
