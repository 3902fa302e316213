import * as z from 'zod/mini'
import { alertRows, type AlertRow } from './alert-lines.ts'
import {
  claimedColumns,
  claimedDelivery,
  type ClaimedDelivery,
  type ClaimedRow,
  presentAddress,
  unsettled,
} from './claim-delivery.ts'
import { leaseMs, longestTryMs, type Settlement } from './next-step.ts'
import { forgetAlert, isContactStillUsable } from './settle-delivery.ts'

/** Deliveries that go out in one request, ours until `claim` (ms). */
export interface ClaimedBatch {
  key: string
  claim: number
  members: ClaimedDelivery[]
  /** The request as it was made before, word for word, and whom it is for in its order; null for one that was never made. */
  made: { payload: string; ids: number[] } | null
  /** When the flow's next mail that waits for its first try is due, ms; null without one. */
  next_due: number | null
}

const Ids = z.array(z.number())

/** A delivery and where it goes from here. */
export interface Settled {
  id: number
  settlement: Settlement
}

/** Takes first tries of a flow's mail that are due, `most` at once, under a new key; those of a runner that died are due again. */
export async function claimFirstTries(
  db: D1Database,
  { key, pollId, most, now }: { key: string; pollId: string; most: number; now: number },
): Promise<ClaimedBatch> {
  const results = await db.batch<unknown>([
    db
      .prepare(
        `UPDATE delivery SET state = 'sending', due_at = ?, batch_key = ?, address = ${presentAddress}
         WHERE id IN (
           SELECT id FROM delivery INDEXED BY delivery_mail_waiting
           WHERE poll_id = ? AND channel = 'email' AND state IN ('queued', 'sending') AND body IS NULL AND attempts = 0
             AND due_at <= ?
           ORDER BY due_at LIMIT ?)`,
      )
      .bind(now + leaseMs, key, pollId, now, most),
    ...membersOf(db, key),
    db
      .prepare(
        `SELECT due_at FROM delivery INDEXED BY delivery_mail_waiting
         WHERE poll_id = ? AND channel = 'email' AND state IN ('queued', 'sending') AND body IS NULL AND attempts = 0
           AND batch_key IS NOT ?
         ORDER BY due_at LIMIT 1`,
      )
      .bind(pollId, key),
  ])
  const next = results.at(-1)?.results as { due_at: number }[] | undefined
  return {
    key,
    claim: now + leaseMs,
    members: readMembers(results, now + leaseMs, now),
    made: null,
    next_due: next?.[0]?.due_at ?? null,
  }
}

/** Takes what is due of a request that may have been taken, to make it again. */
export async function claimAgain(db: D1Database, key: string, now: number): Promise<ClaimedBatch> {
  const results = await db.batch<unknown>([
    db
      .prepare(
        `UPDATE delivery SET state = iif(body IS NULL, 'sending', 'unconfirmed'), due_at = ?
         WHERE batch_key = ? AND state IN ${unsettled} AND due_at <= ?`,
      )
      .bind(now + leaseMs, key, now),
    ...membersOf(db, key),
    db.prepare('SELECT payload, members FROM mail_batch WHERE key = ?').bind(key),
  ])
  const [batch] = (results.at(-1)?.results ?? []) as { payload: string; members: string }[]
  const members = readMembers(results, now + leaseMs, now)
  const made = batch ? { payload: batch.payload, ids: Ids.parse(JSON.parse(batch.members)) } : null
  return { key, claim: now + leaseMs, members, made, next_due: null }
}

function membersOf(db: D1Database, key: string): D1PreparedStatement[] {
  return [
    db.prepare(`${claimedColumns} WHERE d.batch_key = ? ORDER BY d.id`).bind(key),
    alertRows(db, 'l.delivery_id IN (SELECT id FROM delivery WHERE batch_key = ?)', key),
  ]
}

/** Those that were claimed just now: others of the same key may be settled, or still be somebody else's. */
function readMembers(results: readonly D1Result[], claim: number, now: number): ClaimedDelivery[] {
  const rows = (results[1]?.results ?? []) as ClaimedRow[]
  const alerts = Map.groupBy((results[2]?.results ?? []) as AlertRow[], ({ delivery_id }) => delivery_id)
  return rows
    .filter(({ due_at, state }) => due_at === claim && (state === 'sending' || state === 'unconfirmed'))
    .map((row) => claimedDelivery(row, alerts.get(row.id) ?? [], now))
}

