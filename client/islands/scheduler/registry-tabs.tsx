import type { QueueRow, RegistryName } from '../../../src/scheduler/contract.ts'
import { listAddress } from './addresses.ts'
import { countText, registryOrder, registryTitles } from './texts.ts'

/** The queue's lists, each with how many jobs are in it. */
export function RegistryTabs({ queue, current }: { queue: QueueRow; current: RegistryName }) {
  return (
    <nav className="tabs" aria-label={`Lists of ${queue.name}`}>
      {registryOrder.map((registry) => (
        <a
          key={registry}
          href={listAddress(queue.name, registry)}
          aria-current={registry === current ? 'page' : undefined}
        >
          {registryTitles[registry]} <span className="numbers">{countText(queue.counts[registry])}</span>
        </a>
      ))}
    </nav>
  )
}
