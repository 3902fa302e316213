import type { App } from './app.ts'
import { sectionsThatAre, watch, type KnownSection } from './sections.ts'
import { seedCatalog } from './seed.ts'

export const howMany = 120
export const unreachable = 'Nia Quist'
const minuteMs = 60_000
const now = Date.now()

/** The alerts alternate between two sections of two courses; a search for `course` finds only the odd ones. */
export async function alertSections(app: App): Promise<{ even: KnownSection; odd: KnownSection; course: string }> {
  const [even] = await sectionsThatAre(app, 'open')
  const courseOf = ({ name }: KnownSection): string => name.split(' - ')[0] ?? ''
  const others = await sectionsThatAre(app, 'closed')
  const odd = even && others.find((section) => courseOf(section) !== courseOf(even))
  if (!even || !odd) throw new Error('The known subject has only one course.')
  return { even, odd, course: courseOf(odd) }
}

/**
 * 120 alerts over some days, newest last: for Robin about the alternating sections, each delivered to the phone; the
 * newest failed, the one before had no contact, and the third newest is a reminder that may have arrived twice.
 */
export async function seedAlerts(app: App): Promise<void> {
  await seedCatalog(app)
  const { even, odd } = await alertSections(app)
  await watch(app, 1, even)
  await app.sqlTogether([
    { text: 'INSERT INTO recipient (id, name, created_at) VALUES (2, ?, ?)', values: [unreachable, now] },
    {
      text: `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?1)
        INSERT INTO opening (id, section_id, version, poll_id, last_closed_at, seen_open_at)
        SELECT i, iif(i % 2, ?2, ?3), i, 'poll-' || i, ?4 - (?1 - i) * ?5 - 30000, ?4 - (?1 - i) * ?5 FROM n`,
      values: [howMany, odd.id, even.id, now, 45 * minuteMs],
    },
    {
      text: `INSERT INTO class_alert (id, opening_id, recipient_id, section_id, kind, created_at, poll_id)
        SELECT id, id, iif(id = ?1 - 1, 2, 1), section_id, iif(id = ?1 - 2, 'reminder', 'opening'), seen_open_at, poll_id FROM opening`,
      values: [howMany],
    },
    {
      text: `INSERT INTO delivery (id, poll_id, recipient_id, contact_id, channel, address, state, attempts, due_at, created_at,
          accepted_at, delivered_at, last_error, is_repeated)
        SELECT a.id, a.poll_id, 1, c.id, 'phone', c.address, iif(a.id = ?1, 'failed', 'delivered'), iif(a.id = ?1, 5, 1),
          a.created_at, a.created_at, iif(a.id = ?1, NULL, a.created_at + 8000), iif(a.id = ?1, NULL, a.created_at + 9000),
          iif(a.id = ?1, 'The provider answered 500', NULL), a.id = ?1 - 2
        FROM class_alert a JOIN contact c ON c.recipient_id = 1 AND c.kind = 'phone' WHERE a.recipient_id = 1`,
      values: [howMany],
    },
    { text: 'INSERT INTO delivery_alert (delivery_id, alert_id) SELECT id, id FROM delivery' },
  ])
}
