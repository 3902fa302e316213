import type { Actor } from '../../web/audit.ts'
import { auditRows } from '../../web/audit-rows.ts'

/** Writes down that a watch was added (right behind the statement that adds it) or is about to be removed, if it is there. */
export function auditWatch(
  db: D1Database,
  actor: Actor,
  act: 'added' | 'deleted',
  { recipientId, sectionId }: { recipientId: number; sectionId: number },
  at: number,
): D1PreparedStatement {
  const state = `json_object('recipient_id', w.recipient_id, 'section_id', w.section_id)`
  return auditRows(
    db,
    actor,
    { act, area: 'class_tracker', table: 'watch' },
    {
      sql: `SELECT w.id AS row_key, r.name || ': ' || c.code || ' ' || c.level || ' section ' || s.section AS title,
          ${act === 'added' ? 'NULL' : state} AS before, ${act === 'added' ? state : 'NULL'} AS after
        FROM watch w JOIN recipient r ON r.id = w.recipient_id JOIN section s ON s.id = w.section_id JOIN course c ON c.id = s.course_id
        WHERE w.recipient_id = ? AND w.section_id = ? ${act === 'added' ? 'AND changes() > 0' : ''}`,
      values: [recipientId, sectionId],
    },
    at,
  )
}
