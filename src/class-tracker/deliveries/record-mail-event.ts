import { and, eq, isNull, type SQL, sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/sqlite-core'
import * as z from 'zod/mini'
import { isIn } from '../../db/json-argument.ts'
import { type Query, query, readFirst, writeTogether } from '../../db/query.ts'
import { contact, delivery } from '../../db/schema/index.ts'
import { addressKey } from '../../notify/addresses.ts'
import { markUndeliverable, recordOptOut, selectAddresses, stillHasAddress } from './opt-out.ts'
import { clearLastAlert } from '../watches/last-alert.ts'

/** An event of Resend ("Webhooks: event types"). */
export const MailEvent = z.object({
  type: z.string(),
  data: z.object({
    email_id: z.string().check(z.minLength(1), z.maxLength(200)),
    to: z._default(z.array(z.string()), []),
    bounce: z.optional(z.object({ type: z.optional(z.string()) })),
  }),
})
export type MailEvent = z.infer<typeof MailEvent>

/** All others are ignored. */
const usedTypes: ReadonlySet<string> = new Set([
  'email.delivered',
  'email.bounced',
  'email.suppressed',
  'email.failed',
  'email.complained',
])

const known = alias(delivery, 'known')

/** Whether an event may be about an email to this address whose id Resend has not yet returned to us. */
export async function isTooEarly(db: D1Database, { type, data }: MailEvent): Promise<boolean> {
  if (!usedTypes.has(type)) return false
  const keys = data.to.map((address) => addressKey('email', address))
  const underWay = query
    .select({ id: delivery.id })
    .from(contact)
    .innerJoin(delivery, eq(delivery.contactId, contact.id))
    .where(
      sql`${contact.kind} = 'email' AND ${isIn(contact.addressKey, keys)} AND ${delivery.channel} = 'email'
        AND ${delivery.state} IN ('sending', 'unconfirmed') AND ${delivery.body} IS NOT NULL
        AND NOT EXISTS (SELECT 1 FROM ${delivery} ${known} WHERE ${known.providerId} = ${data.email_id})`,
    )
    .limit(1)
  return (await readFirst(db, underWay)) !== null
}

/**
 * Moves a message forward, never back. Verifies a contact whose email arrived, and disables one whose mailbox bounces or
 * complains. A server may return an email that it had accepted, and whose link a filter has opened by then.
 */
export async function recordMailEvent(db: D1Database, { type, data }: MailEvent, now: number): Promise<void> {
  const isMessage = sql`${delivery.providerId} = ${data.email_id} AND ${delivery.channel} = 'email'`
  if (type === 'email.delivered')
    await writeTogether(db, [verifyContact(isMessage, now), recordDelivered(isMessage, now)])
  if (type === 'email.complained') await recordComplaint(db, isMessage, now)
  const loss = lossOf({ type, data })
  if (loss !== null) {
    await writeTogether(db, [
      ...(loss.isForGood ? [markUndeliverable(isMessage, loss.reason, now)] : []),
      query
        .update(delivery)
        .set({
          state: 'failed',
          lastError: loss.reason,
          body: null,
          firstTriedAt: null,
          deliveredAt: null,
          openedAt: null,
        })
        .where(
          sql`${isMessage} AND ${delivery.state} IN ('sending', 'unconfirmed', 'sent', 'delivered', 'opened')
            AND ${delivery.seenAt} IS NULL`,
        ),
      clearLastAlert(sql`SELECT ${delivery.id} AS id FROM ${delivery} WHERE ${isMessage}`),
    ])
  }
}

/** Why an email did not arrive, and whether no other would arrive either; null if the event does not say that. */
function lossOf({ type, data: { bounce } }: MailEvent): { reason: string; isForGood: boolean } | null {
  if (type === 'email.failed') return { reason: 'The email provider could not send the email.', isForGood: false }
  if (type === 'email.suppressed')
    return {
      reason: 'The email provider blocks this mailbox: an email bounced or was marked as spam.',
      isForGood: true,
    }
  if (type !== 'email.bounced') return null
  // A full mailbox or a server that is down rejects only this email; one that does not exist rejects all.
  return bounce?.type === undefined || bounce.type === 'Permanent'
    ? { reason: 'The mailbox does not exist or does not accept mail.', isForGood: true }
    : { reason: 'The mailbox refused the email.', isForGood: false }
}

/** Unless the contact has another address by now. */
function verifyContact(isMessage: SQL, now: number): Query {
  return query
    .update(contact)
    .set({ verifiedAt: now })
    .where(sql`${contact.verifiedAt} IS NULL AND ${stillHasAddress(isMessage)}`)
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
    ...recordOptOut(selectAddresses([address]), now),
  ])
}
