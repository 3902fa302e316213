import type { QueueRow } from '../../../src/scheduler/contract.ts'
import type { PageContext } from '../../../src/web/contract.ts'
import { Button, LinkButton } from '../../components/button.tsx'
import { CsrfToken } from '../../components/navbar.tsx'
import { ofQueue } from './addresses.ts'

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
    <form method="post" action={ofQueue(queue.name, 'resume')}>
      <CsrfToken context={context} />
      <Button type="submit" aria-label={`Resume ${queue.name}`}>
        Resume
      </Button>
    </form>
  )
}
