import { env } from 'cloudflare:workers'
import { beforeAll, describe, expect, test } from 'vitest'
import { listAlerts } from '../../src/class-tracker/alerts/list-alerts.ts'
import { ClassAlertsProps } from '../../src/class-tracker/alerts/contract.ts'
import { type MadeGroup, makeGroup, makeRecipient, makeSection, makeWatch } from '../worker/catalog.ts'
import { addAlert, makeDeliveries, makeDelivery, runDelivery } from '../worker/deliveries.ts'
import { rows } from '../worker/rows.ts'
import { addUser, browserOf, type Visitor } from '../worker/visitor.ts'
import { watchedDatabase } from '../worker/watched-database.ts'
import { strict } from '../worker/strict.ts'

let staff: Visitor

beforeAll(async () => {
  staff = await browserOf(await addUser({ isSuperuser: true }))
})

async function see(query: Record<string, string> = {}): Promise<ClassAlertsProps> {
  const { response, data } = await staff.see(`/class_tracker/class_alerts/?${new URLSearchParams(query)}`)
  expect(response.status).toBe(200)
  return strict(ClassAlertsProps).parse(data.props)
}

/** The same without the figures above the list, which are renewed by themselves. */
async function seeList(query: Record<string, string> = {}): Promise<ClassAlertsProps> {
  const { message_figures: _, ...list } = await see(query)
  return list
}

const named = async (name: string) => {
  const id = await makeRecipient()
  await env.DB.prepare('UPDATE recipient SET name = ? WHERE id = ?').bind(name, id).run()
  return id
}

describe('an alert', () => {
  test('shows its section, its recipient and each message with a masked address', async () => {
    const [phone, mail, discord] = await makeDeliveries([
      { kind: 'phone', address: '+12125550177' },
      { kind: 'email', address: 'ada@example.com' },
      { kind: 'discord', address: `${env.DISCORD_API_URL}/webhooks/123456789/secret-token` },
    ])
    if (!phone || !mail || !discord) throw new Error('no deliveries')
    await env.DB.batch([
      env.DB.prepare(
        "UPDATE delivery SET state = 'delivered', attempts = 1, accepted_at = 5000, delivered_at = 9000, seen_at = 9500, seen_by = 'got_it' WHERE id = ?",
      ).bind(phone.id),
      env.DB.prepare(
        "UPDATE delivery SET state = 'sent', attempts = 2, accepted_at = 4000, is_repeated = 1 WHERE id = ?",
      ).bind(mail.id),
      env.DB.prepare("UPDATE delivery SET state = 'failed', attempts = 5, last_error = '404' WHERE id = ?").bind(
        discord.id,
      ),
      env.DB.prepare('UPDATE opening SET last_closed_at = 1000, seen_open_at = 2000 WHERE section_id = ?').bind(
        phone.section,
      ),
    ])
    const [alert] = (await see({ recipient_id: String(phone.recipient) })).class_alerts
    expect(alert).toMatchObject({
      recipient: { id: phone.recipient },
      course_section: {
        id: phone.section,
        number: '10001',
        course: { level: '101' },
        school: { id: expect.any(Number) },
      },
      kind: 'opening',
      state: 'sent',
      last_closed_at: '1970-01-01T00:00:01.000Z',
      seen_open_at: '1970-01-01T00:00:02.000Z',
      accepted_at: '1970-01-01T00:00:04.000Z',
      deliveries: [
        {
          id: phone.id,
          channel: 'phone',
          address: '•••• 0177',
          state: 'delivered',
          attempts: 1,
          delivered_at: '1970-01-01T00:00:09.000Z',
          seen_at: '1970-01-01T00:00:09.500Z',
          seen_by: 'got_it',
        },
        {
          id: mail.id,
          channel: 'email',
          address: 'a•••@example.com',
          state: 'sent',
          is_repeated: true,
          seen_at: null,
          seen_by: null,
        },
        { id: discord.id, channel: 'discord', state: 'failed', last_error: '404', accepted_at: null },
      ],
    })
    const { html } = await staff.see('/class_tracker/class_alerts/')
    for (const secret of ['2125550177', 'ada@example.com', 'secret-token']) expect(html).not.toContain(secret)
  })

  test('that reached no one is shown as such, never as sent', async () => {
    const group = await makeGroup()
    const recipient = await makeRecipient()
    await addAlert('nobody', recipient, await makeSection(group, '1', 'open', 1))
    const { class_alerts } = await see({ recipient_id: String(recipient) })
    expect(class_alerts).toMatchObject([{ state: 'no_contact', accepted_at: null, deliveries: [] }])
    expect(class_alerts[0]).not.toHaveProperty('has_contacts')
  })

  test('that reached no one says so if its recipient has contacts, but none that may be used', async () => {
    const { id, recipient } = await makeDelivery('email')
    await rows('DELETE FROM delivery WHERE id = ?', id)
    const { class_alerts } = await see({ recipient_id: String(recipient) })
    expect(class_alerts).toMatchObject([{ state: 'no_contact', has_contacts: true }])
  })

  test('can be filtered by channel, and by failures', async () => {
    const [phone, mail] = await makeDeliveries([
      { kind: 'phone', address: '+12125550178' },
      { kind: 'email', address: 'grace@example.com' },
    ])
    if (!phone || !mail) throw new Error('no deliveries')
    await env.DB.prepare("UPDATE delivery SET state = 'failed' WHERE id = ?").bind(mail.id).run()
    const count = async (query: Record<string, string>) =>
      (await see({ recipient_id: String(phone.recipient), ...query })).class_alerts.length
    expect(await count({ channel: 'phone' })).toBe(1)
    expect(await count({ channel: 'email', result: 'failed' })).toBe(1)
    expect(await count({ channel: 'phone', result: 'failed' })).toBe(0)
    expect(await count({ channel: 'discord' })).toBe(0)
    // An unknown channel does not filter.
    expect(await count({ channel: 'pigeon' })).toBe(1)
  })

  test('shows how long it is held', async () => {
    const group = await makeGroup()
    const recipient = await makeRecipient()
    const id = await addAlert('held', recipient, await makeSection(group, '1', 'open', 1))
    await env.DB.prepare('UPDATE class_alert SET poll_id = NULL, release_at = 60000 WHERE id = ?').bind(id).run()
    const { class_alerts } = await see({ recipient_id: String(recipient) })
    expect(class_alerts).toMatchObject([{ state: 'held', release_at: '1970-01-01T00:01:00.000Z' }])
  })
})

