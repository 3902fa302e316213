import { env } from 'cloudflare:workers'
import { beforeAll, expect, test } from 'vitest'
import type { ClassAlertsProps } from '../../src/class-tracker/alerts/contract.ts'
import { readOverview, readToday } from '../../src/class-tracker/alerts/read-overview.ts'
import { makeGroup, makeRecipient, makeSection, makeWatch } from '../worker/catalog.ts'
import { makeDelivery } from '../worker/deliveries.ts'
import { rows } from '../worker/rows.ts'
import { addUser, browserOf, type Visitor } from '../worker/visitor.ts'
import { watchedDatabase } from '../worker/watched-database.ts'

const hour = 3_600_000
let staff: Visitor

beforeAll(async () => {
  staff = await browserOf(await addUser({ username: 'overview', isSuperuser: true }))
})

test('a day without openings has its own sentence', async () => {
  const { html } = await staff.see('/class_tracker/')
  expect(html).toContain('No seats have opened today.')
})

test("today begins at the reader's midnight; openings are newest first, with their current seats", async () => {
  // Noon in New York: its day began twelve hours ago, that of UTC seventeen.
  const now = Date.UTC(2026, 10, 18, 17)
  const group = await makeGroup()
  const [early, open, closed] = await Promise.all([
    makeSection(group, '10001', 'closed'),
    makeSection(group, '10002', 'open', 3),
    makeSection(group, '10003', 'closed', 0),
  ])
  const people = [await makeRecipient(), await makeRecipient()]
  for (const person of people) await makeWatch(person, open)
  const opened: [number, number][] = [
    [early, now - 15 * hour],
    [closed, now - 11 * hour],
    [open, now - hour],
  ]
  for (const [section, at] of opened) {
    await rows(
      "INSERT INTO opening (section_id, version, poll_id, last_closed_at, seen_open_at) VALUES (?1, 1, 'p' || ?2, ?2 - 1, ?2)",
      section,
      at,
    )
  }
  const [{ id: opening } = { id: 0 }] = await rows<{ id: number }>('SELECT id FROM opening WHERE section_id = ?', open)
  for (const person of people) {
    await rows(
      "INSERT INTO class_alert (opening_id, recipient_id, section_id, kind, created_at, poll_id) VALUES (?, ?, ?, 'opening', ?, 'p')",
      opening,
      person,
      open,
      now - hour,
    )
  }
  const here = await readOverview(env, 'America/New_York', now)
  const lastOpened = new Date(now - hour).toISOString()
  expect(here.today).toMatchObject({
    watched_sections: 1,
    openings: 2,
    last_opened_at: lastOpened,
    failed_deliveries: 0,
  })
  expect((await readToday(env, 'America/New_York', now)).today).toEqual(here.today)
  expect((await readToday(env, 'America/New_York', now + 24 * hour)).today.last_opened_at).toBeNull()
  expect(here.opened.map(({ section, notified }) => [section.number, section.status, notified])).toEqual([
    ['10002', 'open', 0],
    ['10003', 'closed', 0],
  ])
  expect((await readOverview(env, 'UTC', now)).today.openings).toBe(3)
})

test('an opening lists everyone to whom a message was sent, once each', async () => {
  const now = Date.now()
  const [reached, waiting] = [await makeDelivery('email'), await makeDelivery('phone')]
  await rows(
    `INSERT INTO class_alert (opening_id, recipient_id, section_id, kind, reminder, created_at, poll_id)
     SELECT opening_id, recipient_id, section_id, 'reminder', 1, ?, poll_id FROM class_alert WHERE section_id = ?`,
    now,
    reached.section,
  )
  await rows(
    `INSERT INTO delivery_alert (delivery_id, alert_id) SELECT ?, id FROM class_alert WHERE section_id = ? AND reminder = 1`,
    reached.id,
    reached.section,
  )
  await rows("UPDATE delivery SET state = 'sent', accepted_at = ? WHERE id = ?", now, reached.id)
  const { opened } = await readOverview(env, 'UTC', now)
  const notified = new Map(opened.map((one) => [one.section.id, one.notified]))
  expect([notified.get(reached.section), notified.get(waiting.section)]).toEqual([1, 0])
})

