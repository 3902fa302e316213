import { makeDevice } from '../../world/push/device.ts'
import type { BenchApp } from './start-app.ts'

export type Channel = 'phone' | 'email' | 'discord' | 'push'

let made = 0

/** A section that opened just now, at a separate school. @returns its id */
export async function openSection(app: BenchApp): Promise<number> {
  made += 1
  const insert = async (sql: string, ...values: unknown[]): Promise<number> =>
    (await app.db
      .prepare(`${sql} RETURNING id`)
      .bind(...values)
      .first<number>('id')) ?? 0
  const now = Date.now()
  const source = await insert(
    `INSERT INTO source (kind, name, url, time_zone, is_enabled, created_at) VALUES ('banner9', ?, ?, 'UTC', 0, 0)`,
    `Bench ${made}`,
    `https://school${made}.example`,
  )
  const school = await insert(
    'INSERT INTO school (source_id, code, name) VALUES (?, ?, ?)',
    source,
    `B${made}`,
    'Bench',
  )
  const term = await insert(
    `INSERT INTO term (year, season, full_term_name) VALUES (?, 'fall', ?)`,
    3000 + made,
    `${3000 + made} Fall Term`,
  )
  const schoolTerm = await insert(
    `INSERT INTO school_term (school_id, term_id, code, name, is_available, ends_at) VALUES (?, ?, '202610', 'Fall', 1, ?)`,
    school,
    term,
    now + 90 * 24 * 3_600_000,
  )
  const subject = await insert(`INSERT INTO subject (school_id, key, name) VALUES (?, 'CS', 'Computing')`, school)
  const group = await insert(
    'INSERT INTO section_group (source_id, school_term_id, subject_id, read_at) VALUES (?, ?, ?, ?)',
    source,
    schoolTerm,
    subject,
    now,
  )
  const course = await insert(
    `INSERT INTO course (subject_id, code, level, title) VALUES (?, 'CS', '101', 'Introduction')`,
    subject,
  )
  return insert(
    `INSERT INTO section (school_term_id, group_id, course_id, section_key, section, topic, instruction_list,
       instruction_mode, fingerprint, status, seats_available, version, created_at)
     VALUES (?, ?, ?, ?, '01', '', '[]', '', '', 'open', 1, 2, 0)`,
    schoolTerm,
    group,
    course,
    `${10_000 + made}`,
  )
}

/**
 * People who wait for the section, each with one contact of the kind, and the alerts and deliveries of its opening as a
 * poll writes them. Nothing is queued.
 * @returns the poll's name
 */
export async function addWaiting(app: BenchApp, section: number, people: number, channel: Channel): Promise<string> {
  const { db } = app
  const now = Date.now()
  const poll = `bench-${section}-${channel}-${now}`
  const first = ((await db.prepare('SELECT max(id) AS id FROM recipient').first<number>('id')) ?? 0) + 1
  const openingId = await db
    .prepare(
      `INSERT INTO opening (section_id, version, poll_id, seen_open_at) VALUES (?, ?, ?, ?)
       ON CONFLICT DO UPDATE SET seen_open_at = excluded.seen_open_at RETURNING id`,
    )
    .bind(section, 2, poll, now)
    .first<number>('id')
  for (let start = 0; start < people; start += 5000) {
    const list = JSON.stringify(
      Array.from({ length: Math.min(5000, people - start) }, (_, index) => {
        const id = first + start + index
        return [id, ...addressOf(app, channel, id)]
      }),
    )
    await db.batch([
      db
        .prepare(
          `INSERT INTO recipient (id, name, created_at) SELECT value ->> 0, 'Person ' || (value ->> 0), 0 FROM json_each(?)`,
        )
        .bind(list),
      db
        .prepare(
          `INSERT INTO contact (recipient_id, kind, address, address_key, created_at)
           SELECT value ->> 0, ?, value ->> 1, value ->> 2, 0 FROM json_each(?)`,
        )
        .bind(channel, list),
      db
        .prepare(
          `INSERT INTO watch (recipient_id, section_id, created_at, is_new, last_alert_at)
           SELECT value ->> 0, ?, 0, 0, ? FROM json_each(?)`,
        )
        .bind(section, now, list),
      db
        .prepare(
          `INSERT INTO class_alert (opening_id, recipient_id, section_id, kind, created_at, poll_id)
           SELECT ?, value ->> 0, ?, 'opening', ?, ? FROM json_each(?)`,
        )
        .bind(openingId, section, now, poll, list),
      db
        .prepare(
          `INSERT INTO delivery (poll_id, recipient_id, contact_id, channel, address, state, due_at, created_at)
           SELECT ?, c.recipient_id, c.id, c.kind, c.address, 'queued', ?, ?
           FROM json_each(?) j JOIN contact c ON c.recipient_id = j.value ->> 0`,
        )
        .bind(poll, now, now, list),
      db
        .prepare(
          `INSERT INTO delivery_alert (delivery_id, alert_id)
           SELECT d.id, a.id FROM json_each(?) j JOIN class_alert a ON a.recipient_id = j.value ->> 0 AND a.poll_id = ?
           JOIN delivery d ON d.poll_id = a.poll_id AND d.recipient_id = a.recipient_id`,
        )
        .bind(list, poll),
    ])
  }
  return poll
}

function addressOf(app: BenchApp, channel: Channel, id: number): [address: string, key: string] {
  if (channel === 'phone') return [`+1303${2_000_000 + id}`, `+1303${2_000_000 + id}`]
  if (channel === 'email') return [`person${id}@example.com`, `person${id}@example.com`]
  if (channel === 'push') return pushAddress(app)
  const key = `${100_000_000_000_000_000n + BigInt(id)}/token${id}`
  return [`${app.world.url}/discord/api/webhooks/${key}`, key]
}

/** A separate device, at the world's push service. */
function pushAddress({ world: { url, world } }: BenchApp): [address: string, key: string] {
  const device = makeDevice({ name: 'Phone', applicationKey: null, isPhone: false })
  world.devices.push(device)
  const endpoint = `${url}/push/send/${device.id}`
  return [`${endpoint}#${device.p256dh}.${device.auth}`, endpoint]
}

/** Paces of the providers, units a second; set before the first message of the app. */
export async function setPaces(app: BenchApp, paces: { sms: number; mail: number; discord: number }): Promise<void> {
  const rows = [
    ['sms_segments_per_second', paces.sms],
    ['mail_requests_per_second', paces.mail],
    ['discord_requests_per_second', paces.discord],
  ]
  await app.db
    .prepare(
      `INSERT INTO setting (name, value, changed_at) SELECT value ->> 0, CAST(value ->> 1 AS TEXT), 0 FROM json_each(?) WHERE true
       ON CONFLICT (name) DO UPDATE SET value = excluded.value`,
    )
    .bind(JSON.stringify(rows))
    .run()
}
