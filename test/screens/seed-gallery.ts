import type { App } from '../browser/app.ts'
import { sectionsThatAre } from '../browser/sections.ts'
import { seedAlerts, howMany } from '../browser/seed-alerts.ts'
import { addJobs, harmless } from '../browser/seed-jobs.ts'

const people = ['Amara Okafor', 'Ben Castillo', 'Chiara Rossi', 'Daniel Kim', 'Elif Yılmaz']
const hourMs = 3_600_000

/** A school on an ordinary day, as the README shows it: some people, some sections with a week behind them, polls on time. */
export async function seedGallery(app: App): Promise<void> {
  await seedAlerts(app)
  const now = Date.now()
  const ids = people.map((_, index) => index + 10)
  await app.sqlTogether([
    // The newest alerts of that seed are those that went wrong.
    { text: 'DELETE FROM delivery WHERE id > ?', values: [howMany - 3] },
    { text: 'DELETE FROM class_alert WHERE id > ?', values: [howMany - 3] },
    { text: 'DELETE FROM recipient WHERE id = 2' },
    ...people.map((name, index) => ({
      text: 'INSERT INTO recipient (id, name, created_at) VALUES (?, ?, ?)',
      values: [ids[index], name, now + index],
    })),
    {
      text: `INSERT INTO contact (recipient_id, kind, address, address_key, created_at)
        SELECT value, 'phone', '+120255501' || (40 + value), '+120255501' || (40 + value), ?1 FROM json_each(?2)`,
      values: [now, JSON.stringify(ids)],
    },
  ])
  const [open, waitlisted, closed] = await Promise.all([
    sectionsThatAre(app, 'open'),
    sectionsThatAre(app, 'waitlisted'),
    sectionsThatAre(app, 'closed'),
  ])
  const sections = [open[0], waitlisted[0], closed[0], closed[1], open[1]].flatMap((section) => section ?? [])
  await app.sqlTogether([
    ...sections.flatMap(({ id }, index) =>
      [ids[index % ids.length], ids[(index + 1) % ids.length]].map((recipient) => ({
        text: 'INSERT INTO watch (recipient_id, section_id, created_at, is_new) VALUES (?, ?, ?, 0)',
        values: [recipient, id, now],
      })),
    ),
    ...sections.map(({ id }, index) => ({
      text: `INSERT INTO seat_change (section_id, at, status, seats_available, capacity, waitlist_available)
        SELECT ?1, ?2 - (160 - value * 8) * ?3, iif((value * 7 + ?4) % 5 < 2, 'closed', 'open'),
          iif((value * 7 + ?4) % 5 < 2, 0, (value * 7 + ?4) % 5), 30, 0 FROM json_each(?5)`,
      values: [id, now, hourMs, index, JSON.stringify(Array.from({ length: 20 }, (_, at) => at))],
    })),
  ])
  for (let minute = 0; minute < 3; minute += 1) await app.tick()
  const maintenance = await app.ledger('maintenance')
  for (const name of await addJobs(app, 'maintenance', { ...harmless, count: 12 })) await maintenance.wait(name, 20_000)
}
