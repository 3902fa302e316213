import { and, eq, type SQL, sql } from 'drizzle-orm'
import * as z from 'zod/mini'
import { into, names, query, readTogether, statement, template, write, writeTogether } from '../../db/query.ts'
import { delivery, mailBatch, isUnsettled } from '../../db/schema/index.ts'
import {
  type AlertToSend,
  claimedDelivery,
  type ClaimedDelivery,
  type ClaimedRow,
  findAlertsOfBatch,
  isContactStillUsable,
  selectClaimed,
} from './claim-delivery.ts'
import { isOpenAgain, splitOffGone } from './left-out.ts'
import { CLAIM_MS, MAX_TRY_MS } from './delivery-rules.ts'
import { deliveryHeldUntil, claimOrHold } from './of-contact.ts'
import { type Settled, settlements } from './settle-delivery.ts'
import { isIn } from '../../db/json-argument.ts'

/** Deliveries that are sent in one request, ours until `claim` (ms). */
export interface ClaimedBatch {
  key: string
  claim: number
  members: ClaimedDelivery[]
  /** The request exactly as it was made before, and its recipients in order; null if it was never made. */
  storedRequest: { payload: string; ids: number[]; hasCanceled: boolean } | null
  /** When the flow's next email that waits for its first try is due, in ms; Infinity if there is none. */
  next_due: number
}

const Ids = z.array(z.number())

/**
 * Claims up to `most` of a poll's emails that are due for their first try, under a new key. If the runner dies, they
 * become due again.
 */
export async function claimFirstTries(
  db: D1Database,
  { key, pollId, most, now }: { key: string; pollId: string; most: number; now: number },
): Promise<ClaimedBatch> {
  const claim = now + CLAIM_MS
  const [, rows, alerts, [next]] = await readTogether(
    db,
    statement(sql`UPDATE ${delivery}
      SET ${claimOrHoldFor(key, now, claim)}
      WHERE ${delivery.id} IN (
        SELECT ${delivery.id} FROM ${firstTriesOf(pollId)} AND ${delivery.dueAt} <= ${now}
        ORDER BY ${delivery.dueAt} LIMIT ${most})`),
    findMembers(key, now),
    findAlertsOfBatch({ key }),
    template(
      { due_at: delivery.dueAt },
      (columns) => sql`SELECT ${columns} FROM ${firstTriesOf(pollId)} AND ${delivery.batchKey} IS NOT ${key}
        ORDER BY ${delivery.dueAt} LIMIT 1`,
    ),
  )
  const members = membersOf(rows, alerts, claim, now)
  return { key, claim, members, storedRequest: null, next_due: next?.due_at ?? Infinity }
}

/** The columns that a claim under `key` sets. What is held leaves the request. */
const claimOrHoldFor = (key: string, now: number, claim: number): SQL =>
  sql`${claimOrHold(now, claim)}, ${names(delivery.batchKey)} = iif(${delivery.body} IS NULL AND ${deliveryHeldUntil(now)} > ${now}, NULL, ${key})`

/** A flow's emails that wait for their first try: FROM and WHERE. */
function firstTriesOf(pollId: string): SQL {
  return sql`${delivery} INDEXED BY delivery_mail_waiting
    WHERE ${delivery.pollId} = ${pollId} AND ${delivery.channel} = 'email' AND ${delivery.state} IN ('queued', 'sending')
      AND ${delivery.body} IS NULL AND ${delivery.attempts} = 0`
}

/**
 * Claims the due emails of a request that the provider may have accepted, to repeat it. If it was never made, because its
 * runner died, those whose recipients now want quiet are held.
 */
export async function claimAgain(db: D1Database, key: string, now: number): Promise<ClaimedBatch> {
  const claim = now + CLAIM_MS
  const [, rows, alerts, [batch]] = await readTogether(
    db,
    statement(sql`UPDATE ${delivery} SET ${claimOrHoldFor(key, now, claim)}
      WHERE ${delivery.batchKey} = ${key} AND ${isUnsettled} AND ${delivery.dueAt} <= ${now}`),
    findMembers(key, now),
    findAlertsOfBatch({ key }),
    query
      .select({ payload: mailBatch.payload, members: mailBatch.members })
      .from(mailBatch)
      .where(eq(mailBatch.key, key)),
  )
  const storedRequest = batch ? storedRequestOf(batch, rows) : null
  return { key, claim, members: membersOf(rows, alerts, claim, now), storedRequest, next_due: Infinity }
}

