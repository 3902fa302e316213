import * as z from 'zod/mini'
import type { ChannelKind } from '../../notify/channel.ts'
import { DEFAULT_TIMEOUT_MS } from '../../notify/channel.ts'
import { isUsableContact } from '../watches/usable-contact.ts'
import { alertLife, expiresAt } from './alert-life.ts'
import { alertRows, type AlertRow, isStillOpen } from './alert-lines.ts'
import { leaseMs, type Refusal } from './next-step.ts'

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
  /**
   * The stored message ({@link StoredMessage} as JSON) while a copy may be with the provider, else null; '' when the copy
   * went out in a request with others.
   */
  body: string | null
  batch_key: string | null
  is_repeated: boolean
  last_error: string | null
  /** Why it is not wanted any more, or null. */
  refusal: Refusal | null
  /** Those whose seat may still be there. */
  alerts: AlertRow[]
  /** When it is too old to send, ms. */
  expires_at: number
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

/** States that still want a run of the job, as the index `delivery_look` has them. */
export const unsettled = `('queued', 'sending', 'unconfirmed')`

/** A row of {@link claimedColumns}. */
export interface ClaimedRow {
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
  batch_key: string | null
  is_repeated: number
  last_error: string | null
  is_enabled: number | null
  opted_out_at: number | null
  is_usable: number | null
  asked_at: number
  timeout_setting: string | null
  life_setting: string | null
}

/** All that is read of a delivery for its message, but its alerts; ends in a condition on delivery `d`. */
export const claimedColumns = `SELECT d.id, d.state, d.due_at, d.channel, d.address, d.contact_id, d.attempts, d.tried_at,
    d.first_tried_at, d.body, d.batch_key, d.is_repeated, d.last_error, n.is_enabled, n.opted_out_at,
    (${isUsableContact}) AS is_usable, coalesce(d.asked_at, d.created_at) AS asked_at,
    (SELECT value FROM setting WHERE name = 'provider_timeout_ms') AS timeout_setting,
    (SELECT value FROM setting WHERE name = '${alertLife.setting}') AS life_setting
  FROM delivery d JOIN recipient r ON r.id = d.recipient_id
  LEFT JOIN contact n ON n.id = d.contact_id AND n.kind = d.channel`

/** The address of a delivery that was never tried: the contact's present one. */
export const presentAddress = `coalesce(
  (SELECT n.address FROM contact n WHERE n.id = delivery.contact_id AND n.kind = delivery.channel), address)`

/**
 * Takes a delivery that is due and not in a request with others, and reads all that its message needs, in one round trip. Of two runners at once one gets
 * it. A claim that was lost (its runner died) comes due like any other delivery.
 */
export async function claimDelivery(db: D1Database, id: number, now: number): Promise<Claim> {
  const [claims, deliveries, alerts] = await db.batch<unknown>([
    db
      .prepare(
        // One that was never tried goes to the contact's present address.
        `UPDATE delivery
         SET state = iif(body IS NULL, 'sending', 'unconfirmed'), due_at = ?, address = iif(body IS NULL, ${presentAddress}, address)
         WHERE id = ? AND state IN ${unsettled} AND due_at <= ? AND (batch_key IS NULL OR body IS NULL)
         RETURNING id`,
      )
      .bind(now + leaseMs, id, now),
    db.prepare(`${claimedColumns} WHERE d.id = ?`).bind(id),
    alertRows(db, 'l.delivery_id = ?', id),
  ])
  const row = (deliveries?.results as ClaimedRow[] | undefined)?.[0]
  if (!row) return { kind: 'not_ours', standing: null }
  if (claims?.results.length !== 1) return { kind: 'not_ours', standing: row }
  return { kind: 'claimed', delivery: claimedDelivery(row, (alerts?.results ?? []) as AlertRow[], now) }
}

/** A delivery as it was claimed just now, with all its alerts. */
export function claimedDelivery(row: ClaimedRow, alerts: readonly AlertRow[], now: number): ClaimedDelivery {
  const expires_at = expiresAt(row.asked_at, row.life_setting)
  return {
    id: row.id,
    claim: row.due_at,
    channel: row.channel,
    address: row.address,
    contact_id: row.contact_id,
    attempts: row.attempts,
    tried_at: row.tried_at,
    first_tried_at: row.first_tried_at,
    body: row.body,
    batch_key: row.batch_key,
    is_repeated: row.is_repeated === 1,
    last_error: row.last_error,
    refusal: refusalOf(row, alerts, expires_at <= now),
    alerts: alerts.filter(isStillOpen),
    expires_at,
    timeout_ms: timeoutOf(row.timeout_setting),
  }
}

function refusalOf(row: ClaimedRow, alerts: readonly AlertRow[], isTooOld: boolean): Refusal | null {
  const canceled = (reason: string): Refusal => ({ state: 'canceled', reason })
  if (row.is_enabled === null) return canceled('The contact was removed.')
  if (row.opted_out_at !== null) return canceled('Opted out.')
  if (row.is_enabled === 0) return canceled('The contact is turned off.')
  if (row.is_usable !== 1) return canceled('Contact by phone is turned off.')
  if (alerts.length === 0) return canceled('The section is no longer watched.')
  if (!alerts.some(isStillOpen)) return { state: 'gone', reason: 'Seat gone before it was sent.' }
  return isTooOld ? { state: 'expired', reason: 'Too old to send.' } : null
}

const timeoutSetting = z.catch(
  z.coerce.number().check(z.int(), z.minimum(100), z.maximum(DEFAULT_TIMEOUT_MS)),
  DEFAULT_TIMEOUT_MS,
)

/** A longer time-out than the default would outlast the claim. */
function timeoutOf(setting: string | null): number {
  return setting === null ? DEFAULT_TIMEOUT_MS : timeoutSetting.parse(setting)
}
