import { type SQL, sql } from 'drizzle-orm'
import { names } from '../../db/query.ts'
import { contact, delivery, recipient } from '../../db/schema/index.ts'
import { heldUntil, isSilentNow } from '../recipients/held-until.ts'

/** A condition on a delivery's contact and recipient; 0 where the contact was removed. */
export const ofContact = (value: SQL): SQL =>
  sql`coalesce((SELECT ${value} FROM ${recipient} JOIN ${contact} ON ${contact.recipientId} = ${recipient.id}
    WHERE ${recipient.id} = ${delivery.recipientId} AND ${contact.id} = ${delivery.contactId}), 0)`

/**
 * Until when the recipient's current quiet hours and pause hold a delivery, ms: a pause may have begun since it was
 * written.
 */
export const deliveryHeldUntil = (now: number | SQL): SQL => ofContact(heldUntil(now))

/**
 * The columns that a claim sets (for UPDATE … SET). If the provider certainly does not have the delivery and its
 * recipient wants quiet now, it is held. The contact and the recipient are read once for all columns.
 */
export function claimOrHold(now: number | SQL, claim: number | SQL): SQL {
  const isHeld = sql`(${delivery.body} IS NULL AND wish.held_until > ${now})`
  return sql`(${names(delivery.state, delivery.dueAt, delivery.askedAt, delivery.isSilent)}) = (
    SELECT iif(${isHeld}, 'held', iif(${delivery.body} IS NULL, 'sending', 'unconfirmed')), iif(${isHeld}, wish.held_until, ${claim}),
      iif(${isHeld}, wish.held_until, ${delivery.askedAt}), max(${delivery.isSilent}, wish.is_silent)
    FROM (SELECT ${heldUntil(now)} AS held_until, ${isSilentNow(now)} AS is_silent
      FROM (SELECT 1) LEFT JOIN ${contact} ON ${contact.id} = ${delivery.contactId}
      LEFT JOIN ${recipient} ON ${recipient.id} = ${contact.recipientId} AND ${recipient.id} = ${delivery.recipientId}) wish)`
}
