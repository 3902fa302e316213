import { type ClaimedDelivery, type Standing, unsettled } from './claim-delivery.ts'
import { longestTryMs, type Settlement } from './next-step.ts'
import { optOutStatements } from './opt-out.ts'

/** A claim that still holds: nobody took the delivery over, canceled it, or heard from the provider meanwhile. */
const isOurs = `id = ? AND due_at = ? AND state IN ${unsettled}`

/**
 * Writes the message down, and that it is about to be sent: whoever finds the row from here on knows that it may have been
 * taken, and what to look for.
 * @returns the time of the message's first try; null when the claim was lost or is nearly over, and nothing may be sent
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
       WHERE ${isOurs} AND due_at >= ? RETURNING first_tried_at`,
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
         accepted_at = coalesce(?, accepted_at), body = iif(?, body, NULL), first_tried_at = iif(?, first_tried_at, NULL)
       WHERE ${isOurs} RETURNING state, due_at, last_error`,
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
      delivery.id,
      delivery.claim,
    )
  // The address that was refused, whoever has it by now. Only phones are refused so, and a phone is its own key.
  const { channel, address } = delivery
  const [settled] = settlement.is_opt_out
    ? await db.batch<Standing>([update, ...optOutStatements(db, { kind: channel, address_key: address }, now)])
    : [await update.all<Standing>()]
  return settled?.results[0] ?? readStanding(db, delivery.id)
}

export async function readStanding(db: D1Database, id: number): Promise<Standing | null> {
  return db.prepare('SELECT state, due_at, last_error FROM delivery WHERE id = ?').bind(id).first<Standing>()
}
