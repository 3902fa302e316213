import { and, eq, isNull, sql } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'
import { query, writeTogether } from '../../db/query.ts'
import { contact, delivery } from '../../db/schema/index.ts'

/** What a device did with a notification. */
export type DeviceEvent = 'shown' | 'opened'

/**
 * Moves a notification forward by its device's report, never back: reports come late, twice and in any order. The first one
 * verifies the contact.
 * @param message which message, of several that a delivery may have had
 */
export async function recordReceipt(
  db: D1Database,
  contactId: number,
  message: { id: number; first_tried_at: number },
  event: DeviceEvent,
  now: number,
): Promise<void> {
  const isOpened = sql.raw(String(Number(event === 'opened')))
  const first = (column: SQLiteColumn) => sql`coalesce(${column}, ${now})`
  await writeTogether(db, [
    query
      .update(delivery)
      .set({
        state: sql`iif(${isOpened} OR ${delivery.state} = 'opened', 'opened', 'delivered')`,
        acceptedAt: first(delivery.acceptedAt),
        deliveredAt: first(delivery.deliveredAt),
        seenAt: first(delivery.seenAt),
        ...(event === 'opened' && { openedAt: first(delivery.openedAt) }),
        lastError: null,
      })
      .where(
        and(
          eq(delivery.id, message.id),
          eq(delivery.contactId, contactId),
          eq(delivery.firstTriedAt, message.first_tried_at),
        ),
      ),
    query
      .update(contact)
      .set({ verifiedAt: now })
      .where(and(eq(contact.id, contactId), isNull(contact.verifiedAt))),
  ])
}