describe('the list', () => {
  async function sectionOf(
    group: MadeGroup,
    key: string,
    course: { code: string; level: string; title: string },
    topic: string,
    teacher: string,
  ) {
    const id = await makeSection(group, key, 'open', 1)
    const [row] = await rows<{ id: number }>(
      'INSERT INTO course (subject_id, code, level, title) VALUES (?, ?, ?, ?) RETURNING id',
      group.subject_id,
      course.code,
      course.level,
      course.title,
    )
    await env.DB.prepare('UPDATE section SET course_id = ?, topic = ?, instruction_list = ? WHERE id = ?')
      .bind(
        row?.id,
        topic,
        JSON.stringify([
          { name: teacher, days_times: 'MoWe' },
          { name: 'Second "Quote" Teacher', days_times: 'Fr' },
        ]),
        id,
      )
      .run()
    return id
  }

  test('matches each word anywhere: course, number, topic, recipient, instructor, school', async () => {
    const group = await makeGroup()
    const algebra = await sectionOf(
      group,
      's1',
      { code: 'ZALG', level: '2200H', title: 'Abstract Thinking' },
      'Rings & Fields',
      'Emmy Noether',
    )
    const poetry = await sectionOf(
      group,
      's2',
      { code: 'ZPOE', level: '99', title: 'Verse' },
      'Élégies',
      'Zoë Ångström',
    )
    const [ada, bob] = [await named('Ada Zlovelace'), await named('Bob 100%_Zsafe')]
    const alerts = {
      ada1: await addAlert('1', ada, algebra),
      ada2: await addAlert('2', ada, poetry),
      bob: await addAlert('3', bob, poetry),
    }
    const found = async (q: string, recipient?: number) =>
      (await see({ q, ...(recipient && { recipient_id: String(recipient) }) })).class_alerts.map(({ id }) => id)
    const { ada1, ada2, bob: bob1 } = alerts
    expect(await found('zalg')).toEqual([ada1])
    expect(await found('ZALG 2200h')).toEqual([ada1])
    expect(await found('zalg2200h')).toEqual([ada1])
    expect(await found('abstract')).toEqual([ada1])
    expect(await found('rings &')).toEqual([ada1])
    expect(await found('zpoe')).toEqual([bob1, ada2])
    for (const typed of ['elegies', 'ÉLÉGIES', 'angstrom zoe', 'élegies'])
      expect(await found(typed), typed).toEqual([bob1, ada2])
    expect(await found('noether zlovelace')).toEqual([ada1])
    expect(await found('zpoe zlovelace')).toEqual([ada2])
    expect(await found('zpoe noether')).toEqual([])
    expect(await found('zpoe', ada)).toEqual([ada2])
    expect(await found('élégies')).toEqual([bob1, ada2])
    expect(await found('ZOË ångström')).toEqual([bob1, ada2])
    expect(await found('100%_zsafe')).toEqual([bob1])
    expect(await found('z%')).toEqual([])
    expect(await found('"quote" zpoe 99')).toEqual([bob1, ada2])
    expect(await found('days_times zpoe')).toEqual([])
    expect(await found('nothing-at-all')).toEqual([])
    expect(await found('zpoe s2')).toEqual([bob1, ada2])
    expect(await found('zpoe s1')).toEqual([])
    const [school] = await rows<{ name: string }>('SELECT name FROM school WHERE id = ?', group.school_id)
    expect(await found(`zalg ${school?.name}`)).toEqual([ada1])
    expect(await found(`zalg ${school?.name} elsewhere`)).toEqual([])
  })

  test('accepts a search of any length and shows what it used', async () => {
    expect((await see({ q: `  a \u0000 ${'b '.repeat(400)}` })).q).toHaveLength(99)
    expect((await see({ q: '💥'.repeat(1000) })).class_alerts).toEqual([])
    const fifty = Array.from({ length: 50 }, (_, index) => String.fromCodePoint(0x4e00 + index)).join(' ')
    expect((await see({ q: fifty })).class_alerts).toEqual([])
  })

  test('has 50 per page, newest first; a page past the end is the last', async () => {
    const group = await makeGroup()
    const section = await makeSection(group, '1', 'open', 1)
    const recipient = await named('Paged Person')
    const ids: number[] = []
    for (let count = 0; count < 120; count += 1) ids.push(await addAlert(`p${count}`, recipient, section))
    for (const query of [{ recipient_id: String(recipient) }, { q: 'paged person' }] as Record<string, string>[]) {
      const first = await seeList(query)
      expect(first.class_alerts.map(({ id }) => id)).toEqual(ids.toReversed().slice(0, 50))
      expect(first.pagination).toEqual({
        current_page: 1,
        total_pages: 3,
        has_previous: false,
        has_next: true,
        previous_page_number: 0,
        next_page_number: 2,
      })
      const last = await seeList({ ...query, page: '3' })
      expect(last.class_alerts).toHaveLength(20)
      expect(await seeList({ ...query, page: '99' })).toEqual(last)
      expect(await seeList({ ...query, page: 'abc' })).toEqual(first)
    }
    expect(await seeList({ recipient_id: 'abc' })).toMatchObject({ selected_recipient_id: null })
    expect(await seeList({ recipient_id: String(recipient) })).toMatchObject({ selected_recipient_id: recipient })
    expect(await seeList({ recipient_id: '987654' })).toEqual(await seeList())
    expect(await seeList({ recipient_id: '987654', q: 'introduction' })).toEqual(await seeList({ q: 'introduction' }))
    expect((await seeList({ recipient_id: '987654' })).class_alerts.length).toBeGreaterThan(0)
    const without = await named('Nothing Yet')
    expect(await seeList({ recipient_id: String(without) })).toMatchObject({
      class_alerts: [],
      selected_recipient_id: without,
    })
  })

  test('names the chosen recipient, even if there are too many to list', async () => {
    const last = await named('ZZZ Last')
    await rows(
      `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2000)
       INSERT INTO recipient (name, created_at) SELECT 'One of many ' || i, 0 FROM n`,
    )
    const isListed = async (query: Record<string, string>) =>
      (await seeList(query)).recipients.some(({ id }) => id === last)
    const listed = [await isListed({}), await isListed({ recipient_id: String(last) })]
    await rows("DELETE FROM recipient WHERE name LIKE 'One of many %'")
    expect(listed).toEqual([false, true])
  })

  test('takes one round trip, and stays fast with 100 000 alerts', async () => {
    const group = await makeGroup()
    const sections = await Promise.all(
      Array.from({ length: 20 }, (_, index) => makeSection(group, `q${String.fromCodePoint(97 + index)}`, 'open', 1)),
    )
    const recipients = await Promise.all(Array.from({ length: 20 }, (_, index) => named(`Crowd ${index}th`)))
    const numbers = JSON.stringify(Array.from({ length: 250 }, (_, index) => index))
    for (const section of sections) {
      await env.DB.batch([
        env.DB.prepare(
          "INSERT INTO opening (section_id, version, poll_id, seen_open_at) SELECT ?, 1000000 + value, 'q', 0 FROM json_each(?)",
        ).bind(section, numbers),
        env.DB.prepare(
          `INSERT INTO class_alert (opening_id, recipient_id, section_id, kind, created_at, poll_id)
           SELECT o.id, r.value, o.section_id, 'opening', 0, 'q' FROM opening o, json_each(?) r WHERE o.section_id = ?`,
        ).bind(JSON.stringify(recipients), section),
      ])
    }
    let trips = 0
    const db = watchedDatabase({ before: () => void (trips += 1) })
    const now = Date.now()
    // Figures of this moment are not renewed, which would cost more round trips.
    await env.DB.prepare('DELETE FROM message_times').run()
    await listAlerts(env, { recipientId: null, search: '', page: 1 }, now, () => undefined)
    const { class_alerts, pagination } = await listAlerts(
      { ...env, DB: db },
      { recipientId: null, search: 'introduction crowd 17th', page: 1 },
      now,
      () => undefined,
    )
    expect(trips).toBe(1)
    expect(class_alerts).toHaveLength(50)
    expect(class_alerts.every(({ recipient }) => recipient.name === 'Crowd 17th')).toBe(true)
    expect(pagination.total_pages).toBe(100)
    // A recipient who was removed since costs a second one.
    for (const [recipientId, expected] of [
      [recipients[3] ?? 0, 1],
      [987_654, 2],
    ] as const) {
      trips = 0
      const listed = await listAlerts({ ...env, DB: db }, { recipientId, search: '', page: 1 }, now, () => undefined)
      expect(trips).toBe(expected)
      expect(listed.class_alerts).toHaveLength(50)
    }
  })
})

