import { type SQL, sql } from 'drizzle-orm'
import { type Query, query } from '../../db/query.ts'
import { contact, delivery } from '../../db/schema/index.ts'

/**
 * Marks contacts undeliverable that still have the messages' address; waiting messages end when their turn comes.
 * @param isMessage a condition on the deliveries
 * @param reason a sentence for staff
 */
export function markUndeliverable(isMessage: SQL, reason: string, now: number): Query {
  return query
    .update(contact)
    .set({ undeliverableAt: now, undeliverableReason: reason })
    .where(
      sql`${contact.undeliverableAt} IS NULL AND (${contact.id}, ${contact.address}) IN (
        SELECT ${delivery.contactId}, ${delivery.address} FROM ${delivery} WHERE ${isMessage})`,
    )
}
