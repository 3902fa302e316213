import { type SQL, sql } from 'drizzle-orm'
import { contact, delivery, recipient } from '../../db/schema/index.ts'
import { heldUntil, isSilentNow } from '../recipients/held-until.ts'

/** A condition on a delivery's contact and recipient; 0 where the contact was removed. */
export const ofContact = (value: SQL): SQL =>
  sql`coalesce((SELECT ${value} FROM ${recipient} JOIN ${contact} ON ${contact.recipientId} = ${recipient.id}
    WHERE ${recipient.id} = ${delivery.recipientId} AND ${contact.id} = ${delivery.contactId}), 0)`

/**
 * Until when its recipient's present quiet hours and pause hold a delivery, ms: a pause may have begun since it was
 * written.
 */
export const deliveryHeldUntil = (now: number | SQL): SQL => ofContact(heldUntil(now))

/**
 * A claim's new state, due time and the rest, where nothing of it may be with the provider: whose recipient wants quiet
 * now is held.
 */
export function heldOr(now: number | SQL, claim: number | SQL) {
  const until = deliveryHeldUntil(now)
  const isHeld = sql`(${delivery.body} IS NULL AND ${until} > ${now})`
  return {
    isHeld,
    state: sql`iif(${isHeld}, 'held', iif(${delivery.body} IS NULL, 'sending', 'unconfirmed'))`,
    dueAt: sql`iif(${isHeld}, ${until}, ${claim})`,
    askedAt: sql`iif(${isHeld}, ${until}, ${delivery.askedAt})`,
    isSilent: sql`max(${delivery.isSilent}, ${ofContact(isSilentNow(now))})`,
  }
}