describe('Retry', () => {
  test('sends a failed message again, and no other', async () => {
    const made = await makeDelivery('phone')
    await makeWatch(made.recipient, await makeSection(await makeGroup(), '9'))
    const retry = () => staff.call('POST', `/class_tracker/retry_delivery/${made.id}`)
    await env.DB.prepare("UPDATE delivery SET state = 'sent' WHERE id = ?").bind(made.id).run()
    const refused = await retry()
    expect([refused.status, await refused.json()]).toEqual([409, [expect.any(String)]])
    await env.DB.prepare("UPDATE delivery SET state = 'failed', attempts = 5 WHERE id = ?").bind(made.id).run()
    const response = await retry()
    expect([response.status, await response.json()]).toEqual([200, { is_success: true, message: expect.any(String) }])
  })
})

test('a message that the school did not confirm has a different label from one that expired', async () => {
  const [silent, old] = await makeDeliveries([
    { kind: 'phone', address: '+12125550181' },
    { kind: 'email', address: 'edith@example.com' },
  ])
  if (!silent || !old) throw new Error('no deliveries')
  const [hour, now] = [60 * 60_000, Date.now()]
  await rows('UPDATE delivery SET created_at = ? WHERE recipient_id = ?', now - 3 * hour, silent.recipient)
  await rows(
    'UPDATE section_group SET read_at = ? WHERE id = (SELECT group_id FROM section WHERE id = ?)',
    now - 3 * hour,
    silent.section,
  )
  await rows('UPDATE delivery SET asked_at = ? WHERE id = ?', now, silent.id)
  for (const { id } of [silent, old]) await runDelivery(id)
  const [alert] = (await see({ recipient_id: String(silent.recipient) })).class_alerts
  const [first, second] = alert?.deliveries ?? []
  expect(first).toMatchObject({
    state: 'expired',
    is_seat_unconfirmed: true,
    last_error: 'The school did not say that the seat is still open.',
  })
  expect(second).toMatchObject({ state: 'expired', last_error: 'Expired before it was sent.' })
  expect(second).not.toHaveProperty('is_seat_unconfirmed')
})

test('a message that is being sent is shown as queued', async () => {
  const { id, recipient } = await makeDelivery('phone')
  await env.DB.prepare("UPDATE delivery SET state = 'sending', attempts = 1 WHERE id = ?").bind(id).run()
  const { class_alerts } = await see({ recipient_id: String(recipient) })
  expect(class_alerts).toMatchObject([{ state: 'pending', deliveries: [{ id, state: 'queued', attempts: 1 }] }])
})
