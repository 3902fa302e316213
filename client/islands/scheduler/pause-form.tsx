import type { QueueRow } from '../../../src/scheduler/contract.ts'
import type { PageContext } from '../../../src/web/contract.ts'
import { Button, LinkButton } from '../../components/button.tsx'
import { CsrfToken } from '../../components/navbar.tsx'
import { ofQueue } from './addresses.ts'

/** Resumes a queue that is paused. To pause one asks first, on a page of its own. */
export function PauseForm({ queue, context }: { queue: QueueRow; context: PageContext }) {
  if (!queue.paused) {
    return (
      <div className="row row-end">
        <LinkButton href={ofQueue(queue.name, 'pause')} aria-label={`Pause ${queue.name}`}>
          Pause
        </LinkButton>
      </div>
    )
  }
  return (
    <form method="post" action={ofQueue(queue.name, 'resume')}>
      <CsrfToken context={context} />
      <Button type="submit" aria-label={`Resume ${queue.name}`}>
        Resume
      </Button>
    </form>
  )
}
