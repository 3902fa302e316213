import { env } from 'cloudflare:workers'
import { beforeAll, describe, expect, test } from 'vitest'
import { GetSeatHistory } from '../../src/class-tracker/courses/contract.ts'
import { GetWatchedSections } from '../../src/class-tracker/watches/contract.ts'
import { AddClassesProps, AddRecipient } from '../../src/class-tracker/recipients/contract.ts'
import { listRecipients } from '../../src/class-tracker/recipients/list-recipients.ts'
import { makeGroup, makeRecipient, makeSection, makeWatch } from '../worker/catalog.ts'
import { addAlert, addressOf, makeDelivery } from '../worker/deliveries.ts'
import { rows } from '../worker/rows.ts'
import { addUser, browserOf, type Visitor } from '../worker/visitor.ts'
import { watchedDatabase } from '../worker/watched-database.ts'
import { strict } from '../worker/strict.ts'

let staff: Visitor

beforeAll(async () => {
  staff = await browserOf(await addUser({ isSuperuser: true }))
})

async function save(id: number, fields: Record<string, string>) {
  const response = await staff.call('POST', `/class_tracker/add_recipient/${id}`, fields)
  return { status: response.status, answer: strict(AddRecipient).parse(await response.json()) }
}

describe('a contact', () => {
  async function twoContacts() {
    const id = await makeRecipient([
      { kind: 'phone', address: addressOf('phone') },
      { kind: 'phone', address: addressOf('phone') },
    ])
    await env.DB.prepare('UPDATE contact SET verified_at = 5, opted_out_at = 6 WHERE recipient_id = ?').bind(id).run()
    const contacts = await rows<{ id: number; address: string }>(
      'SELECT id, address FROM contact WHERE recipient_id = ? ORDER BY id',
      id,
    )
    const [first, second] = contacts
    if (!first || !second) throw new Error('no contacts')
    return { id, first, second }
  }

  test('with a new number is neither verified nor opted out', async () => {
    const { id, first } = await twoContacts()
    const { answer } = await save(id, { 'recipient-name': 'Ada', [`contact-${first.id}-number`]: '2025550140' })
    expect(answer.recipient?.phone_numbers).toMatchObject([
      { number: '+12025550140', verified: false, opted_out: false },
      { verified: true, opted_out: true },
    ])
  })

  test('may swap its number with another', async () => {
    const { id, first, second } = await twoContacts()
    const { status, answer } = await save(id, {
      'recipient-name': 'Ada',
      [`contact-${first.id}-number`]: second.address,
      [`contact-${second.id}-number`]: first.address,
    })
    expect(status).toBe(200)
    expect(answer.recipient?.phone_numbers.map(({ number }) => number)).toEqual([second.address, first.address])
  })

  test('that is corrected gets waiting messages, but none that may have arrived', async () => {
    const waiting = await makeDelivery('phone')
    const [contact] = await rows<{ id: number }>('SELECT contact_id AS id FROM delivery WHERE id = ?', waiting.id)
    const sent = await rows<{ id: number }>(
      `INSERT INTO delivery (poll_id, recipient_id, contact_id, channel, address, state, due_at, created_at)
       VALUES ('other', ?, ?, 'phone', ?, 'sent', 0, 0) RETURNING id`,
      waiting.recipient,
      contact?.id,
      waiting.address,
    )
    await save(waiting.recipient, { 'recipient-name': 'Ada', [`contact-${contact?.id}-number`]: '2025550141' })
    expect(await rows('SELECT address FROM delivery WHERE id IN (?, ?) ORDER BY id', waiting.id, sent[0]?.id)).toEqual([
      { address: '+12025550141' },
      { address: waiting.address },
    ])
  })

  test('is removed with its waiting messages; its history stays', async () => {
    const { id, recipient, address } = await makeDelivery('phone')
    const [contact] = await rows<{ id: number }>('SELECT id FROM contact WHERE recipient_id = ?', recipient)
    const remove = () => staff.call('POST', `/class_tracker/remove_contact/${contact?.id}`)
    const response = await remove()
    expect([response.status, await response.json()]).toEqual([
      200,
      { is_success: true, message: 'Contact removed successfully' },
    ])
    expect(await rows('SELECT id FROM contact WHERE recipient_id = ?', recipient)).toEqual([])
    expect(await rows('SELECT state, contact_id, address, last_error FROM delivery WHERE id = ?', id)).toEqual([
      { state: 'canceled', contact_id: null, address, last_error: 'The contact was removed.' },
    ])
    expect((await remove()).status).toBe(404)
  })
})

