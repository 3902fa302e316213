import type { JobListProps } from '../../../src/scheduler/contract.ts'
import type { PageContext } from '../../../src/web/contract.ts'
import { Button } from '../../components/button.tsx'
import { EmptyState } from '../../components/empty-state.tsx'
import { CsrfToken } from '../../components/navbar.tsx'
import { ofQueue } from './addresses.ts'
import { JobTable } from './job-table.tsx'
import { isNarrowed, selectionActs } from './texts.ts'

/** The jobs of the page, and what can be done to the chosen ones. */
export function JobSelection({ props, context }: { props: JobListProps; context: PageContext }) {
  const { queue, registry, jobs } = props
  if (jobs.length === 0) {
    return (
      <div className="card" role="status">
        {isNarrowed(props.search) ? (
          <EmptyState title={props.next_cursor === null ? 'No jobs match the search' : 'None found so far'} />
        ) : (
          <EmptyState title={`No ${registry} jobs in ${queue.name}`} />
        )}
      </div>
    )
  }
  return (
    <form className="card" method="post" action={ofQueue(queue.name, 'confirm-action')}>
      <CsrfToken context={context} />
      <div className="row selection">
        {selectionActs[registry].map(({ action, label }) => (
          <Button
            key={action}
            type="submit"
            name="action"
            value={action}
            kind={action === 'delete' ? 'danger' : 'plain'}
          >
            {label}
          </Button>
        ))}
      </div>
      <JobTable jobs={jobs} timeZone={context.time_zone} />
    </form>
  )
}
