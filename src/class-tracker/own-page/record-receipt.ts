import { and, eq, isNull, sql } from 'drizzle-orm'
import { alias, type SQLiteColumn } from 'drizzle-orm/sqlite-core'
import { query, writeTogether } from '../../db/query.ts'
import { contact, delivery } from '../../db/schema/index.ts'
import { recordSeen } from '../deliveries/record-seen.ts'

/** What a device reports. */
interface Receipt {
  contactId: number
  /** Which message, because a delivery may have had several. */
  message: { id: number; first_tried_at: number }
  /** What became of the notification. */
  event: 'shown' | 'opened'
}

const d = alias(delivery, 'd')

/**
 * Moves a notification forward by its device's report, never back: reports come late, twice and in any order. The first
 * one verifies the contact and makes a text about the same openings unnecessary.
 */
export async function recordReceipt(
  db: D1Database,
  { contactId, message: { id, first_tried_at }, event }: Receipt,
  now: number,
): Promise<void> {
  const ofDelivery = (column: SQLiteColumn) => sql`(SELECT ${column} FROM ${delivery} ${d}
    WHERE ${d.id} = ${id} AND ${d.contactId} = ${contactId} AND ${d.firstTriedAt} = ${first_tried_at})`
  const first = (column: SQLiteColumn) => sql`coalesce(${column}, ${now})`
  const isOpened = sql.raw(String(Number(event === 'opened')))
  const seen = { delivery_id: ofDelivery(d.id), poll_id: ofDelivery(d.pollId), recipient_id: ofDelivery(d.recipientId) }
  await writeTogether(db, [
    ...recordSeen(seen, event, now),
    query
      .update(delivery)
      .set({
        state: sql`iif(${isOpened} OR ${delivery.state} = 'opened', 'opened', 'delivered')`,
        acceptedAt: first(delivery.acceptedAt),
        deliveredAt: first(delivery.deliveredAt),
        ...(event === 'opened' && { openedAt: first(delivery.openedAt) }),
        lastError: null,
      })
      .where(sql`${delivery.id} = ${ofDelivery(d.id)}`),
    query
      .update(contact)
      .set({ verifiedAt: now })
      .where(and(eq(contact.id, contactId), isNull(contact.verifiedAt))),
  ])
}
