import { eq, sql } from 'drizzle-orm'
import { query, writeTogether, type Query } from '../../db/query.ts'
import { classAlert, contact, recipient, watch } from '../../db/schema/index.ts'
import type { Actor } from '../../web/audit.ts'
import { auditRows } from '../../web/audit-rows.ts'
import { notThere } from '../../web/refusal.ts'
import type { Done } from '../watches/contract.ts'
import { refuseUnlessSuperuser, type TrackerActor } from '../tracker-actor.ts'
import { auditedAddress } from './audit-recipient.ts'

/** Removes a recipient with its contacts, watches, alerts and their messages. @throws forbidden, notThere */
export async function removeRecipient(
  db: D1Database,
  by: TrackerActor,
  recipientId: number,
  now: number,
): Promise<Done> {
  refuseUnlessSuperuser(by)
  const [, removed] = await writeTogether(db, [
    auditRemoval(recipientId, now, by.audit),
    query.delete(recipient).where(eq(recipient.id, recipientId)).returning({ id: recipient.id }),
  ])
  if (removed.rows.length === 0) throw notThere(`Recipient id ${recipientId} not found`)
  return { is_success: true, message: 'Recipient removed successfully' }
}

function auditRemoval(recipientId: number, now: number, actor: Actor): Query {
  return auditRows(
    actor,
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
}
