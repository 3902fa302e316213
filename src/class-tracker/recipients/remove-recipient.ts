import { eq, sql } from 'drizzle-orm'
import { query, writeTogether } from '../../db/query.ts'
import { classAlert, contact, delivery, recipient, watch } from '../../db/schema/index.ts'
import { auditRows } from '../../web/audit.ts'
import { notFound } from '../../web/refusal.ts'
import type { Done } from '../watches/contract.ts'
import { refuseUnlessSuperuser, type TrackerActor } from '../tracker-actor.ts'
import { clearLastAlert } from '../watches/last-alert.ts'
import { auditedAddress } from './audit-recipient.ts'
import { renewOwnLink } from './own-link.ts'

/** Removes a recipient with its contacts, watches, alerts and their messages. @throws forbidden, notFound */
export async function removeRecipient(
  db: D1Database,
  by: TrackerActor,
  recipientId: number,
  now: number,
): Promise<Done> {
  refuseUnlessSuperuser(by)
  const audit = auditRows(
    by.audit,
    { act: 'deleted', area: 'class_tracker', table: 'recipient' },
    sql`SELECT ${recipient.id} AS row_key, ${recipient.name} AS title, NULL AS after,
        json_object('name', ${recipient.name}, 'description', ${recipient.description},
          'is_contact_by_phone', ${recipient.isContactByPhone},
          'contacts', (SELECT json_group_array(${contact.kind} || ' ' || ${auditedAddress})
            FROM ${contact} WHERE ${contact.recipientId} = ${recipient.id}),
          'watches', (SELECT count(*) FROM ${watch} WHERE ${watch.recipientId} = ${recipient.id}),
          'alerts', (SELECT count(*) FROM ${classAlert} WHERE ${classAlert.recipientId} = ${recipient.id})) AS before
      FROM ${recipient} WHERE ${recipient.id} = ${recipientId}`,
    now,
  )
  const [, removed] = await writeTogether(db, [
    audit,
    query.delete(recipient).where(eq(recipient.id, recipientId)).returning({ id: recipient.id }),
  ])
  if (removed.rows.length === 0) throw notFound(`Recipient id ${recipientId} not found`)
  return { is_success: true, message: 'Recipient removed successfully' }
}

/** Removes a contact. Its unsent messages are canceled, and sent ones stay masked. @throws forbidden, notFound */
export async function removeContact(db: D1Database, by: TrackerActor, contactId: number, now: number): Promise<Done> {
  refuseUnlessSuperuser(by)
  const audit = auditRows(
    by.audit,
    { act: 'deleted', area: 'class_tracker', table: 'contact' },
    sql`SELECT ${contact.id} AS row_key, ${recipient.name} || ': ' || ${contact.kind} || ' ' || ${auditedAddress} AS title, NULL AS after,
        json_object('recipient_id', ${contact.recipientId}, 'kind', ${contact.kind}, 'address', ${auditedAddress},
          'is_enabled', ${contact.isEnabled}) AS before
      FROM ${contact} JOIN ${recipient} ON ${recipient.id} = ${contact.recipientId} WHERE ${contact.id} = ${contactId}`,
    now,
  )
  const [, , , , removed] = await writeTogether(db, [audit, ...deleteContact(contactId)])
  if (removed.rows.length === 0) throw notFound(`Contact id ${contactId} not found`)
  return { is_success: true, message: 'Contact removed successfully' }
}

/** The last returns the contact's id. Its owner may have the link to the recipient's page, so the link is replaced. */
export function deleteContact(contactId: number) {
  return [
    renewOwnLink(sql`(SELECT ${contact.recipientId} FROM ${contact} WHERE ${contact.id} = ${contactId})`),
    query
      .update(delivery)
      .set({ state: 'canceled', lastError: 'The contact was removed.' })
      .where(
        sql`${delivery.contactId} = ${contactId} AND ${delivery.state} IN ('waiting', 'held', 'queued', 'unconfirmed')`,
      ),
    clearLastAlert(sql`SELECT ${delivery.id} AS id FROM ${delivery} WHERE ${delivery.contactId} = ${contactId}`),
    query.delete(contact).where(eq(contact.id, contactId)).returning({ id: contact.id }),
  ] as const
}
