import type { QueueRow } from '../../../src/scheduler/contract.ts'
import type { PageContext } from '../../../src/web/contract.ts'
import { Button } from '../../components/button.tsx'
import { CsrfToken } from '../../components/navbar.tsx'
import { ofQueue } from './addresses.ts'

/** Pauses a queue that runs, resumes one that is paused. */
export function PauseForm({ queue, context }: { queue: QueueRow; context: PageContext }) {
  const act = queue.paused ? 'resume' : 'pause'
  return (
    <form method="post" action={ofQueue(queue.name, act)}>
      <CsrfToken context={context} />
      <Button type="submit" aria-label={`${queue.paused ? 'Resume' : 'Pause'} ${queue.name}`}>
        {queue.paused ? 'Resume' : 'Pause'}
      </Button>
    </form>
  )
}
