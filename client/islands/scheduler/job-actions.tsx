import type { JobPage } from '../../../src/scheduler/contract.ts'
import type { PageContext } from '../../../src/web/contract.ts'
import { Button, LinkButton } from '../../components/button.tsx'
import { CsrfToken } from '../../components/navbar.tsx'
import { jobActionAddress } from './addresses.ts'

const actionLabels: Record<JobPage['actions'][number], string> = {
  enqueue: 'Enqueue',
  requeue: 'Requeue',
  cancel: 'Cancel',
  stop: 'Stop',
  delete: 'Delete',
}

interface JobActionsProps {
  name: string
  actions: JobPage['actions']
  context: PageContext
}

/** The actions that the job's state allows. Deleting asks for confirmation; the others run immediately. */
export function JobActions({ name, actions, context }: JobActionsProps) {
  return (
    <div className="row job-actions">
      {actions.map((action) =>
        action === 'delete' ? (
          <LinkButton key={action} kind="danger" href={jobActionAddress(name, action)}>
            {actionLabels[action]}
          </LinkButton>
        ) : (
          <form key={action} method="post" action={jobActionAddress(name, action)}>
            <CsrfToken context={context} />
            <Button
              type="submit"
              kind={action === 'requeue' ? 'primary' : 'plain'}
              {...(action === 'requeue' && { 'data-key': 't', 'aria-keyshortcuts': 't' })}
            >
              {actionLabels[action]}
            </Button>
          </form>
        ),
      )}
    </div>
  )
}
