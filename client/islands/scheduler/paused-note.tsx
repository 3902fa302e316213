import type { QueueRow } from '../../../src/scheduler/contract.ts'
import type { PageContext } from '../../../src/web/contract.ts'
import { MessageBox } from '../../components/message-box.tsx'
import { Moment } from './moment.tsx'
import { ResumeForm } from './pause-form.tsx'
import { jobsText } from './texts.ts'

/** Says that a queue is paused, with a button to resume it; nothing for a running queue. */
export function PausedNote({ queue, context }: { queue: QueueRow; context: PageContext }) {
  if (!queue.paused) return null
  return (
    <MessageBox tone="warning" icon="warning" action={<ResumeForm queue={queue} context={context} />}>
      <strong>
        The {queue.name} queue was paused <Moment at={queue.paused_at} timeZone={context.time_zone} />
        {queue.paused_by && ` by ${queue.paused_by}`}.
      </strong>{' '}
      {queue.stops}
      {queue.counts.queued === 0
        ? '. Jobs are kept, but none start.'
        : `, and ${jobsText(queue.counts.queued)} ${queue.counts.queued === 1 ? 'is' : 'are'} waiting.`}
    </MessageBox>
  )
}
