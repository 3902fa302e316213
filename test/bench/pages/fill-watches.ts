import type { BenchDatabase } from '../app/asked-database.ts'
import { numbers } from './fill-directory.ts'

const recipients = 50
const watches = 20
const sections = 250
const alerts = 400
const DAY = 86_400_000

/**
 * A term of 250 sections with a week of history each, 50 recipients who watch 20 of them each, so that each is watched
 * by four, and 400 alerts with a text and an email each, accepted or delivered.
 */
export async function fillWatches(db: BenchDatabase, now: number): Promise<void> {
  await db.batch(
    [
      `INSERT INTO term (id, year, season, full_term_name) VALUES (1, 2026, 'fall', '2026 Fall Term')`,
      `INSERT INTO school_term (id, school_id, term_id, code, name, is_available, ends_at) VALUES (1, 1, 1, 'F26', 'Fall 2026', 1, ${now + 9e9})`,
      `INSERT INTO section_group (id, source_id, school_term_id, subject_id, read_at) SELECT id, 1, 1, id, ${now} FROM subject`,
      `${numbers(sections)} INSERT INTO section (id, school_term_id, group_id, course_id, section_key, section, topic, status,
         seats_available, capacity, instruction_list, instruction_mode, starts_on, ends_on, fingerprint, created_at)
       SELECT i, 1, c.subject_id, c.id, 10000 + i, '0' || i, '', iif(i % 5, 'closed', 'open'), (i % 5 = 0) * 3, 30,
         '[{"name":"Robin Example","days_times":"MoWe 9:05 AM - 10:20 AM"}]', 'In person', '2026-08-28', '2026-12-15', '', 0
       FROM n JOIN course c ON c.id = 1 + i % 40`,
      `${numbers(8)} INSERT INTO seat_change (section_id, at, status, seats_available, capacity)
       SELECT section.id, ${now} - n.i * ${DAY / 2}, iif(n.i % 3, 'closed', 'open'), (n.i % 3 = 0) * n.i, 30 FROM section CROSS JOIN n`,
      `${numbers(recipients)} INSERT INTO recipient (id, name, description, created_at) SELECT i, 'Recipient ' || i, 'Wants a morning class', 0 FROM n`,
      `${numbers(recipients)} INSERT INTO contact (id, recipient_id, kind, address, address_key, verified_at, created_at)
       SELECT i, i, 'phone', '+1303200' || (1000 + i), '+1303200' || (1000 + i), 0, 0 FROM n
       UNION ALL SELECT 1000 + i, i, 'email', 'student' || i || '@example.com', 'student' || i || '@example.com', 0, 0 FROM n`,
      `${numbers(recipients * watches)} INSERT INTO watch (recipient_id, section_id, created_at, is_new)
       SELECT 1 + i % ${recipients}, 1 + (i % ${recipients} * 37 + i / ${recipients} * 13) % ${sections}, 0, 0 FROM n`,
      `${numbers(alerts)} INSERT INTO opening (id, section_id, version, poll_id, last_closed_at, seen_open_at)
       SELECT i, 1 + i % ${sections}, i, 'poll' || i, ${now} - i * 600000 - 15000, ${now} - i * 600000 FROM n`,
      `INSERT INTO class_alert (id, opening_id, recipient_id, section_id, kind, created_at, poll_id)
       SELECT id, id, 1 + id % ${recipients}, section_id, 'opening', seen_open_at, poll_id FROM opening`,
      `INSERT INTO delivery (poll_id, recipient_id, contact_id, channel, address, state, attempts, due_at, created_at, accepted_at, delivered_at)
       SELECT a.poll_id, a.recipient_id, c.id, c.kind, c.address, iif(c.kind = 'phone', 'delivered', 'sent'), 1, a.created_at, a.created_at,
         a.created_at + 900, iif(c.kind = 'phone', a.created_at + 4000, NULL)
       FROM class_alert a JOIN contact c ON c.recipient_id = a.recipient_id`,
      `INSERT INTO delivery_alert (delivery_id, alert_id) SELECT d.id, a.id FROM delivery d JOIN class_alert a ON a.poll_id = d.poll_id`,
    ].map((statement) => db.prepare(statement)),
  )
}
