/** Seconds a section may stay open before its watchers are reminded, unless the setting says otherwise. */
export const reminderGraceSeconds = 6 * 3600
/** A shorter setting is a mistake or no number at all: it would remind with every sweep. */
const leastGraceSeconds = 60
/** Reminders after one opening's alert. */
export const mostReminders = 3

const grace = `(SELECT COALESCE(
  (SELECT CAST(value AS INTEGER) FROM setting
   WHERE name = 'reminder_grace_seconds' AND CAST(value AS INTEGER) >= ${leastGraceSeconds}), ${reminderGraceSeconds})) * 1000`

/**
 * What follows when alerts are released under `pollId`: their watches remember it, one delivery is written for each usable
 * contact of each recipient, and every alert is put into its recipient's deliveries. A recipient without a usable contact
 * gets none, and the alert is shown as not sent.
 */
export function releaseStatements(db: D1Database, pollId: string, now: number): D1PreparedStatement[] {
  return [
    db
      .prepare(
        `UPDATE watch
         SET last_alert_at = ?, reminders = a.reminder, remind_at = iif(a.reminder < ${mostReminders}, ? + ${grace}, NULL)
         FROM class_alert a
         WHERE a.poll_id = ? AND watch.section_id = a.section_id AND watch.recipient_id = a.recipient_id`,
      )
      .bind(now, now, pollId),
    db
      .prepare(
        `INSERT INTO delivery (poll_id, recipient_id, contact_id, channel, address, state, due_at, created_at)
         SELECT DISTINCT ?, c.recipient_id, c.id, c.kind, c.address, 'queued', ?, ?
         FROM class_alert a
         JOIN recipient r ON r.id = a.recipient_id
         JOIN contact c ON c.recipient_id = r.id AND c.is_enabled AND c.opted_out_at IS NULL
           AND (c.kind <> 'phone' OR r.is_contact_by_phone)
         WHERE a.poll_id = ?
         ON CONFLICT DO NOTHING`,
      )
      .bind(pollId, now, now, pollId),
    db
      .prepare(
        `INSERT INTO delivery_alert (delivery_id, alert_id)
         SELECT d.id, a.id FROM delivery d JOIN class_alert a ON a.poll_id = d.poll_id AND a.recipient_id = d.recipient_id
         WHERE d.poll_id = ?
         ON CONFLICT DO NOTHING`,
      )
      .bind(pollId),
  ]
}
