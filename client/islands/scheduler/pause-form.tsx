import type { QueueRow } from '../../../src/scheduler/contract.ts'
import type { PageContext } from '../../../src/web/contract.ts'
import { Button, LinkButton } from '../../components/button.tsx'
import { PostForm } from '../../components/post-form.tsx'
import { counted } from '../../components/count-text.ts'
import { ofQueue } from './addresses.ts'
import { MessageBox } from '../../components/message-box.tsx'
import { Moment } from './moment.tsx'

/** Pausing a queue asks for confirmation on a separate page; nothing for a paused queue, which has `ResumeForm`. */
export function PauseLink({ queue }: { queue: QueueRow }) {
  if (queue.paused) return null
  return (
    <div className="row row-end">
      <LinkButton kind="quiet" href={ofQueue(queue.name, 'pause')} aria-label={`Pause ${queue.name}`}>
        Pause
      </LinkButton>
    </div>
  )
}

export function ResumeForm({ queue, context }: { queue: QueueRow; context: PageContext }) {
  return (
    <PostForm context={context} action={ofQueue(queue.name, 'resume')}>
      <Button type="submit" aria-label={`Resume ${queue.name}`}>
        Resume
      </Button>
    </PostForm>
  )
}

/** Says that a queue is paused, with a button to resume it; nothing for a running queue. */
export function PausedNote({ queue, context }: { queue: QueueRow; context: PageContext }) {
  if (!queue.paused) return null
  return (
    <MessageBox tone="warning" action={<ResumeForm queue={queue} context={context} />}>
      <strong>
        The {queue.name} queue was paused <Moment at={queue.paused_at} timeZone={context.time_zone} />
        {queue.paused_by && ` by ${queue.paused_by}`}.
      </strong>{' '}
      {queue.stops}
      {queue.counts.queued === 0
        ? '. Jobs are kept, but none start.'
        : `, and ${counted(queue.counts.queued, 'job is', 'jobs are')} waiting.`}
    </MessageBox>
  )
}