/**
 * Writes the request down, and that it is about to be made, if every one of its members is still claimed and wants it.
 * @returns false when one is not, or the claim is nearly over: then it may not be made
 */
export async function beginBatch(
  db: D1Database,
  { key, claim }: ClaimedBatch,
  begun: { poll_id: string; ids: readonly number[]; payload: string },
  now: number,
): Promise<boolean> {
  if (claim < now + longestTryMs) return false
  const list = JSON.stringify(begun.ids)
  const [written] = await db.batch([
    db
      .prepare(
        `INSERT INTO mail_batch (key, poll_id, payload, members, created_at)
         SELECT ?1, ?2, ?3, ?4, ?5
         WHERE json_array_length(?4) = (
           SELECT count(*) FROM json_each(?4) j CROSS JOIN delivery ON delivery.id = j.value
           WHERE batch_key = ?1 AND due_at = ?6 AND state = 'sending' AND ${isContactStillUsable})`,
      )
      .bind(key, begun.poll_id, begun.payload, list, now, claim),
    db
      .prepare(
        `UPDATE delivery SET body = '', attempts = attempts + 1, tried_at = ?1, first_tried_at = coalesce(first_tried_at, ?1)
         WHERE id IN (SELECT value FROM json_each(?2)) AND EXISTS (SELECT 1 FROM mail_batch WHERE key = ?3)`,
      )
      .bind(now, list, key),
  ])
  return written?.meta.changes === 1
}

/** One more try of a request that was made before. @returns false when the claim is nearly over: then it may not be made */
export async function beginAgain(db: D1Database, { key, claim }: ClaimedBatch, now: number): Promise<boolean> {
  if (claim < now + longestTryMs) return false
  await db
    .prepare(`UPDATE delivery SET attempts = attempts + 1, tried_at = ? WHERE batch_key = ? AND due_at = ?`)
    .bind(now, key, claim)
    .run()
  return true
}

/** Writes what came of the request, for each member whose claim still holds. */
export async function settleBatch(db: D1Database, batch: ClaimedBatch, settled: readonly Settled[]): Promise<void> {
  if (settled.length > 0) await db.batch(settleStatements(db, batch, settled))
}

function settleStatements(
  db: D1Database,
  { key, claim }: Pick<ClaimedBatch, 'key' | 'claim'>,
  settled: readonly Settled[],
): D1PreparedStatement[] {
  const list = settled.map(({ id, settlement: one }) => [
    id,
    one.state,
    one.due_at,
    one.error,
    one.provider_id,
    one.accepted_at,
    Number(one.is_in_doubt),
    Number(one.is_uncounted),
  ])
  const gone = settled.flatMap(({ id, settlement }) => (settlement.state === 'gone' ? [id] : []))
  return [
    db
      .prepare(
        `UPDATE delivery
         SET state = j.value ->> 1, due_at = j.value ->> 2, last_error = j.value ->> 3,
           provider_id = coalesce(j.value ->> 4, provider_id), accepted_at = coalesce(j.value ->> 5, accepted_at),
           body = iif(j.value ->> 6, body, NULL), first_tried_at = iif(j.value ->> 6, first_tried_at, NULL),
           batch_key = iif(j.value ->> 6 AND j.value ->> 1 = 'unconfirmed', batch_key, NULL),
           attempts = attempts - (j.value ->> 7)
         FROM json_each(?) j
         WHERE delivery.id = j.value ->> 0 AND batch_key = ? AND due_at = ? AND state IN ${unsettled}`,
      )
      .bind(JSON.stringify(list), key, claim),
    ...(gone.length > 0 ? [forgetAlert(db, JSON.stringify(gone))] : []),
    db
      .prepare('DELETE FROM mail_batch WHERE key = ?1 AND NOT EXISTS (SELECT 1 FROM delivery WHERE batch_key = ?1)')
      .bind(key),
  ]
}
