import type { DeliveryState } from '../../lib/contract.ts'
import type { ClassAlert } from './contract.ts'

/** What the state of an alert is derived from. Times are ms since epoch. */
interface AlertFacts {
  canceled_at: number | null
  release_at: number | null
  /** Null until it was released to its contacts. */
  poll_id: string | null
  deliveries: readonly DeliveryState[]
}

/** One state for an alert and all its messages: a message that arrived outweighs those that did not. */
export function alertState({ canceled_at, release_at, poll_id, deliveries }: AlertFacts): ClassAlert['state'] {
  const some = (...states: DeliveryState[]) => deliveries.some((state) => states.includes(state))
  if (some('sent', 'delivered', 'opened')) return 'sent'
  if (canceled_at !== null) return 'canceled'
  if (poll_id === null) return release_at === null ? 'pending' : 'held'
  if (deliveries.length === 0) return 'no_contact'
  if (some('waiting', 'held', 'queued', 'sending', 'unconfirmed')) return 'pending'
  if (some('failed')) return 'failed'
  if (some('expired')) return 'expired'
  return some('gone') ? 'gone' : 'canceled'
}
