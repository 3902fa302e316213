import { type SQL, sql } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'
import { names } from '../../db/query.ts'
import { contact, delivery, recipient } from '../../db/schema/index.ts'
import { heldUntil, isSilentNow } from '../recipients/held-until.ts'
import { linkCodeOrNew } from './link-code.ts'

/** An expression about the delivery's `contact` and `recipient`; 0 if the contact was removed. */
export const ofContact = (value: SQL): SQL =>
  sql`coalesce((SELECT ${value} FROM ${recipient} JOIN ${contact} ON ${contact.recipientId} = ${recipient.id}
    WHERE ${recipient.id} = ${delivery.recipientId} AND ${contact.id} = ${delivery.contactId}), 0)`

/** Until when quiet hours and pause hold a delivery, in ms: a pause may have begun since it was written. */
export const deliveryHeldUntil = (now: number | SQL): SQL => ofContact(heldUntil(now))

/**
 * The columns that a claim sets (for UPDATE … SET), with a code for the link. The sweep looks again when the claim is
 * over. If the provider certainly does not have the delivery, it goes to the contact's current address, and is held
 * during the recipient's quiet hours or pause. The contact and the recipient are read once for all columns.
 */
export function claimOrHold(now: number | SQL, claim: number | SQL): SQL {
  const isHeld = sql`(${delivery.body} IS NULL AND wish.held_until > ${now})`
  const present = (column: SQLiteColumn) =>
    sql`iif(${delivery.body} IS NULL, coalesce(wish.${names(column)}, ${column}), ${column})`
  return sql`(${names(delivery.state, delivery.dueAt, delivery.restartedAt, delivery.isSilent, delivery.channel, delivery.address)}) = (
    SELECT iif(${isHeld}, 'held', iif(${delivery.body} IS NULL, 'sending', 'unconfirmed')), iif(${isHeld}, wish.held_until, ${claim}),
      iif(${isHeld}, wish.held_until, ${delivery.restartedAt}),
      iif(${delivery.body} IS NULL AND ${delivery.attempts} = 0, wish.is_silent, max(${delivery.isSilent}, wish.is_silent)),
      ${present(delivery.channel)}, ${present(delivery.address)}
    FROM (SELECT ${heldUntil(now)} AS held_until, ${isSilentNow(now)} AS is_silent, ${contact.kind} AS channel, ${contact.address}
      FROM (SELECT 1) LEFT JOIN ${contact} ON ${contact.id} = ${delivery.contactId}
      LEFT JOIN ${recipient} ON ${recipient.id} = ${contact.recipientId} AND ${recipient.id} = ${delivery.recipientId}) wish),
    ${names(delivery.lookAt)} = NULL, ${names(delivery.linkCode)} = ${linkCodeOrNew}`
}
