import type { App, Statement } from './app.ts'
import { alertSections, seedAlerts } from './seed-alerts.ts'

/** Names as people really have them, and as long as the fields allow. */
export const names = {
  endless: 'Wolfeschlegelsteinhausenbergerdorff'.repeat(3).slice(0, 100),
  wordy: 'The Committee for the Advancement of Undergraduate Advising in the Natural Sciences, Room 1402 '.padEnd(
    100,
    'x',
  ),
  arabic: 'لجنة الإرشاد الأكاديمي للطلاب الجدد '.repeat(3).slice(0, 100),
  emoji: '👩🏽‍🎓🧑‍🤝‍🧑🏳️‍🌈'.repeat(6),
  chinese: '学生学术咨询委员会'.repeat(11),
  markup: '<b>Bold</b> & "quoted" </script><script>alert(1)</script>',
}
const howManyRecipients = 51
const now = Date.now()

/**
 * In addition to 120 alerts: 51 recipients with unusual names and contacts, a matching section, and a failing source.
 */
export async function seedExtremes(app: App): Promise<void> {
  await seedAlerts(app)
  const { even, odd } = await alertSections(app)
  const given = Object.values(names)
  const recipients: Statement[] = []
  for (let id = 3; id <= howManyRecipients; id += 1) {
    const name = given[id - 3] ?? `Recipient ${id}`
    const values = [id, name, id - 3 < given.length ? name.repeat(2) : '', now + id]
    recipients.push({ text: 'INSERT INTO recipient (id, name, description, created_at) VALUES (?, ?, ?, ?)', values })
  }
  await app.sqlTogether([
    ...recipients,
    {
      text: `INSERT INTO contact (recipient_id, kind, address, address_key, created_at)
        SELECT id, 'email', 'r' || id || '@' || ?1, 'r' || id || '@' || ?1, ?2 FROM recipient WHERE id > 2`,
      values: [`${'very-long-subdomain-of-a-school.'.repeat(6)}example.edu`, now],
    },
    {
      text: `INSERT INTO watch (recipient_id, section_id, created_at, is_new)
        SELECT recipient.id, value, ?1, 0 FROM recipient, json_each(?2) WHERE recipient.id BETWEEN 3 AND 8`,
      values: [now, JSON.stringify([even.id, odd.id])],
    },
    {
      text: `UPDATE section SET topic = ?1, seats_available = 12345, capacity = 99999, section = 'ABCDEFGHIJKLMNOP',
          instruction_list = json_array(json_object('name', ?1, 'days_times', ?2), json_object('name', ?3, 'days_times', '')) WHERE id = ?4`,
      values: [names.endless, 'MoTuWeThFrSaSu 12:00AM - 11:59PM, '.repeat(4), names.arabic, odd.id],
    },
    {
      text: 'UPDATE course SET title = ? WHERE id = (SELECT course_id FROM section WHERE id = ?)',
      values: [names.wordy, even.id],
    },
    { text: 'UPDATE school SET name = ? WHERE id = (SELECT max(id) FROM school)', values: [names.endless] },
    {
      text: `UPDATE source SET name = ?, failures = 7, paused_until = ?, last_failed_at = ?, last_error = ?
        WHERE id = (SELECT max(id) FROM source)`,
      values: [
        names.endless,
        now + 3_600_000,
        now,
        `The answer of https://${'long-host-name.'.repeat(12)}example.edu/ was no JSON`,
      ],
    },
    {
      text: 'UPDATE class_alert SET recipient_id = 3 + id % ?1 WHERE id BETWEEN 90 AND 110',
      values: [given.length],
    },
    {
      text: `INSERT INTO seat_change (section_id, at, status, seats_available, capacity, waitlist_available)
        SELECT ?1, ?2 - value * 3600000, CASE value % 3 WHEN 0 THEN 'open' WHEN 1 THEN 'closed' ELSE 'unknown' END,
          CASE value % 3 WHEN 0 THEN value WHEN 1 THEN 0 END, 30, 0 FROM json_each(?3)`,
      values: [odd.id, now, JSON.stringify(Array.from({ length: 60 }, (_, index) => 61 - index))],
    },
  ])
}