describe('removing a recipient', () => {
  test('also deletes contacts, watches, alerts and messages, and updates the watcher counts', async () => {
    const { recipient, section, id } = await makeDelivery('email')
    const counts = () =>
      rows(
        'SELECT s.watch_count AS section, g.watch_count AS grouped FROM section s JOIN section_group g ON g.id = s.group_id WHERE s.id = ?',
        section,
      )
    expect(await counts()).toEqual([{ section: 1, grouped: 1 }])
    const remove = () => staff.call('POST', `/class_tracker/remove_recipient/${recipient}`)
    const response = await remove()
    expect([response.status, await response.json()]).toEqual([
      200,
      { is_success: true, message: 'Recipient removed successfully' },
    ])
    for (const table of ['contact', 'watch', 'class_alert', 'delivery']) {
      expect(await rows(`SELECT * FROM ${table} WHERE recipient_id = ?`, recipient)).toEqual([])
    }
    expect(await rows('SELECT * FROM delivery_alert WHERE delivery_id = ?', id)).toEqual([])
    expect(await counts()).toEqual([{ section: 0, grouped: 0 }])
    expect((await remove()).status).toBe(404)
  })
})

describe('the page of recipients', () => {
  const see = async (page: string | number) =>
    strict(AddClassesProps).parse((await staff.see(`/class_tracker/add_classes/?page=${page}`)).data.props)

  test('shows 25, newest first, with their watches, in one round trip', async () => {
    const group = await makeGroup({ read_at: Date.UTC(2026, 8, 1) })
    const sections = await Promise.all(['20001', '20002'].map((number) => makeSection(group, number, 'open', 3)))
    const ids: number[] = []
    for (let count = 0; count < 40; count += 1)
      ids.push(await makeRecipient([{ kind: 'phone', address: addressOf('phone') }]))
    for (const id of ids.slice(-3)) for (const section of sections) await makeWatch(id, section)
    await env.DB.prepare('UPDATE watch SET archived_at = 1 WHERE recipient_id = ? AND section_id = ?')
      .bind(ids.at(-1), sections[0])
      .run()
    const first = await see(1)
    expect(first.recipients).toHaveLength(25)
    expect(first.recipients.map(({ id }) => id)).toEqual(ids.toReversed().slice(0, 25))
    expect(first.recipients.map(({ watched_sections }) => watched_sections.length).slice(0, 4)).toEqual([1, 2, 2, 0])
    expect(first.recipients[0]?.watched_sections[0]).toMatchObject({
      number: '20002',
      status: 'open',
      seats_available: 3,
      observed_at: '2026-09-01T00:00:00.000Z',
      school: { id: group.school_id },
      link: expect.stringMatching(/^http:\/\/localhost:1\/\d+\/StudentRegistrationSsb\/ssb/),
      instruction_list: [{ name: 'Ada Lovelace', days_times: 'MoWe 9:05AM - 10:20AM' }],
    })
    expect(first.recipients[1]?.watched_sections[0]).toEqual({ id: sections[1] })
    expect(first.recipients[24]?.phone_numbers).toHaveLength(1)
    const total = first.pagination.total_pages
    expect(total).toBeGreaterThan(1)
    expect(await see(99)).toEqual(await see(total))
    expect(await see('abc')).toEqual(first)
    expect((await see(2)).recipients[0]?.id).toBe(ids.at(-26))
    let trips = 0
    await listRecipients(
      { ...env, DB: watchedDatabase({ before: () => void (trips += 1) }) },
      { page: 1, search: '' },
      Date.now(),
    )
    expect(trips).toBe(1)
  })

  test('shows the first 8 sections of a recipient, open ones first, and all of them on request', async () => {
    const group = await makeGroup()
    const recipient = await makeRecipient()
    const sections: number[] = []
    for (let index = 0; index < 20; index += 1) {
      const section = await makeSection(group, String(50_001 + index), index % 10 === 0 ? 'open' : 'closed', 0)
      sections.push(section)
      await makeWatch(recipient, section)
    }
    const newest = sections.toReversed()
    const isOpen = (id: number) => sections.indexOf(id) % 10 === 0
    const inOrder = [...newest.filter(isOpen), ...newest.filter((id) => !isOpen(id))]
    const [shown] = (await see(1)).recipients
    expect(shown?.watched_sections.map(({ id }) => id)).toEqual(inOrder.slice(0, 8))
    expect(shown?.watched_count).toBe(20)
    const path = `/class_tracker/recipients/${recipient}/watched_sections`
    const all = strict(GetWatchedSections).parse(await (await staff.call('GET', path)).json())
    expect(all.watched_sections.map(({ id }) => id)).toEqual(inOrder)
    expect((await staff.call('GET', '/class_tracker/recipients/999999/watched_sections')).status).toBe(404)
  })

  test('shows the last week of a section, including its state at the start, with at most 60 points', async () => {
    const now = Date.now()
    const group = await makeGroup()
    const section = await makeSection(group, '30001')
    const recipient = await makeRecipient()
    await makeWatch(recipient, section)
    const change = (ageHours: number, seats: number) =>
      env.DB.prepare(
        "INSERT INTO seat_change (section_id, at, status, seats_available) VALUES (?, ?, 'closed', ?)",
      ).bind(section, now - ageHours * 3_600_000, seats)
    await env.DB.batch([change(24 * 30, 1), change(24 * 10, 2), change(24 * 3, 3), change(1, 4)])
    const history = async () => {
      const [watched] = (await see(1)).recipients.find(({ id }) => id === recipient)?.watched_sections ?? []
      return watched && 'history' in watched ? watched.history : []
    }
    expect((await history()).map(({ seats_available }) => seats_available)).toEqual([2, 3, 4])
    const begin = Date.parse((await history())[0]?.at ?? '')
    expect(Math.abs(now - 7 * 24 * 3_600_000 - begin)).toBeLessThan(60_000)
    await env.DB.batch(Array.from({ length: 100 }, (_, index) => change(0.9 - index / 1000, 100 + index)))
    const answer = await staff.call('GET', `/class_tracker/get_seat_history/${section}`)
    const { history: cut } = strict(GetSeatHistory).parse(await answer.json())
    expect(cut).toHaveLength(60)
    expect(cut.at(-1)?.seats_available).toBe(199)
  })

  test('lists schools by name and the terms that are offered', async () => {
    const group = await makeGroup()
    const props = await see(1)
    expect(props.terms.map(({ id }) => id)).toContain(group.term_id)
    expect(props.schools.map(({ id }) => id)).toContain(group.school_id)
    await env.DB.prepare('UPDATE school_term SET is_available = 0').run()
    expect((await see(1)).terms).toEqual([])
    await env.DB.prepare('UPDATE school_term SET is_available = 1').run()
  })

  test('finds recipients by name, contact and watched sections, for every word', async () => {
    const group = await makeGroup()
    const section = await makeSection(group, '48151')
    const address = addressOf('email')
    const zoe = await makeRecipient([{ kind: 'email', address }])
    await rows("UPDATE recipient SET name = 'Zoë Quimby', description = 'night shift' WHERE id = ?", zoe)
    const other = await makeRecipient()
    await makeWatch(zoe, section)
    await makeWatch(other, section)
    const find = async (q: string) => {
      const { data } = await staff.see(`/class_tracker/add_classes/?q=${encodeURIComponent(q)}`)
      return strict(AddClassesProps).parse(data.props)
    }
    const ids = async (q: string) => (await find(q)).recipients.map(({ id }) => id)
    for (const typed of ['zoë', 'zoe', 'ZOE']) expect(await ids(typed), typed).toEqual([zoe])
    expect(await ids('QUIMBY night')).toEqual([zoe])
    expect(await ids('48151')).toEqual([other, zoe])
    expect(await ids('48151 quimby')).toEqual([zoe])
    expect(await ids(address)).toEqual([zoe])
    const none = await find('48151 nobody')
    expect([none.recipients, none.q]).toEqual([[], '48151 nobody'])
    expect(none.totals?.recipients).toBeGreaterThan(1)
    await rows('UPDATE watch SET archived_at = 1 WHERE recipient_id = ?', zoe)
    expect(await ids('48151')).toEqual([other])
  })

  test("stays small with 50 recipients of 20 sections each, and returns a section's whole history on request", async () => {
    const now = Date.now()
    const group = await makeGroup()
    const sections: number[] = []
    for (let index = 0; index < 20; index += 1) sections.push(await makeSection(group, String(60_001 + index)))
    await env.DB.batch(
      sections.flatMap((section) =>
        Array.from({ length: 60 }, (_, hours) =>
          env.DB.prepare(
            "INSERT INTO seat_change (section_id, at, status, seats_available, capacity) VALUES (?, ?, 'closed', ?, 30)",
          ).bind(section, now - hours * 3_600_000, hours),
        ),
      ),
    )
    for (let count = 0; count < 50; count += 1) {
      const recipient = await makeRecipient([{ kind: 'email', address: addressOf('email') }])
      for (const section of sections) await makeWatch(recipient, section)
    }
    const { html, data } = await staff.see<AddClassesProps>('/class_tracker/add_classes/')
    expect(data.props.totals).toMatchObject({ sections: 20 })
    expect(new TextEncoder().encode(html).byteLength).toBeLessThan(250_000)
    const shown = await rows<{ id: number }>('SELECT id FROM recipient ORDER BY id DESC LIMIT 25')
    for (const [index, { id }] of shown.entries()) {
      await env.DB.prepare('DELETE FROM watch WHERE recipient_id = ?').bind(id).run()
      for (let count = 0; count < 8; count += 1) {
        const section = await makeSection(group, String(70_001 + index * 8 + count))
        await makeWatch(id, section)
        const change = env.DB.prepare(
          "INSERT INTO seat_change (section_id, at, status, seats_available, capacity) VALUES (?, ?, 'closed', ?, 30)",
        )
        await env.DB.batch([1, 2, 3].map((hours) => change.bind(section, now - hours * 3_600_000, hours)))
      }
    }
    const apart = await staff.see<AddClassesProps>('/class_tracker/add_classes/')
    expect(apart.data.props.totals).toMatchObject({ sections: 200 })
    expect(new TextEncoder().encode(apart.html).byteLength).toBeLessThan(250_000)
    // Each recipient's first section is drawn with its week; the others get theirs when requested.
    for (const { watched_sections: watched } of apart.data.props.recipients.slice(0, 25)) {
      expect(watched.map((one) => ('history' in one ? one.history.length : 0))).toEqual([3, 0, 0, 0, 0, 0, 0, 0])
    }
    const path = `/class_tracker/get_seat_history/${sections[0]}`
    const { history } = strict(GetSeatHistory).parse(await (await staff.call('GET', path)).json())
    expect(history).toHaveLength(60)
  })
})

test("a recipient's alerts are deleted with it, and others stay", async () => {
  const group = await makeGroup()
  const section = await makeSection(group, '40001')
  const [gone, stays] = [await makeRecipient(), await makeRecipient()]
  await addAlert('a', gone, section)
  const kept = await addAlert('b', stays, section)
  await staff.call('POST', `/class_tracker/remove_recipient/${gone}`)
  expect(await rows('SELECT id FROM class_alert WHERE section_id = ?', section)).toEqual([{ id: kept }])
})
