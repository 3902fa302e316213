import { and, eq, isNull, type SQL, sql } from 'drizzle-orm'
import * as z from 'zod/mini'
import { type Query, query, readFirst, writeTogether } from '../../db/query.ts'
import { contact, delivery } from '../../db/schema/index.ts'
import { addressKey } from '../../notify/addresses.ts'
import { recordOptOut } from './opt-out.ts'
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

/** Moves a message forward, never back, and disables a contact whose mailbox bounces or complains. */
export async function recordMailEvent(db: D1Database, { type, data }: MailEvent, now: number): Promise<void> {
  const isMessage = sql`${delivery.providerId} = ${data.email_id} AND ${delivery.channel} = 'email'`
  if (type === 'email.delivered') await writeTogether(db, [recordDelivered(isMessage, now)])
  if (type === 'email.complained') await recordComplaint(db, isMessage, now)
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

function recordDelivered(isMessage: SQL, now: number): Query {
  return query
    .update(delivery)
    .set({ state: sql`iif(${delivery.state} = 'opened', 'opened', 'delivered')`, deliveredAt: now })
    .where(sql`${isMessage} AND ${delivery.state} IN ('sent', 'opened') AND ${delivery.deliveredAt} IS NULL`)
}

/** A spam report unsubscribes the address that the message went to, even if its contact has another one by now. */
async function recordComplaint(db: D1Database, isMessage: SQL, now: number): Promise<void> {
  const sent = await readFirst(db, query.select({ address: delivery.address }).from(delivery).where(isMessage))
  if (sent === null) return
  const address = { kind: 'email', address_key: addressKey('email', sent.address) } as const
  await writeTogether(db, [
    query
      .update(contact)
      .set({ undeliverableReason: 'The owner of the mailbox marked a message as spam.' })
      .where(
        and(eq(contact.kind, address.kind), eq(contact.addressKey, address.address_key), isNull(contact.optedOutAt)),
      ),
    ...recordOptOut(address, now),
  ])
}
