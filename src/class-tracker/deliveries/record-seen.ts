import { type SQL, sql } from 'drizzle-orm'
import { type Query, query } from '../../db/query.ts'
import { delivery, recipient } from '../../db/schema/index.ts'
import type { SeenBy } from '../../lib/contract.ts'
import { clearLastAlert } from '../watches/last-alert.ts'

/** A recipient's messages about the same openings: all of one poll. Each id may be a subquery. */
interface SeenMessage {
  delivery_id: number | SQL
  poll_id: string | SQL
  recipient_id: number | SQL
}

/**
 * A person certainly saw the message. A text about the same openings that its provider does not have yet is not needed,
 * unless the recipient always wants texts. Idempotent.
 * @param by how it was seen; the first one stays
 */
export function recordSeen({ delivery_id, poll_id, recipient_id }: SeenMessage, by: SeenBy, now: number): Query[] {
  return [
    query
      .update(delivery)
      .set({ seenAt: now, seenBy: by })
      .where(sql`${delivery.id} = ${delivery_id} AND ${delivery.seenAt} IS NULL`),
    query
      .update(delivery)
      .set({ state: 'not_needed' })
      .where(
        sql`${delivery.pollId} = ${poll_id} AND ${delivery.recipientId} = ${recipient_id} AND ${delivery.channel} = 'phone'
          AND ${delivery.id} <> ${delivery_id} AND ${delivery.state} IN ('waiting', 'held', 'queued', 'sending')
          AND ${delivery.body} IS NULL
          AND EXISTS (SELECT 1 FROM ${recipient} WHERE ${recipient.id} = ${recipient_id} AND NOT ${recipient.isSmsAtOnce})`,
      ),
    // The recipient was not told about seats that the seen message left out because they were gone.
    clearLastAlert(
      sql`SELECT ${delivery.id} AS id FROM ${delivery} WHERE +${delivery.pollId} = ${poll_id}
        AND ${delivery.recipientId} = ${recipient_id} AND ${delivery.state} = 'not_needed'`,
    ),
  ]
}

/** Records that its link was opened: for display only, because an email filter may have opened it. */
export function recordOpened({ delivery_id }: Pick<SeenMessage, 'delivery_id'>, now: number): Query {
  return query
    .update(delivery)
    .set({
      openedAt: sql`coalesce(${delivery.openedAt}, ${now})`,
      state: sql`iif(${delivery.state} IN ('sent', 'delivered'), 'opened', ${delivery.state})`,
    })
    .where(sql`${delivery.id} = ${delivery_id} AND ${delivery.openedAt} IS NULL`)
}