test('seats that were open before someone began to watch them are no openings of the day', async () => {
  const now = Date.now()
  const { section } = await makeDelivery('email')
  const before = await readOverview(env, 'UTC', now)
  const again = Array.from({ length: 7 }, () => makeDelivery('email'))
  for (const made of await Promise.all(again))
    await rows('UPDATE opening SET last_closed_at = NULL WHERE section_id = ?', made.section)
  const { today, opened } = await readOverview(env, 'UTC', now)
  expect(today).toMatchObject({ openings: before.today.openings, last_opened_at: before.today.last_opened_at })
  expect(opened.map((one) => one.section.id)).toEqual(before.opened.map((one) => one.section.id))
  expect(opened[0]?.section.id).toBe(section)
})

test('a message that is held or was canceled is not called on its way', async () => {
  const { id, section } = await makeDelivery('email')
  const result = async () => {
    const { html } = await staff.see('/class_tracker/')
    return /On its way|Held for now|Not sent[^<]*/.exec(html)?.[0]
  }
  expect(await result()).toBe('On its way')
  await rows("UPDATE delivery SET state = 'held' WHERE id = ?", id)
  expect(await result()).toBe('Held for now')
  await rows("UPDATE delivery SET state = 'canceled' WHERE id = ?", id)
  expect(await result()).toBe('Not sent')
  await rows('DELETE FROM delivery WHERE id = ?', id)
  expect(await result()).toBe('Not sent: no usable contact')
  await rows('UPDATE class_alert SET poll_id = NULL, release_at = 1 WHERE section_id = ?', section)
  expect(await result()).toBe('Held for now')
  await rows('UPDATE class_alert SET canceled_at = 1 WHERE section_id = ?', section)
  expect(await result()).toBe('Not sent')
})

test('seats that were not read recently are not shown as current', async () => {
  await rows('UPDATE section_group SET read_at = NULL, listed_at = NULL')
  const { section } = await makeDelivery('email')
  const read = (at: number) =>
    rows(
      'UPDATE section_group SET read_at = ?1, listed_at = ?1 WHERE id = (SELECT group_id FROM section WHERE id = ?2)',
      at,
      section,
    )
  await rows('UPDATE section SET seats_available = 3, capacity = 20 WHERE id = ?', section)
  const alertOf = async () => {
    const { html, data } = await staff.see<ClassAlertsProps>('/class_tracker/class_alerts/')
    return { html, alert: data.props.class_alerts.find(({ course_section }) => course_section.id === section) }
  }
  await read(Date.now() - 9 * 60_000)
  const fresh = await alertOf()
  expect(fresh.alert?.is_current).toBe(true)
  expect(fresh.html).toContain('<strong>3</strong> left of 20 now<')
  expect((await staff.see('/class_tracker/')).html).toMatch(/seat-dot.*<strong>3<\/strong> left of 20</)

  await read(Date.now() - 11 * 60_000)
  const old = await alertOf()
  expect(old.alert?.is_current).toBe(false)
  expect(old.html).toContain('>3 left of 20 when last checked<')
  expect(old.html).not.toContain('left of 20 now')
  const { html } = await staff.see('/class_tracker/')
  expect(html).toContain('>3 left of 20<')
  expect(html).not.toContain('seat-dot')
})

test("today's failures and failing sources are counted in one round trip", async () => {
  const now = Date.now()
  const failed = await makeDelivery('email')
  await rows("UPDATE delivery SET state = 'failed', created_at = ? WHERE id = ?", now, failed.id)
  const group = await makeGroup()
  await rows('UPDATE source SET failures = 3 WHERE id = ?', group.source_id)
  let trips = 0
  const DB = watchedDatabase({ before: () => void (trips += 1) })
  const { today } = await readOverview({ ...env, DB }, 'UTC', now)
  expect(trips).toBe(1)
  expect(today.failed_deliveries).toBe(1)
  expect(today.sources - today.sources_on_time).toBe(1)
})

test('staff see when the address in messages is too long for one segment', async () => {
  const at = (host: string) => readOverview({ ...env, APP_URL: `https://${host}` }, 'UTC', Date.now())
  expect((await at(`${'h'.repeat(27)}.example`)).warning).toBeNull()
  expect((await at(`${'h'.repeat(28)}.example`)).warning).toContain('longer than 35 characters')
})

test.each(['cords.example.com', 'https://cords.example.com/', 'https://cords.example.com/app', ''])(
  'staff see that messages cannot link to %j',
  async (APP_URL) => {
    const { warning } = await readOverview({ ...env, APP_URL }, 'UTC', Date.now())
    expect(warning).toContain(`APP_URL in wrangler.toml is “${APP_URL}”`)
  },
)
