import { env } from 'cloudflare:workers'
import { afterEach, describe, expect, test } from 'vitest'
import { listAlerts } from '../../src/class-tracker/alerts/list-alerts.ts'
import { retryDelivery } from '../../src/class-tracker/deliveries/retry-delivery.ts'
import { deliveryKey, sendDelivery } from '../../src/class-tracker/deliveries/send-delivery.ts'
import { sweepAlerts } from '../../src/class-tracker/deliveries/sweep-alerts.ts'
import { findLink } from '../../src/class-tracker/links/find-link.ts'
import { enqueue } from '../../src/jobs/enqueue.ts'
import { RunAgain } from '../../src/jobs/job.ts'
import {
  addAlert,
  addressOf,
  arrivedAt,
  comeDue,
  deliveryOf,
  inputOf,
  makeDeliveries,
  makeDelivery,
  runDelivery,
  runToTheEnd,
} from '../worker/deliveries.ts'
import { makeGroup, makeSection, makeWatch } from '../worker/catalog.ts'
import { listening, runContext } from '../worker/job-context.ts'
import { one, rows } from '../worker/rows.ts'
import { watchedDatabase } from '../worker/watched-database.ts'
import { world } from '../worker/world.ts'
import { trackerStaff } from '../worker/tracker-staff.ts'

afterEach(() => world.clearFaults())

const invalidNumber = '+15005550001'
const optedOutNumber = '+15005550004'

const change = (statement: string, ...values: unknown[]) =>
  env.DB.prepare(statement)
    .bind(...values)
    .run()

