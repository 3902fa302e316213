import type { JobListProps, RegistryName } from '../../../src/scheduler/contract.ts'
import { LinkButton } from '../../components/button.tsx'
import { bulkAddress, searchText } from './addresses.ts'
import { isNarrowed } from './texts.ts'

interface WholeAct {
  action: string
  all: string
  matching: string
  kind: 'plain' | 'danger'
}

const requeue: WholeAct = { action: 'requeue', all: 'Requeue All', matching: 'Requeue all that match', kind: 'plain' }
const cancel: WholeAct = { action: 'cancel', all: 'Cancel All', matching: 'Cancel all that match', kind: 'plain' }
const stop: WholeAct = { action: 'stop', all: 'Stop All', matching: 'Stop all that match', kind: 'plain' }
const empty: WholeAct = { action: 'empty', all: 'Empty Queue', matching: 'Delete all that match', kind: 'danger' }

const wholeActs: Record<RegistryName, readonly WholeAct[]> = {
  scheduled: [cancel, empty],
  queued: [cancel, empty],
  active: [stop],
  finished: [empty],
  failed: [requeue, empty],
  canceled: [empty],
}

/** Actions on the whole list, or on everything its search matches. Each asks for confirmation first. */
export function BulkLinks({ props }: { props: JobListProps }) {
  const { queue, registry, search } = props
  if (props.jobs.length === 0 && props.next_cursor === null) return null
  return (
    <>
      {wholeActs[registry].map(({ action, all, matching, kind }) => (
        <LinkButton key={action} kind={kind} href={bulkAddress(queue.name, registry, action, searchText(search))}>
          {isNarrowed(search) ? matching : all}
        </LinkButton>
      ))}
    </>
  )
}
