import { and, eq, sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/sqlite-core'
import { kept, names, query, type Query, readFirst, statement, write, writeThenRead } from '../../db/query.ts'
import { classAlert, contact, delivery, deliveryAlert, watch } from '../../db/schema/index.ts'
import { addressKey } from '../../notify/address-key.ts'
import { type ClaimedDelivery, type DeliveryStatus, isOurs } from './claim-delivery.ts'
import type { Settlement } from './next-step.ts'
import { recordOptOut } from './opt-out.ts'

const a = alias(classAlert, 'a')
const d = alias(delivery, 'd')
const w = alias(watch, 'w')
const [ofDelivery, ofAlert, other] = [
  alias(deliveryAlert, 'of_delivery'),
  alias(deliveryAlert, 'of_alert'),
  alias(delivery, 'other'),
]

const settle = kept(() =>
  query
    .update(delivery)
    .set({
      state: sql`${sql.placeholder('state')}`,
      dueAt: sql`${sql.placeholder('due_at')}`,
      lastError: sql`${sql.placeholder('error')}`,
      isRepeated: sql`${sql.placeholder('is_repeated')}`,
      providerId: sql`coalesce(${sql.placeholder('provider_id')}, ${delivery.providerId})`,
      acceptedAt: sql`coalesce(${sql.placeholder('accepted_at')}, ${delivery.acceptedAt})`,
      body: sql`iif(${sql.placeholder('may_have_arrived')}, ${delivery.body}, NULL)`,
      firstTriedAt: sql`iif(${sql.placeholder('may_have_arrived')}, ${delivery.firstTriedAt}, NULL)`,
      batchKey: null,
      attempts: sql`${delivery.attempts} - ${sql.placeholder('is_uncounted')}`,
    })
    .where(isOurs),
)

const findStatus = kept(() =>
  query
    .select({ state: delivery.state, due_at: delivery.dueAt, last_error: delivery.lastError })
    .from(delivery)
    .where(eq(delivery.id, sql.placeholder('id'))),
)

/**
 * Writes what came of a run, if the claim still holds.
 * @returns the delivery's state now, whichever job wrote it; null when it is gone
 */
export async function settleDelivery(
  db: D1Database,
  { id, claim, channel, address }: ClaimedDelivery,
  settlement: Settlement,
  now: number,
): Promise<DeliveryStatus | null> {
  const { state, due_at, error, provider_id, accepted_at } = settlement
  const flags = {
    is_repeated: Number(settlement.is_repeated),
    may_have_arrived: Number(settlement.may_have_arrived),
    is_uncounted: Number(settlement.is_uncounted),
  }
  const writes = [
    settle({ id, claim, state, due_at, error, provider_id, accepted_at, ...flags }),
    // The opt-out is for the refused number, even if the contact has another by now. Only phone numbers are refused this
    // way, and a phone number is its own key.
    ...(settlement.is_opt_out ? recordOptOut({ kind: channel, address_key: address }, now) : []),
    ...(settlement.is_address_gone && channel === 'push' ? [forgetDevice(address)] : []),
    ...(state === 'gone' ? [clearLastAlert([id])] : []),
  ]
  // A report of the provider may have come first: how it stands is read in the same round trip.
  const [[status]] = await writeThenRead(db, writes, findStatus({ id }))
  return status ?? null
}

/** A device that takes no notifications any more is no contact. Nobody has to be told: its owner did it. */
function forgetDevice(address: string): Query {
  return query.delete(contact).where(and(eq(contact.kind, 'push'), eq(contact.addressKey, addressKey('push', address))))
}

/**
 * Nothing of an alert was sent, as its seat was gone: the next opening is not held back for it. Another message that did go
 * out, or may have, keeps it remembered.
 * @param ids deliveries that are settled as gone in the same batch
 */
export function clearLastAlert(ids: readonly number[]): Query {
  return statement(sql`UPDATE ${watch} SET ${names(watch.lastAlertAt)} = NULL
    WHERE ${watch.id} IN (
      SELECT ${w.id} FROM json_each(${JSON.stringify(ids)}) j
      CROSS JOIN ${delivery} ${d} ON ${d.id} = j.value AND ${d.state} = 'gone'
      CROSS JOIN ${deliveryAlert} ${ofDelivery} ON ${ofDelivery.deliveryId} = ${d.id}
      CROSS JOIN ${classAlert} ${a} ON ${a.id} = ${ofDelivery.alertId}
      CROSS JOIN ${watch} ${w} ON ${w.recipientId} = ${a.recipientId} AND ${w.sectionId} = ${a.sectionId}
        AND ${w.lastAlertAt} = ${d.createdAt}
      WHERE NOT EXISTS (
        SELECT 1 FROM ${deliveryAlert} ${ofAlert} JOIN ${delivery} ${other} ON ${other.id} = ${ofAlert.deliveryId}
        WHERE ${ofAlert.alertId} = ${a.id}
          AND (${other.state} NOT IN ('gone', 'expired', 'canceled', 'failed') OR ${other.body} IS NOT NULL)))`)
}

const release = kept(() =>
  query
    .update(delivery)
    .set({
      state: sql`iif(${delivery.body} IS NULL, 'queued', 'unconfirmed')`,
      dueAt: sql`${sql.placeholder('due_at')}`,
    })
    .where(isOurs),
)

/** Leaves a claimed delivery untried until `dueAt`, ms: its turn is not yet, or what was read of it has changed. */
export async function releaseClaim(db: D1Database, { id, claim }: ClaimedDelivery, dueAt: number): Promise<void> {
  await write(db, release({ id, claim, due_at: dueAt }))
}

export async function readStatus(db: D1Database, id: number): Promise<DeliveryStatus | null> {
  return readFirst(db, findStatus({ id }))
}
