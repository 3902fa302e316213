import { sql } from 'drizzle-orm'
import * as z from 'zod/mini'
import { into, type Query, query, statement, writeTogether } from '../../db/query.ts'
import { contact, delivery, optOut } from '../../db/schema/index.ts'
import { markUndeliverable } from './undeliverable.ts'

/** The mail events of Resend that we use (Resend, "Webhooks: event types"); others are ignored. */
export const MailEvent = z.object({
  type: z.string(),
  data: z.object({
    email_id: z.string().check(z.minLength(1), z.maxLength(200)),
    bounce: z.optional(z.object({ type: z.optional(z.string()), message: z.optional(z.string()) })),
  }),
})
export type MailEvent = z.infer<typeof MailEvent>

/**
 * Moves a message forward by the provider's report, never back, and disables a contact whose mailbox bounces or
 * complains.
 */
export async function recordMailEvent(db: D1Database, { type, data }: MailEvent, now: number): Promise<void> {
  const isMessage = sql`${delivery.providerId} = ${data.email_id} AND ${delivery.channel} = 'email'`
  if (type === 'email.delivered') await writeTogether(db, [recordDelivered(data.email_id, now)])
  if (type === 'email.complained') await writeTogether(db, recordComplaint(data.email_id, now))
  if (type === 'email.bounced') {
    // A full mailbox or a server that is down rejects only this mail; one that does not exist rejects all.
    const isForGood = data.bounce?.type === undefined || data.bounce.type === 'Permanent'
    const reason = isForGood ? 'The mailbox does not exist or does not accept mail.' : 'The mailbox refused the mail.'
    await writeTogether(db, [
      ...(isForGood ? [markUndeliverable(isMessage, reason, now)] : []),
      query
        .update(delivery)
        .set({ state: 'failed', lastError: reason, body: null, firstTriedAt: null })
        .where(sql`${isMessage} AND ${delivery.state} IN ('sending', 'unconfirmed', 'sent')`),
    ])
  }
}

function recordDelivered(id: string, now: number): Query {
  return query
    .update(delivery)
    .set({ state: sql`iif(${delivery.state} = 'opened', 'opened', 'delivered')`, deliveredAt: now })
    .where(
      sql`${delivery.providerId} = ${id} AND ${delivery.channel} = 'email' AND ${delivery.state} IN ('sent', 'opened')
        AND ${delivery.deliveredAt} IS NULL`,
    )
}

/** The mailbox's owner reported spam, which counts as unsubscribing. */
function recordComplaint(id: string, now: number): Query[] {
  const sentTo = sql`SELECT ${contact.kind}, ${contact.addressKey} FROM ${delivery}
    JOIN ${contact} ON ${contact.id} = ${delivery.contactId} AND ${contact.address} = ${delivery.address}
    WHERE ${delivery.providerId} = ${id} AND ${delivery.channel} = 'email'`
  return [
    statement(sql`INSERT INTO ${into(optOut, optOut.kind, optOut.addressKey, optOut.at)}
      SELECT *, ${now} FROM (${sentTo}) WHERE true ON CONFLICT DO NOTHING`),
    query
      .update(contact)
      .set({ optedOutAt: now, undeliverableReason: 'The owner of the mailbox marked a message as spam.' })
      .where(sql`${contact.optedOutAt} IS NULL AND (${contact.kind}, ${contact.addressKey}) IN (${sentTo})`),
  ]
}
