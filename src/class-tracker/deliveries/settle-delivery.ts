import { type ClaimedDelivery, type Standing, unsettled } from './claim-delivery.ts'
import { longestTryMs, type Settlement } from './next-step.ts'
import { optOutStatements } from './opt-out.ts'

/** A claim that still holds: nobody took the delivery over, canceled it, or heard from the provider meanwhile. */
const isOurs = `id = ? AND due_at = ? AND state IN ${unsettled}`

/** Nobody turned the contact off or removed it since it was claimed. */
export const isContactStillUsable = `EXISTS (
  SELECT 1 FROM contact n WHERE n.id = delivery.contact_id AND n.is_enabled AND n.opted_out_at IS NULL)`

/**
 * Writes the message down, and that it is about to be sent: whoever finds the row from here on knows that it may have been
 * taken, and what to look for.
 * @returns the time of the message's first try; null when the claim was lost or is nearly over, or the contact went out of
 *   use meanwhile: then nothing may be sent
 */
export async function beginTry(
  db: D1Database,
  delivery: ClaimedDelivery,
  body: string,
  isRepeated: boolean,
  now: number,
): Promise<number | null> {
  return db
    .prepare(
      `UPDATE delivery
       SET state = 'sending', body = ?, is_repeated = ?, attempts = attempts + 1, tried_at = ?,
         first_tried_at = coalesce(first_tried_at, ?)
       WHERE ${isOurs} AND due_at >= ? AND ${isContactStillUsable} RETURNING first_tried_at`,
    )
    .bind(body, Number(isRepeated), now, now, delivery.id, delivery.claim, now + longestTryMs)
    .first<number>('first_tried_at')
}

/**
 * Writes what came of a run, if the claim still holds.
 * @returns how the delivery stands now, whoever wrote it; null when it is gone
 */
export async function settleDelivery(
  db: D1Database,
  delivery: ClaimedDelivery,
  settlement: Settlement,
  now: number,
): Promise<Standing | null> {
  const isKept = Number(settlement.is_in_doubt)
  const update = db
    .prepare(
      `UPDATE delivery
       SET state = ?, due_at = ?, last_error = ?, is_repeated = ?, provider_id = coalesce(?, provider_id),
         accepted_at = coalesce(?, accepted_at), body = iif(?, body, NULL), first_tried_at = iif(?, first_tried_at, NULL),
         batch_key = NULL, attempts = attempts - ?
       WHERE ${isOurs}`,
    )
    .bind(
      settlement.state,
      settlement.due_at,
      settlement.error,
      Number(settlement.is_repeated),
      settlement.provider_id,
      settlement.accepted_at,
      isKept,
      isKept,
      Number(settlement.is_uncounted),
      delivery.id,
      delivery.claim,
    )
  const more = [
    // The opt-out is for the refused number, even if the contact has another by now. Only phone numbers are refused this
    // way, and a phone number is its own key.
    ...(settlement.is_opt_out
      ? optOutStatements(db, { kind: delivery.channel, address_key: delivery.address }, now)
      : []),
    ...(settlement.state === 'gone' ? [forgetAlert(db, JSON.stringify([delivery.id]))] : []),
  ]
  // A report of the provider may have come first: how it stands is read in the same round trip.
  const results = await db.batch<Standing>([update, ...more, standing(db, delivery.id)])
  return results.at(-1)?.results[0] ?? null
}

/**
 * Nothing of an alert was sent, as its seat was gone: the next opening is not held back for it. Another message that did go
 * out, or may have, keeps it remembered.
 * @param list ids of deliveries that are settled as gone in the same batch, as a JSON array
 */
export function forgetAlert(db: D1Database, list: string): D1PreparedStatement {
  return db
    .prepare(
      `UPDATE watch SET last_alert_at = NULL
       WHERE id IN (
         SELECT w.id FROM json_each(?) j CROSS JOIN delivery d ON d.id = j.value AND d.state = 'gone'
         CROSS JOIN delivery_alert l ON l.delivery_id = d.id CROSS JOIN class_alert a ON a.id = l.alert_id
         CROSS JOIN watch w ON w.recipient_id = a.recipient_id AND w.section_id = a.section_id AND w.last_alert_at = d.created_at
         WHERE NOT EXISTS (
           SELECT 1 FROM delivery_alert m JOIN delivery o ON o.id = m.delivery_id
           WHERE m.alert_id = a.id AND (o.state NOT IN ('gone', 'expired', 'canceled', 'failed') OR o.body IS NOT NULL)))`,
    )
    .bind(list)
}

/** Leaves a claimed delivery untried until `dueAt`, ms: its turn is not yet, or what was read of it has changed. */
export async function releaseClaim(db: D1Database, delivery: ClaimedDelivery, dueAt: number): Promise<void> {
  await db
    .prepare(`UPDATE delivery SET state = iif(body IS NULL, 'queued', 'unconfirmed'), due_at = ? WHERE ${isOurs}`)
    .bind(dueAt, delivery.id, delivery.claim)
    .run()
}

export async function readStanding(db: D1Database, id: number): Promise<Standing | null> {
  return standing(db, id).first<Standing>()
}

function standing(db: D1Database, id: number): D1PreparedStatement {
  return db.prepare('SELECT state, due_at, last_error FROM delivery WHERE id = ?').bind(id)
}
