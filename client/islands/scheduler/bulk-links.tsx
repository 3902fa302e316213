import type { JobListProps } from '../../../src/scheduler/contract.ts'
import { LinkButton } from '../../components/button.tsx'
import { bulkAddress, searchText } from './addresses.ts'
import { isNarrowed } from './texts.ts'

/** Acts on all of the list, or on everything its search matches. Each asks first. */
export function BulkLinks({ props }: { props: JobListProps }) {
  const { queue, registry, search } = props
  const narrowed = isNarrowed(search)
  if (props.jobs.length === 0 && props.next_cursor === null) return null
  const at = (action: string) => bulkAddress(queue.name, registry, action, searchText(search))
  return (
    <div className="row">
      {registry === 'failed' ? (
        <LinkButton kind="primary" href={at('requeue')}>
          {narrowed ? 'Requeue everything that matches' : 'Requeue All'}
        </LinkButton>
      ) : null}
      {registry === 'active' ? null : (
        <LinkButton kind="danger" href={at('empty')}>
          {narrowed ? 'Delete everything that matches' : 'Empty Queue'}
        </LinkButton>
      )}
    </div>
  )
}
