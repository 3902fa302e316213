import { inArray, sql } from 'drizzle-orm'
import { classAlert, delivery, deliveryAlert } from '../../db/schema/index.ts'
import { type DeliveryState, unfinishedStates } from '../../lib/contract.ts'
import type { ClassAlert } from './contract.ts'

const arrived: readonly DeliveryState[] = ['sent', 'delivered', 'opened']

/** What the state of an alert is derived from. Times are ms since epoch. */
interface StateFacts {
  canceled_at: number | null
  release_at: number | null
  /** Null until it was released to its contacts. */
  poll_id: string | null
  deliveries: readonly DeliveryState[]
}

/** One state for an alert and all its messages: a message that arrived outweighs those that did not. */
export function alertState({ canceled_at, release_at, poll_id, deliveries }: StateFacts): ClassAlert['state'] {
  const some = (states: readonly DeliveryState[]) => deliveries.some((state) => states.includes(state))
  if (some(arrived)) return 'sent'
  if (canceled_at !== null) return 'canceled'
  if (poll_id === null) return release_at === null ? 'pending' : 'held'
  if (deliveries.length === 0) return 'no_contact'
  if (some(unfinishedStates)) return 'pending'
  if (some(['failed'])) return 'failed'
  if (some(['expired'])) return 'expired'
  return some(['gone']) ? 'gone' : 'canceled'
}

const some = (states: readonly DeliveryState[]) =>
  sql`EXISTS (SELECT 1 FROM ${deliveryAlert} JOIN ${delivery} ON ${delivery.id} = ${deliveryAlert.deliveryId}
    WHERE ${deliveryAlert.alertId} = ${classAlert.id} AND ${inArray(delivery.state, [...states]).inlineParams()})`

/** The same rules in SQL, to filter by. */
export const alertStateColumn = sql`CASE WHEN ${some(arrived)} THEN 'sent'
  WHEN ${classAlert.canceledAt} IS NOT NULL THEN 'canceled'
  WHEN ${classAlert.pollId} IS NULL THEN iif(${classAlert.releaseAt} IS NULL, 'pending', 'held')
  WHEN NOT EXISTS (SELECT 1 FROM ${deliveryAlert} WHERE ${deliveryAlert.alertId} = ${classAlert.id}) THEN 'no_contact'
  WHEN ${some(unfinishedStates)} THEN 'pending' WHEN ${some(['failed'])} THEN 'failed' WHEN ${some(['expired'])} THEN 'expired'
  WHEN ${some(['gone'])} THEN 'gone' ELSE 'canceled' END`
