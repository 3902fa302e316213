import { sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/sqlite-core'
import { isIn } from '../../db/json-argument.ts'
import {
  prepared,
  names,
  query,
  type Query,
  readFirst,
  type RowOf,
  statement,
  template,
  write,
  writeThenRead,
  parameter,
} from '../../db/query.ts'
import { contact, delivery } from '../../db/schema/index.ts'
import type { BatchCall } from '../../jobs/call-batcher.ts'
import { type ClaimedDelivery, type DeliveryStatus, isOurs } from './claim-delivery.ts'
import { clearLastAlert, isUnsentEnd, untoldEnds } from '../watches/last-alert.ts'
import type { Settlement } from './delivery-rules.ts'
import { deliveryHeldUntil } from './of-contact.ts'
import { dropLater } from './drop-later.ts'
import { markUndeliverable, recordOptOut, selectAddresses } from './opt-out.ts'

/** The outcome of a claimed delivery. */
export interface Settled {
  delivery: Pick<ClaimedDelivery, 'id' | 'claim' | 'channel' | 'address' | 'created_at' | 'told_again'>
  settlement: Settlement
}

const settle = prepared(() => {
  const { state, dueAt, lastError, isRepeated, providerId, acceptedAt, body, firstTriedAt, batchKey, attempts } =
    delivery
  return statement(sql`UPDATE ${delivery}
    SET ${names(state)} = j.value ->> 2, ${names(dueAt)} = j.value ->> 3, ${names(lastError)} = j.value ->> 4,
      ${names(isRepeated)} = j.value ->> 5, ${names(providerId)} = coalesce(j.value ->> 6, ${providerId}),
      ${names(acceptedAt)} = coalesce(j.value ->> 7, ${acceptedAt}), ${names(body)} = iif(j.value ->> 8, ${body}, NULL),
      ${names(firstTriedAt)} = iif(j.value ->> 8, ${firstTriedAt}, NULL),
      ${names(batchKey)} = iif(j.value ->> 8 AND j.value ->> 2 = 'unconfirmed' AND ${body} = '', ${batchKey}, NULL),
      ${names(attempts)} = ${attempts} - (j.value ->> 9)
    FROM json_each(${parameter('settled')}) j WHERE ${isOurs}`)
})

const findStatus = prepared(() =>
  template(
    { id: delivery.id, state: delivery.state, due_at: delivery.dueAt, last_error: delivery.lastError },
    (columns) =>
      sql`SELECT ${columns} FROM json_each(${parameter('ids')}) j CROSS JOIN ${delivery} ON ${delivery.id} = j.value`,
  ),
)

/** Why nothing arrives any more at an address of each kind, for staff. */
const whyGone = [
  ['phone', 'The number does not exist or does not accept texts.'],
  ['discord', 'The webhook was deleted at Discord.'],
  // It stays a contact, because its browser may report a new subscription next.
  ['push', 'The browser no longer accepts notifications.'],
] as const

/** Records the outcomes of deliveries whose claims still hold. */
export function settlements(settled: readonly Settled[], now: number): Query[] {
  const list = settled.map(({ delivery: { id, claim }, settlement: one }) => [
    id,
    claim,
    one.state,
    one.due_at,
    one.error,
    Number(one.is_repeated),
    one.provider_id,
    one.accepted_at,
    Number(one.may_have_arrived),
    Number(one.is_uncounted),
  ])
  const untold = settled.filter(({ settlement }) => untoldEnds.includes(settlement.state))
  // The opt-out is for the refused number, even if the contact now has another. Only phone numbers are refused this way,
  // and a phone number is its own key.
  const optOuts = settled.flatMap(({ delivery: { channel, address }, settlement }) =>
    settlement.is_opt_out ? [{ kind: channel, address_key: address }] : [],
  )
  const dead = settled.filter(({ settlement }) => settlement.is_address_gone)
  const early = settled.flatMap(({ delivery: { id, told_again: sections }, settlement }) =>
    settlement.state === 'sent' && sections.length > 0 ? [{ id, sections }] : [],
  )
  const refused = settled.filter(({ settlement }) => settlement.is_address_gone || settlement.is_opt_out)
  return [
    settle({ settled: JSON.stringify(list) }),
    ...(optOuts.length > 0 ? recordOptOut(selectAddresses(optOuts), now) : []),
    ...whyGone.flatMap(([kind, reason]) => {
      const ids = dead.flatMap(({ delivery: { id, channel } }) => (channel === kind ? [id] : []))
      return ids.length > 0 ? [markUndeliverable(isIn(delivery.id, ids), reason, now)] : []
    }),
    ...(early.length > 0 ? dropLater(early, now) : []),
    ...(refused.length > 0
      ? [
          requeueMoved(
            refused.map((one) => one.delivery.id),
            now,
          ),
        ]
      : []),
    ...(untold.length > 0
      ? [
          clearLastAlert(
            sql`SELECT value AS id FROM json_each(${JSON.stringify(untold.map((one) => one.delivery.id))})`,
          ),
        ]
      : []),
  ]
}

/** Records outcomes while their claims hold. @returns each delivery's state now, whoever wrote it; null if deleted */
export const settleDeliveries: BatchCall<Settled & { now: number }, DeliveryStatus | null> = async (
  { DB },
  settled,
) => {
  const ids = settled.map((one) => one.delivery.id)
  const now = Math.max(...settled.map((one) => one.now))
  // A provider's report may have come first, so the state is read in the same round trip.
  const [rows] = await writeThenRead(DB, settlements(settled, now), findStatus({ ids: JSON.stringify(ids) }))
  return ids.map((id) => rows.find((row) => row.id === id) ?? null)
}

/** Deliveries that were refused at an address their contact no longer has go to its present one. */
function requeueMoved(ids: readonly number[], now: number): Query {
  return query
    .update(delivery)
    .set({ state: 'queued', dueAt: now, lastError: null })
    .where(
      sql`${isIn(delivery.id, ids)} AND ${delivery.state} = 'failed' AND ${delivery.body} IS NULL AND EXISTS (
        SELECT 1 FROM ${contact} WHERE ${contact.id} = ${delivery.contactId} AND ${contact.address} <> ${delivery.address})`,
    )
}

const release = prepared(() => {
  const { state, dueAt, body, firstTriedAt, triedAt, attempts } = delivery
  const isUnsent = sql`coalesce(${triedAt} = j.value ->> 3, 0)`
  return statement(sql`UPDATE ${delivery}
    SET ${names(state)} = iif(${body} IS NULL OR ${isUnsent}, 'queued', 'unconfirmed'), ${names(dueAt)} = j.value ->> 2,
      ${names(body)} = iif(${isUnsent}, NULL, ${body}), ${names(firstTriedAt)} = iif(${isUnsent}, NULL, ${firstTriedAt}),
      ${names(attempts)} = ${attempts} - ${isUnsent}
    FROM json_each(${parameter('released')}) j WHERE ${isOurs}`)
})

interface Released {
  delivery: ClaimedDelivery
  /** ms */
  due_at: number
  /** When its first try was or may have been recorded although nothing was sent, in ms; default: it was not. */
  unsent_at?: number | null
}

/** Returns claimed deliveries untried until `due_at`: it is not their turn yet, or what was read has changed. */
export const releaseClaims: BatchCall<Released, null> = async ({ DB }, released) => {
  const list = released.map(({ delivery: { id, claim }, due_at, unsent_at = null }) => [id, claim, due_at, unsent_at])
  await write(DB, release({ released: JSON.stringify(list) }))
  return released.map(() => null)
}

const text = alias(delivery, 'text')
const push = alias(delivery, 'push')

/** A push message that ended without being accepted. */
interface EndedPush {
  poll_id: string
  recipient_id: number
  /** ms since epoch */
  now: number
}

/** Found through the recipient, because a poll may have thousands of texts. Quiet hours that have begun since apply. */
function releaseTexts(ended: readonly EndedPush[], now: number) {
  const { id, state, dueAt, pollId, channel, address, createdAt } = delivery
  const list = ended.map(({ poll_id, recipient_id }) => [poll_id, recipient_id])
  return template(
    { id, poll_id: pollId, channel, address, created_at: createdAt },
    (columns) => sql`UPDATE ${delivery} SET ${names(state)} = 'queued', ${names(dueAt)} = min(${dueAt}, ${now})
      WHERE ${id} IN (
        SELECT ${text.id} FROM json_each(${JSON.stringify(list)}) j
        CROSS JOIN ${delivery} ${text} ON ${text.recipientId} = j.value ->> 1 AND +${text.pollId} = j.value ->> 0
          AND ${text.state} = 'waiting'
        WHERE NOT EXISTS (
          SELECT 1 FROM ${delivery} ${push} WHERE ${push.recipientId} = ${text.recipientId} AND +${push.pollId} = ${text.pollId}
            AND ${push.channel} = 'push' AND NOT ${isUnsentEnd(push.state)}))
        AND ${deliveryHeldUntil(now)} <= ${now}
      RETURNING ${columns}`,
  )
}
type ReleasedText = RowOf<ReturnType<typeof releaseTexts>>

/**
 * When the last of a recipient's push messages about the same openings fails, their texts stop waiting.
 * @returns the texts to send now; all of them are returned to the first caller
 */
export const releaseUnpushed: BatchCall<EndedPush, readonly ReleasedText[]> = async ({ DB }, ended) => {
  const now = Math.max(...ended.map((one) => one.now))
  const { rows } = await write(DB, releaseTexts(ended, now))
  return ended.map((_, place) => (place === 0 ? rows : []))
}

export async function readStatus(db: D1Database, id: number): Promise<DeliveryStatus | null> {
  return readFirst(db, findStatus({ ids: JSON.stringify([id]) }))
}
