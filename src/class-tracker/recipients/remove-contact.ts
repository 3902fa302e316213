import { readTogether } from '../../db/read-together.ts'
import type { Actor } from '../../web/audit.ts'
import { auditRows } from '../../web/audit-rows.ts'
import { notThere } from '../../web/refusal.ts'
import type { Done } from '../contract.ts'
import { auditedAddressSql } from './audited-address.ts'

/**
 * Removes a contact and cancels what still waits for it. Messages that went out stay in the history, their address masked.
 * @param actor who asks, for the audit
 * @throws notThere
 */
export async function removeContact(db: D1Database, contactId: number, now: number, actor: Actor): Promise<Done> {
  const audit = auditRows(
    db,
    actor,
    { act: 'deleted', area: 'class_tracker', table: 'contact' },
    {
      sql: `SELECT n.id AS row_key, r.name || ': ' || n.kind || ' ' || ${auditedAddressSql} AS title, NULL AS after,
          json_object('recipient_id', n.recipient_id, 'kind', n.kind, 'address', ${auditedAddressSql}, 'is_enabled', n.is_enabled) AS before
        FROM contact n JOIN recipient r ON r.id = n.recipient_id WHERE n.id = ?`,
      values: [contactId],
    },
    now,
  )
  const [, , removed] = await readTogether<[unknown[], unknown[], { id: number }[]]>(
    db,
    audit,
    ...removeContactStatements(db, contactId),
  )
  if (removed.length === 0) throw notThere(`Contact id ${contactId} not found`)
  return { is_success: true, message: 'Contact removed successfully' }
}

/** The statements of {@link removeContact}; the second gives the id back when there was such a contact. */
export function removeContactStatements(db: D1Database, contactId: number): [D1PreparedStatement, D1PreparedStatement] {
  return [
    db
      .prepare(
        `UPDATE delivery SET state = 'canceled', last_error = 'The contact was removed.'
         WHERE contact_id = ? AND state IN ('queued', 'unconfirmed')`,
      )
      .bind(contactId),
    db.prepare('DELETE FROM contact WHERE id = ? RETURNING id').bind(contactId),
  ]
}