describe('a due delivery', () => {
  test("by phone arrives once with the alert's text, and is sent with the provider's id", async () => {
    const { id, address } = await makeDelivery('phone')
    expect(await runDelivery(id)).toEqual({ state: 'sent', error: null })
    const [text, ...others] = await arrivedAt(address)
    expect(others).toEqual([])
    expect(text).toMatch(
      /^Class Cords: seat open\. CS\d+ 101-\S+ Introduction, CRN 10001, 3 left\. http:\/\/localhost:8787\/s\/[0-9A-Za-z]{10} Reply STOP to end\.$/,
    )
    const delivery = await deliveryOf(id)
    expect(delivery).toMatchObject({ state: 'sent', attempts: 1, last_error: null, is_repeated: 0 })
    expect(delivery.provider_id).toMatch(/^SM[0-9a-f]{32}$/)
    expect(delivery.accepted_at).toBeGreaterThanOrEqual(delivery.tried_at ?? Infinity)
  })

  test('by email has its unsubscribe link in the text and in the headers that email apps read', async () => {
    const { id, address } = await makeDelivery('email')
    await runDelivery(id)
    const mail = (await world.outbox()).email.find(({ to }) => to === address)
    expect(mail?.subject).toMatch(/^Seat open: CS\d+ 101-\S+ Introduction$/)
    const [link] = /http:\/\/localhost:8787\/notify\/unsubscribe\/\S+/.exec(mail?.text ?? '') ?? []
    expect(mail?.html).toContain(link)
    const { provider_id } = await deliveryOf(id)
    const resource = await fetch(`${env.RESEND_API_URL}/emails/${provider_id}`, {
      headers: { authorization: 'Bearer re_test', 'user-agent': 'a test' },
    })
    expect(await resource.json()).toMatchObject({
      headers: { 'List-Unsubscribe': `<${link}>`, 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' },
    })
  })

  test('by Discord webhook arrives once', async () => {
    const { id, address } = await makeDelivery('discord')
    expect(await runDelivery(id)).toMatchObject({ state: 'sent' })
    expect(await arrivedAt(address)).toHaveLength(1)
  })

  test('is sent to every contact of a recipient', async () => {
    const addresses = (['phone', 'phone', 'email'] as const).map((kind) => ({ kind, address: addressOf(kind) }))
    for (const { id } of await makeDeliveries(addresses)) await runDelivery(id)
    for (const { address } of addresses) expect(await arrivedAt(address)).toHaveLength(1)
  })

  test('takes three round trips to the database', async () => {
    let trips = 0
    const db = watchedDatabase({ before: (trip) => void (trips = trip) })
    const { id } = await makeDelivery('phone')
    expect(await runDelivery(id, { db })).toMatchObject({ state: 'sent' })
    expect(trips).toBe(3)
  })

  test('mentions a section once, however many of its alerts it carries, with the current seats', async () => {
    const { id, address, recipient, section } = await makeDelivery('phone')
    const reminder = await addAlert('another poll', recipient, section, 'reminder')
    await change('INSERT INTO delivery_alert (delivery_id, alert_id) VALUES (?, ?)', id, reminder)
    await change('UPDATE section SET seats_available = 1 WHERE id = ?', section)
    await runDelivery(id)
    const [text] = await arrivedAt(address)
    expect(text?.match(/Introduction/g)).toHaveLength(1)
    expect(text).toContain(', 1 left.')
    expect(text).not.toContain('still open')
  })

  test('counts only the seats that anyone may take', async () => {
    const { id, address, section } = await makeDelivery('phone')
    await change('UPDATE section SET seats_available = 5, seats_for_anyone = 1 WHERE id = ?', section)
    await runDelivery(id)
    expect(await arrivedAt(address)).toEqual([expect.stringContaining(', 1 left.')])
  })

  test('is not sent again by a duplicated job, and a deleted one is no error', async () => {
    const { id, address, recipient } = await makeDelivery('phone')
    await runDelivery(id)
    expect(await runDelivery(id)).toEqual({ state: 'sent', error: null })
    expect(await arrivedAt(address)).toHaveLength(1)
    await change('DELETE FROM recipient WHERE id = ?', recipient)
    expect(await runDelivery(id)).toEqual({ state: 'gone' })
  })

  test('is not sent before it is due', async () => {
    const { id, address } = await makeDelivery('phone')
    const later = Date.now() + 60_000
    await change('UPDATE delivery SET due_at = ? WHERE id = ?', later, id)
    expect(await runDelivery(id)).toMatchObject({ at: later, input: { delivery_id: id } })
    expect(await arrivedAt(address)).toEqual([])
  })
})

describe('a delivery that is no longer needed', () => {
  const reasons: [string, (made: { id: number; recipient: number; section: number }) => Promise<unknown>][] = [
    ['The contact was removed.', ({ recipient }) => change('DELETE FROM contact WHERE recipient_id = ?', recipient)],
    [
      'The contact is turned off.',
      ({ recipient }) => change('UPDATE contact SET is_enabled = 0 WHERE recipient_id = ?', recipient),
    ],
    ['Opted out.', ({ recipient }) => change('UPDATE contact SET opted_out_at = 1 WHERE recipient_id = ?', recipient)],
    [
      'Contact by phone is turned off.',
      ({ recipient }) => change('UPDATE recipient SET is_contact_by_phone = 0 WHERE id = ?', recipient),
    ],
    [
      'The section is no longer watched.',
      ({ recipient }) => change('DELETE FROM watch WHERE recipient_id = ?', recipient),
    ],
    [
      'The section is no longer watched.',
      ({ recipient }) => change('UPDATE watch SET archived_at = 1 WHERE recipient_id = ?', recipient),
    ],
    [
      'The section is no longer watched.',
      ({ recipient }) => change('UPDATE class_alert SET canceled_at = 1 WHERE recipient_id = ?', recipient),
    ],
  ]
  test.each(reasons)('is canceled: %s', async (reason, withdraw) => {
    const made = await makeDelivery('phone')
    await withdraw(made)
    expect(await runDelivery(made.id)).toEqual({ state: 'canceled', error: reason })
    expect(await deliveryOf(made.id)).toMatchObject({ state: 'canceled', attempts: 0, last_error: reason })
    expect(await arrivedAt(made.address)).toEqual([])
  })

  test('is looked up if it may have arrived by phone, and shown as it is', async () => {
    const made = await makeDelivery('phone')
    await world.fault('sms', 'accept_then_reset', 1)
    await runDelivery(made.id)
    await change('UPDATE contact SET is_enabled = 0 WHERE recipient_id = ?', made.recipient)
    expect(await runToTheEnd(made.id)).toMatchObject({ state: 'sent', attempts: 1 })
    expect(await arrivedAt(made.address)).toHaveLength(1)
  })

  test('is not sent again to find out if it may have arrived by email', async () => {
    const made = await makeDelivery('email')
    await world.fault('email', 'reset', 1)
    await runDelivery(made.id)
    await change('UPDATE contact SET opted_out_at = 1 WHERE recipient_id = ?', made.recipient)
    expect(await runToTheEnd(made.id)).toMatchObject({
      state: 'canceled',
      last_error: 'Opted out. It may have arrived.',
    })
    expect(await arrivedAt(made.address)).toEqual([])
  })
})

describe('a refused delivery', () => {
  test("fails at once if refused permanently, with the provider's message but without the number", async () => {
    const { id } = await makeDelivery('phone', invalidNumber)
    expect(await runDelivery(id)).toMatchObject({ state: 'failed' })
    const { last_error, attempts } = await deliveryOf(id)
    expect(last_error).toContain('21211')
    expect(last_error).not.toContain(invalidNumber)
    expect(attempts).toBe(1)
  })

  test('ends everything waiting for the contact if the person opted out at the provider', async () => {
    const { id, recipient } = await makeDelivery('phone', optedOutNumber)
    const [other] = await rows<{ id: number }>(
      `INSERT INTO delivery (poll_id, recipient_id, contact_id, channel, address, state, due_at, created_at)
       SELECT 'another', recipient_id, contact_id, channel, address, 'queued', due_at, created_at FROM delivery WHERE id = ?
       RETURNING id`,
      id,
    )
    expect(await runDelivery(id)).toEqual({ state: 'failed', error: 'Opted out.' })
    const [contact] = await rows('SELECT opted_out_at FROM contact WHERE recipient_id = ?', recipient)
    expect(contact?.['opted_out_at']).toBeGreaterThan(0)
    expect(await deliveryOf(other?.id ?? 0)).toMatchObject({ state: 'canceled', last_error: 'Opted out.' })
  })

  test('waits as long as the provider says, and no number of refusals ends it', async () => {
    await world.fault('sms', 'http_429')
    const { id, address } = await makeDelivery('phone')
    for (let refusals = 0; refusals < 12; refusals += 1) {
      const before = Date.now()
      expect(await runDelivery(id)).toBeInstanceOf(RunAgain)
      const { state, due_at, attempts } = await deliveryOf(id)
      expect({ state, attempts }).toEqual({ state: 'queued', attempts: 0 })
      // The world's provider asks for two seconds.
      expect(due_at).toBeGreaterThanOrEqual(before + 2000)
      expect(due_at).toBeLessThan(Date.now() + 2001)
      await comeDue(id)
    }
    expect(await arrivedAt(address)).toEqual([])
    await world.clearFaults()
    expect(await runDelivery(id)).toMatchObject({ state: 'sent' })
  })

  test('is shown as expired when too old, and a manual retry renews its time', async () => {
    const { id, address } = await makeDelivery('phone')
    await change('UPDATE delivery SET created_at = created_at - 7200000 WHERE id = ?', id)
    expect(await runDelivery(id)).toEqual({ state: 'expired', error: 'Expired before it was sent.' })
    expect(await arrivedAt(address)).toEqual([])
    expect(await retryDelivery(env, trackerStaff, id, Date.now())).toEqual({ id, state: 'queued' })
    await expect.poll(async () => (await deliveryOf(id)).state).toBe('sent')
    expect(await arrivedAt(address)).toHaveLength(1)
  })

  test('expires according to the setting', async () => {
    const { id } = await makeDelivery('phone')
    await change('UPDATE delivery SET created_at = created_at - 59000 WHERE id = ?', id)
    await change("INSERT INTO setting (name, value, changed_at) VALUES ('alert_expires_minutes', '1', 0)")
    const early = await makeDelivery('phone')
    await world.fault('sms', 'http_500', 1)
    expect(await runDelivery(early.id)).toBeInstanceOf(RunAgain)
    // Not later than its expiry.
    await comeDue(early.id)
    expect((await deliveryOf(early.id)).due_at).toBeLessThanOrEqual(Date.now() + 60_000)
    expect(await runDelivery(id, { now: () => Date.now() + 1500 })).toMatchObject({ state: 'expired' })
    await change("DELETE FROM setting WHERE name = 'alert_expires_minutes'")
    await world.clearFaults()
  })
})

test.each([
  ['failed', 'UPDATE contact SET address = ?1', invalidNumber],
  ['expired', 'UPDATE delivery SET created_at = created_at - ?1', 3 * 3600_000],
  ['canceled', 'UPDATE contact SET opted_out_at = ?1', 1],
])('a message that ended as %s without arriving delays no later opening', async (state, how, value) => {
  const { id, recipient } = await makeDelivery('phone')
  await change(`${how} WHERE recipient_id = ?2`, value, recipient)
  await change(
    'UPDATE watch SET last_alert_at = (SELECT created_at FROM delivery WHERE id = ?) WHERE recipient_id = ?',
    id,
    recipient,
  )
  expect(await runDelivery(id)).toMatchObject({ state })
  expect(await one('SELECT last_alert_at FROM watch WHERE recipient_id = ?', recipient)).toEqual({
    last_alert_at: null,
  })
  await change('DELETE FROM contact WHERE recipient_id = ?', recipient)
})

describe('a seat that is taken', () => {
  const closeSection = (section: number, status = 'closed') =>
    change('UPDATE section SET status = ? WHERE id = ?', status, section)

  test.each(['closed', 'waitlisted'])('before the message was sent: %s, nothing is sent', async (status) => {
    const { id, address, section } = await makeDelivery('phone')
    await closeSection(section, status)
    expect(await runDelivery(id)).toEqual({ state: 'gone', error: 'Seat gone before it was sent.' })
    expect(await arrivedAt(address)).toEqual([])
  })

  test('is different from a seat of unknown state', async () => {
    const { id, address, section } = await makeDelivery('phone')
    await closeSection(section, 'unknown')
    expect(await runDelivery(id)).toMatchObject({ state: 'sent' })
    expect(await arrivedAt(address)).toHaveLength(1)
  })

  test('does not stop the message about other sections', async () => {
    const { id, address, recipient, section } = await makeDelivery('email')
    const other = await makeSection(await makeGroup(), '77777', 'open', 2)
    await makeWatch(recipient, other)
    const alert = await addAlert('another', recipient, other)
    await change('INSERT INTO delivery_alert (delivery_id, alert_id) VALUES (?, ?)', id, alert)
    await closeSection(section)
    expect(await runDelivery(id)).toMatchObject({ state: 'sent' })
    const [text] = await arrivedAt(address)
    expect(text).toContain('77777')
    expect(text).not.toContain('10001')
  })

  test('does not delay a later opening: no one was notified of this one', async () => {
    const { id, recipient, section } = await makeDelivery('phone')
    const lastAlert = () =>
      one<{ last_alert_at: number | null }>('SELECT last_alert_at FROM watch WHERE recipient_id = ?', recipient)
    await change(
      'UPDATE watch SET last_alert_at = (SELECT created_at FROM delivery WHERE id = ?) WHERE recipient_id = ?',
      id,
      recipient,
    )
    await closeSection(section)
    await runDelivery(id)
    expect(await lastAlert()).toEqual({ last_alert_at: null })
  })

  test('delays the next opening if another message of the alert was sent', async () => {
    const contacts = [
      { kind: 'phone', address: addressOf('phone') },
      { kind: 'email', address: addressOf('email') },
    ] as const
    const [phone, email] = await makeDeliveries(contacts)
    if (!phone || !email) throw new Error('not made')
    await change(
      'UPDATE watch SET last_alert_at = (SELECT created_at FROM delivery WHERE id = ?) WHERE recipient_id = ?',
      phone.id,
      phone.recipient,
    )
    await runDelivery(email.id)
    await closeSection(phone.section)
    expect(await runDelivery(phone.id)).toMatchObject({ state: 'gone' })
    const [watch] = await rows('SELECT last_alert_at FROM watch WHERE recipient_id = ?', phone.recipient)
    expect(watch?.['last_alert_at']).not.toBeNull()
  })
})

describe('a section that is left out of a message because its seat is taken', () => {
  /** A message about two sections, of which the first is taken before it is sent. */
  async function makeBoth() {
    const made = await makeDelivery('phone')
    const other = await makeSection(await makeGroup(), '77777', 'open', 2)
    await makeWatch(made.recipient, other)
    const alert = await addAlert('another', made.recipient, other)
    await change('INSERT INTO delivery_alert (delivery_id, alert_id) VALUES (?, ?)', made.id, alert)
    await change(
      'UPDATE watch SET last_alert_at = (SELECT created_at FROM delivery WHERE id = ?) WHERE recipient_id = ?',
      made.id,
      made.recipient,
    )
    const set = (status: string) => change('UPDATE section SET status = ? WHERE id = ?', status, made.section)
    await set('closed')
    /** What staff see of the alert of each section, and whether it holds back the next opening. */
    const toldOf = async () => {
      const list = await listAlerts(env, { recipientId: made.recipient, search: '', page: 1 }, Date.now(), () => {})
      const watches = await rows<{ section_id: number; last_alert_at: number | null }>(
        'SELECT section_id, last_alert_at FROM watch WHERE recipient_id = ?',
        made.recipient,
      )
      return new Map(
        list.class_alerts.map(({ course_section: { id }, state, accepted_at, deliveries }) => [
          id,
          {
            state,
            is_accepted: accepted_at !== null,
            messages: deliveries.map((one) => [one.state, one.last_error]),
            is_held_back: watches.find(({ section_id }) => section_id === id)?.last_alert_at !== null,
          },
        ]),
      )
    }
    return { ...made, other, set, toldOf }
  }
  const told = { state: 'sent', is_accepted: true, messages: [['sent', null]], is_held_back: true }
  const notTold = {
    state: 'gone',
    is_accepted: false,
    messages: [['gone', 'Seat gone before it was sent.']],
    is_held_back: false,
  }

  test('does not count as told, in three round trips', async () => {
    const { id, section, other, toldOf } = await makeBoth()
    let trips = 0
    expect(await runDelivery(id, { db: watchedDatabase({ before: (trip) => void (trips = trip) }) })).toMatchObject({
      state: 'sent',
    })
    expect(trips).toBe(3)
    expect(await toldOf()).toEqual(
      new Map([
        [other, told],
        [section, notTold],
      ]),
    )
    const { link_code } = await one<{ link_code: string }>('SELECT link_code FROM delivery WHERE id = ?', id)
    const listed = await findLink(env.DB, link_code, Date.now())
    expect(listed.map(({ section_id }) => section_id)).toEqual([other])
  })

  test('does not count as told by a message that is tried twice, although it opened again before the second try', async () => {
    const { id, address, section, other, set, toldOf } = await makeBoth()
    await world.fault('sms', 'http_429', 1)
    await runDelivery(id)
    expect(await deliveryOf(id)).toMatchObject({ state: 'queued' })
    expect((await toldOf()).get(section)).toEqual(notTold)
    await set('open')
    expect(await runToTheEnd(id)).toMatchObject({ state: 'sent' })
    expect(await arrivedAt(address)).toEqual([expect.not.stringContaining('10001')])
    expect(await toldOf()).toEqual(
      new Map([
        [other, told],
        [section, notTold],
      ]),
    )
  })

  test('is in the message after all if it opens again before the try is recorded', async () => {
    const { id, address, section, other, set, toldOf } = await makeBoth()
    const db = watchedDatabase({
      before: async (trip) => {
        if (trip === 2) await set('open')
      },
    })
    await runDelivery(id, { db })
    expect(await runToTheEnd(id)).toMatchObject({ state: 'sent', attempts: 1 })
    expect(await arrivedAt(address)).toEqual([expect.stringMatching(/10001.*77777/)])
    expect(await toldOf()).toEqual(
      new Map([
        [other, told],
        [section, told],
      ]),
    )
  })

  test('counts as told if another message about it was sent', async () => {
    const { id, recipient, section, set, toldOf } = await makeBoth()
    await set('open')
    await change(
      `INSERT INTO delivery (poll_id, recipient_id, channel, address, state, due_at, created_at, accepted_at)
       SELECT 'sent', recipient_id, 'email', 'ada@example.com', 'sent', 0, created_at, created_at FROM delivery WHERE id = ?`,
      id,
    )
    await change(
      `INSERT INTO delivery_alert (delivery_id, alert_id) SELECT d.id, a.id FROM delivery d JOIN class_alert a
       ON a.recipient_id = d.recipient_id AND a.section_id = ? WHERE d.recipient_id = ? AND d.poll_id = 'sent'`,
      section,
      recipient,
    )
    await set('closed')
    await runDelivery(id)
    expect((await toldOf()).get(section)).toMatchObject({ state: 'sent', is_held_back: true })
  })
})

test('Retry rejects messages that have not failed or do not exist', async () => {
  const { id } = await makeDelivery('phone')
  await expect(retryDelivery(env, trackerStaff, id, Date.now())).rejects.toMatchObject({ status: 409 })
  await runDelivery(id)
  await expect(retryDelivery(env, trackerStaff, id, Date.now())).rejects.toMatchObject({ status: 409 })
  await expect(retryDelivery(env, trackerStaff, 987_654, Date.now())).rejects.toMatchObject({ status: 404 })
})

test('Retry of a message whose job cannot be added leaves it to the next sweep', async () => {
  const { id } = await makeDelivery('phone')
  // A sweep found it while it waited for its turn.
  await rows("UPDATE delivery SET state = 'failed', look_at = ? WHERE id = ?", Date.now() + 600_000, id)
  const down = {
    idFromName: () => '',
    get: () => ({ enqueue: () => Promise.reject(new Error('The ledger is down.')) }),
  }
  const LEDGER = down as unknown as Env['LEDGER']
  await expect(retryDelivery({ ...env, LEDGER }, trackerStaff, id, Date.now())).rejects.toThrow('The ledger is down.')
  const ledger = listening()
  await sweepAlerts.runWithRawInput(runContext({ env: { ...env, LEDGER: ledger.LEDGER } }), {})
  expect(ledger.keys).toContain(deliveryKey(await deliveryOf(id)))
})

test('Retry sends at once although the job of an earlier try is scheduled for later', async () => {
  const { id, address } = await makeDelivery('phone')
  const options = { key: deliveryKey(await deliveryOf(id)), priority: 20, at: Date.now() + 600_000 }
  await enqueue(env, sendDelivery, await inputOf(id), options)
  // The provider's report came before that job.
  await rows("UPDATE delivery SET state = 'failed' WHERE id = ?", id)
  await retryDelivery(env, trackerStaff, id, Date.now())
  await expect.poll(async () => (await deliveryOf(id)).state).toBe('sent')
  expect(await arrivedAt(address)).toHaveLength(1)
})

test('Retry in two tabs at once sends one message, and the other tab shows its state', async () => {
  const { id, address } = await makeDelivery('phone')
  await rows("UPDATE delivery SET state = 'failed' WHERE id = ?", id)
  const pressed = await Promise.allSettled([1, 2].map(() => retryDelivery(env, trackerStaff, id, Date.now())))
  const [done, refused] = pressed.toSorted((one, other) => one.status.localeCompare(other.status))
  expect(done).toMatchObject({ status: 'fulfilled', value: { id, state: 'queued' } })
  expect(refused).toMatchObject({
    status: 'rejected',
    reason: { status: 409, messages: [expect.stringContaining('queued')] },
  })
  await Promise.all([runDelivery(id), runDelivery(id)])
  // The queue's own consumer may be sending it.
  await expect.poll(() => deliveryOf(id)).toMatchObject({ state: 'sent' })
  expect(await arrivedAt(address)).toHaveLength(1)
  expect(await rows("SELECT act FROM audit WHERE act = 'retried' AND row_key = ?", String(id))).toHaveLength(1)
})
