import * as z from 'zod'
import type { ChannelKind } from '../../notify/channel.ts'
import { DEFAULT_TIMEOUT_MS } from '../../notify/channel.ts'
import { isUsableContact } from '../watches/usable-contact.ts'
import { alertRows, type AlertRow } from './alert-lines.ts'
import { leaseMs } from './next-step.ts'

/**
 * A delivery that is ours until `claim` (ms). `due_at` rises with every claim, so it also tells claims apart: each later
 * write depends on it, and a runner whose claim is over changes no row.
 */
export interface ClaimedDelivery {
  id: number
  claim: number
  channel: ChannelKind
  address: string
  contact_id: number | null
  attempts: number
  tried_at: number | null
  first_tried_at: number | null
  /** The stored message ({@link StoredMessage} as JSON) while a copy may be with the provider, else null. */
  body: string | null
  is_repeated: boolean
  last_error: string | null
  /** Why it is not wanted any more, or null. */
  refusal: string | null
  alerts: AlertRow[]
  /** How long the provider may take for one answer. */
  timeout_ms: number
}

/** How a delivery stands. `due_at` counts while it is neither sent nor given up. */
export interface Standing {
  state: string
  due_at: number
  last_error: string | null
}

type Claim = { kind: 'claimed'; delivery: ClaimedDelivery } | { kind: 'not_ours'; standing: Standing | null }

/** States that still want a run of the job, as the index `delivery_unsent` has them. */
export const unsettled = `('queued', 'sending', 'unconfirmed')`

interface DeliveryRow {
  id: number
  state: string
  due_at: number
  channel: ChannelKind
  address: string
  contact_id: number | null
  attempts: number
  tried_at: number | null
  first_tried_at: number | null
  body: string | null
  is_repeated: number
  last_error: string | null
  is_enabled: number | null
  opted_out_at: number | null
  is_usable: number | null
  timeout_setting: string | null
}

/**
 * Takes a delivery that is due, and reads all that its message needs, in one round trip. Of two runners at once one gets
 * it. A claim that was lost (its runner died) comes due like any other delivery.
 */
export async function claimDelivery(db: D1Database, id: number, now: number): Promise<Claim> {
  const [claims, deliveries, alerts] = await db.batch<unknown>([
    db
      .prepare(
        // One that was never tried goes to the contact's present address.
        `UPDATE delivery
         SET state = iif(body IS NULL, 'sending', 'unconfirmed'), due_at = ?,
           address = iif(body IS NULL,
             coalesce((SELECT n.address FROM contact n WHERE n.id = delivery.contact_id AND n.kind = delivery.channel), address),
             address)
         WHERE id = ? AND state IN ${unsettled} AND due_at <= ?
         RETURNING id`,
      )
      .bind(now + leaseMs, id, now),
    db
      .prepare(
        `SELECT d.id, d.state, d.due_at, d.channel, d.address, d.contact_id, d.attempts, d.tried_at, d.first_tried_at,
           d.body, d.is_repeated, d.last_error, n.is_enabled, n.opted_out_at, (${isUsableContact}) AS is_usable,
           (SELECT value FROM setting WHERE name = 'provider_timeout_ms') AS timeout_setting
         FROM delivery d JOIN recipient r ON r.id = d.recipient_id
         LEFT JOIN contact n ON n.id = d.contact_id AND n.kind = d.channel
         WHERE d.id = ?`,
      )
      .bind(id),
    alertRows(db, id),
  ])
  const row = (deliveries?.results as DeliveryRow[] | undefined)?.[0]
  if (!row) return { kind: 'not_ours', standing: null }
  if (claims?.results.length !== 1) return { kind: 'not_ours', standing: row }
  const alertsNow = (alerts?.results ?? []) as AlertRow[]
  return {
    kind: 'claimed',
    delivery: {
      id: row.id,
      claim: row.due_at,
      channel: row.channel,
      address: row.address,
      contact_id: row.contact_id,
      attempts: row.attempts,
      tried_at: row.tried_at,
      first_tried_at: row.first_tried_at,
      body: row.body,
      is_repeated: row.is_repeated === 1,
      last_error: row.last_error,
      refusal: refusalOf(row, alertsNow),
      alerts: alertsNow,
      timeout_ms: timeoutOf(row.timeout_setting),
    },
  }
}

function refusalOf(row: DeliveryRow, alerts: readonly AlertRow[]): string | null {
  if (row.is_enabled === null) return 'The contact was removed.'
  if (row.opted_out_at !== null) return 'Opted out.'
  if (row.is_enabled === 0) return 'The contact is turned off.'
  if (row.is_usable !== 1) return 'Contact by phone is turned off.'
  return alerts.length === 0 ? 'The section is no longer watched.' : null
}

const timeoutSetting = z.coerce.number().int().min(100).max(DEFAULT_TIMEOUT_MS).catch(DEFAULT_TIMEOUT_MS)

/** A longer time-out than the default would outlast the claim. */
function timeoutOf(setting: string | null): number {
  return setting === null ? DEFAULT_TIMEOUT_MS : timeoutSetting.parse(setting)
}
