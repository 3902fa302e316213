import type { BenchDatabase } from '../app/asked-database.ts'
import { numbers } from './fill-directory.ts'

const recipients = 60
const sections = 240
const alerts = 400

/** The directory's school gets a term of 240 sections, 60 recipients who watch four each, and 400 delivered alerts. */
export async function fillTracker(db: BenchDatabase, now: number): Promise<void> {
  await db.batch(
    [
      `INSERT INTO term (id, year, season, full_term_name) VALUES (1, 2026, 'fall', 'Fall 2026')`,
      `INSERT INTO school_term (id, school_id, term_id, code, name, is_available, ends_at) VALUES (1, 1, 1, 'F26', 'Fall 2026', 1, ${now + 9e9})`,
      `INSERT INTO section_group (id, source_id, school_term_id, subject_id, read_at) SELECT id, 1, 1, id, ${now} FROM subject`,
      `${numbers(sections)} INSERT INTO section (id, school_term_id, group_id, course_id, section_key, section, topic, status, seats_available,
         capacity, instruction_list, instruction_mode, fingerprint, created_at)
       SELECT i, 1, c.subject_id, c.id, 10000 + i, '0' || i, '', iif(i % 2, 'open', 'closed'), i % 2 * 3, 30, '[]', 'In person', '', 0
       FROM n JOIN course c ON c.id = 1 + i % 40`,
      `${numbers(recipients)} INSERT INTO recipient (id, name, created_at) SELECT i, 'Recipient ' || i, 0 FROM n`,
      `${numbers(recipients)} INSERT INTO contact (id, recipient_id, kind, address, address_key, verified_at, created_at)
       SELECT i, i, 'phone', '+1303200' || (1000 + i), '+1303200' || (1000 + i), 0, 0 FROM n`,
      `${numbers(sections)} INSERT INTO watch (recipient_id, section_id, created_at, is_new) SELECT 1 + i % ${recipients}, i, 0, 0 FROM n`,
      `${numbers(alerts)} INSERT INTO opening (id, section_id, version, poll_id, last_closed_at, seen_open_at)
       SELECT i, 1 + i % ${sections}, i, 'poll' || i, ${now} - i * 60000, ${now} - i * 60000 FROM n`,
      `INSERT INTO class_alert (id, opening_id, recipient_id, section_id, kind, created_at, poll_id)
       SELECT id, id, 1 + id % ${recipients}, section_id, 'opening', seen_open_at, poll_id FROM opening`,
      `INSERT INTO delivery (id, poll_id, recipient_id, contact_id, channel, address, state, attempts, due_at, created_at, accepted_at, delivered_at)
       SELECT a.id, a.poll_id, a.recipient_id, c.id, 'phone', c.address, 'delivered', 1, a.created_at, a.created_at, a.created_at, a.created_at
       FROM class_alert a JOIN contact c ON c.recipient_id = a.recipient_id`,
      `INSERT INTO delivery_alert (delivery_id, alert_id) SELECT id, id FROM delivery`,
    ].map((statement) => db.prepare(statement)),
  )
}