/** `hasCanceled`: whether a recipient of the request, or what told them of it, was removed or canceled since. */
function storedRequestOf(
  batch: { payload: string; members: string },
  rows: readonly ClaimedRow[],
): NonNullable<ClaimedBatch['storedRequest']> {
  const ids = Ids.parse(JSON.parse(batch.members))
  const kept = new Set(rows.filter(({ state }) => state !== 'canceled' && state !== 'not_needed').map(({ id }) => id))
  return { payload: batch.payload, ids, hasCanceled: ids.some((id) => !kept.has(id)) }
}

function findMembers(key: string, now: number) {
  return selectClaimed(now).where(eq(delivery.batchKey, key)).orderBy(delivery.id)
}

/** Only those claimed just now: others of the same key may be settled, or still belong to another runner. */
function membersOf(
  rows: readonly ClaimedRow[],
  alertRows: readonly AlertToSend[],
  claim: number,
  now: number,
): ClaimedDelivery[] {
  const alerts = Map.groupBy(alertRows, ({ delivery_id }) => delivery_id)
  return rows
    .filter(({ due_at, state }) => due_at === claim && (state === 'sending' || state === 'unconfirmed'))
    .map((row) => claimedDelivery(row, alerts.get(row.id) ?? [], now))
}

/** Stores the request if every member is still claimed and wanted, as it is written. @returns false when it may not be made */
export async function beginBatch(
  db: D1Database,
  { key, claim }: ClaimedBatch,
  begun: { poll_id: string; members: readonly ClaimedDelivery[]; payload: string },
  now: number,
): Promise<boolean> {
  if (claim < now + MAX_TRY_MS) return false
  const list = JSON.stringify(begun.members.map(({ id }) => id))
  const leftOut = begun.members.map(({ id, left_out }) => ({ id, claim, now, alerts: left_out }))
  const { key: batchKey, pollId, payload, members, createdAt } = mailBatch
  const [written] = await writeTogether(db, [
    statement(sql`INSERT INTO ${into(mailBatch, batchKey, pollId, payload, members, createdAt)}
      SELECT ${key}, ${begun.poll_id}, ${begun.payload}, ${list}, ${now}
      WHERE ${begun.members.length} = (
        SELECT count(*) FROM json_each(${list}) j CROSS JOIN ${delivery} ON ${delivery.id} = j.value
        WHERE ${delivery.batchKey} = ${key} AND ${delivery.dueAt} = ${claim} AND ${delivery.state} = 'sending'
          AND ${isContactStillUsable})
        AND NOT ${isOpenAgain(sql`${JSON.stringify(leftOut.flatMap(({ alerts }) => alerts))}`)}`),
    query
      .update(delivery)
      .set({
        body: '',
        attempts: sql`${delivery.attempts} + 1`,
        triedAt: now,
        firstTriedAt: sql`coalesce(${delivery.firstTriedAt}, ${now})`,
      })
      .where(
        sql`${isIn(delivery.id, list)}
          AND EXISTS (SELECT 1 FROM ${mailBatch} WHERE ${mailBatch.key} = ${key})`,
      ),
    ...splitOffGone(leftOut),
  ])
  return written.changes === 1
}

/** One more try of an earlier request. @returns false when the claim is nearly over: then it may not be made */
export async function beginAgain(db: D1Database, { key, claim }: ClaimedBatch, now: number): Promise<boolean> {
  if (claim < now + MAX_TRY_MS) return false
  await write(
    db,
    query
      .update(delivery)
      .set({ attempts: sql`${delivery.attempts} + 1`, triedAt: now })
      .where(and(eq(delivery.batchKey, key), eq(delivery.dueAt, claim))),
  )
  return true
}

/** Takes the emails out of a request that cannot be repeated: each is then settled by its own job. */
export async function leaveBatch(db: D1Database, { key }: ClaimedBatch): Promise<void> {
  await write(db, query.update(delivery).set({ batchKey: null }).where(eq(delivery.batchKey, key)))
}

/** Records the outcome of the request for each member whose claim still holds, and forgets it once all are settled. */
export async function settleBatch(
  db: D1Database,
  { key }: ClaimedBatch,
  settled: readonly Settled[],
  now: number,
): Promise<void> {
  await writeTogether(db, [
    ...settlements(settled, now),
    query.delete(mailBatch).where(
      sql`${mailBatch.key} = ${key} AND NOT EXISTS (
          SELECT 1 FROM ${delivery} WHERE ${delivery.batchKey} = ${key} AND ${isUnsettled})`,
    ),
  ])
}
