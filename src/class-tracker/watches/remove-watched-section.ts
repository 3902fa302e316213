import { readTogether } from '../../db/read-together.ts'
import type { Actor } from '../../web/audit.ts'
import { notThere } from '../../web/refusal.ts'
import type { Done } from '../contract.ts'
import { auditWatch } from './audit-watch.ts'

/** What a person sees as the reason at a message that was not sent. */
const noLongerWatched = 'The section is no longer watched.'

/** Alerts of the recipient about the section: `?1` and `?2` of each statement below. */
const itsAlerts = 'SELECT id FROM class_alert WHERE recipient_id = ?1 AND section_id = ?2'

/**
 * Ends a watch, and with it what was not sent yet: held alerts and waiting messages about this section. A message that also
 * carries other sections goes on without this one. Removing what is not watched is no error.
 * @param actor who asks, for the audit
 * @throws notThere for an unknown recipient or section
 */
export async function removeWatchedSection(
  db: D1Database,
  recipientId: number,
  sectionId: number,
  now: number,
  actor?: Actor,
): Promise<Done> {
  const [recipients, sections] = await readTogether<unknown[][]>(
    db,
    db.prepare('SELECT 1 FROM recipient WHERE id = ?').bind(recipientId),
    db.prepare('SELECT 1 FROM section WHERE id = ?').bind(sectionId),
    ...(actor ? [auditWatch(db, actor, 'deleted', { recipientId, sectionId }, now)] : []),
    ...removeWatchStatements(db, recipientId, sectionId, now),
  )
  if (recipients?.length === 0) throw notThere(`Recipient id ${recipientId} not found`)
  if (sections?.length === 0) throw notThere(`Section id ${sectionId} not found`)
  return { is_success: true, message: 'Section removed successfully' }
}

/** The statements of {@link removeWatchedSection}, for one batch. */
export function removeWatchStatements(
  db: D1Database,
  recipientId: number,
  sectionId: number,
  now: number,
): D1PreparedStatement[] {
  return [
    db.prepare('DELETE FROM watch WHERE recipient_id = ? AND section_id = ?').bind(recipientId, sectionId),
    cancelAlerts(db, recipientId, sectionId, now),
    cancelDeliveries(db, recipientId, sectionId),
    leaveDeliveries(db, recipientId, sectionId),
  ]
}

/** Alerts that are held, or whose messages all still wait. */
function cancelAlerts(db: D1Database, recipientId: number, sectionId: number, now: number): D1PreparedStatement {
  return db
    .prepare(
      `UPDATE class_alert SET canceled_at = ?3
       WHERE id IN (${itsAlerts}) AND canceled_at IS NULL AND (
         poll_id IS NULL
         OR EXISTS (SELECT 1 FROM delivery_alert l JOIN delivery d ON d.id = l.delivery_id
                    WHERE l.alert_id = class_alert.id AND d.state = 'queued')
           AND NOT EXISTS (SELECT 1 FROM delivery_alert l JOIN delivery d ON d.id = l.delivery_id
                           WHERE l.alert_id = class_alert.id AND d.state NOT IN ('queued', 'canceled')))`,
    )
    .bind(recipientId, sectionId, now)
}

/** Messages about nothing else. One that may have been taken is asked after no more, and not sent again. */
function cancelDeliveries(db: D1Database, recipientId: number, sectionId: number): D1PreparedStatement {
  return db
    .prepare(
      `UPDATE delivery SET state = 'canceled', last_error = ?3
       WHERE state IN ('queued', 'unconfirmed')
         AND id IN (SELECT l.delivery_id FROM delivery_alert l WHERE l.alert_id IN (${itsAlerts}))
         AND NOT EXISTS (SELECT 1 FROM delivery_alert l JOIN class_alert a ON a.id = l.alert_id
                         WHERE l.delivery_id = delivery.id AND a.section_id <> ?2)`,
    )
    .bind(recipientId, sectionId, noLongerWatched)
}

/** The others that were never tried go on without it; what may have been taken keeps its text, or a look-up would not find it. */
function leaveDeliveries(db: D1Database, recipientId: number, sectionId: number): D1PreparedStatement {
  return db
    .prepare(
      `DELETE FROM delivery_alert
       WHERE alert_id IN (${itsAlerts}) AND delivery_id IN (
         SELECT d.id FROM delivery_alert l JOIN delivery d ON d.id = l.delivery_id AND d.state = 'queued' AND d.body IS NULL
         WHERE l.alert_id IN (${itsAlerts}))`,
    )
    .bind(recipientId, sectionId)
}
