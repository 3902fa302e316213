import { readTogether } from '../../db/read-together.ts'
import type { Actor } from '../../web/audit.ts'
import { auditRows } from '../../web/audit-rows.ts'
import { notThere } from '../../web/refusal.ts'
import type { Done } from '../contract.ts'
import { auditedAddressSql } from './audited-address.ts'

/**
 * Removes a recipient with all that hangs on it: contacts, watches, alerts and their messages.
 * @param actor who asks, for the audit
 * @throws notThere
 */
export async function removeRecipient(db: D1Database, recipientId: number, now: number, actor: Actor): Promise<Done> {
  const [, removed] = await readTogether<[unknown[], unknown[]]>(
    db,
    auditRemoval(db, recipientId, now, actor),
    db.prepare('DELETE FROM recipient WHERE id = ? RETURNING id').bind(recipientId),
  )
  if (removed.length === 0) throw notThere(`Recipient id ${recipientId} not found`)
  return { is_success: true, message: 'Recipient removed successfully' }
}

function auditRemoval(db: D1Database, recipientId: number, now: number, actor: Actor): D1PreparedStatement {
  return auditRows(
    db,
    actor,
    { act: 'deleted', area: 'class_tracker', table: 'recipient' },
    {
      sql: `SELECT r.id AS row_key, r.name AS title, NULL AS after,
          json_object('name', r.name, 'description', r.description, 'is_contact_by_phone', r.is_contact_by_phone,
            'contacts', (SELECT json_group_array(n.kind || ' ' || ${auditedAddressSql}) FROM contact n WHERE n.recipient_id = r.id),
            'watches', (SELECT count(*) FROM watch w WHERE w.recipient_id = r.id),
            'alerts', (SELECT count(*) FROM class_alert a WHERE a.recipient_id = r.id)) AS before
        FROM recipient r WHERE r.id = ?`,
      values: [recipientId],
    },
    now,
  )
}
