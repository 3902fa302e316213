import { env } from 'cloudflare:workers'
import { describe, expect, test } from 'vitest'
import { deviceToken } from '../../src/class-tracker/recipients/signed-id.ts'
import { Visitor } from '../worker/visitor.ts'
import { watchedDatabase } from '../worker/watched-database.ts'
import { world } from '../worker/world.ts'
import { makeGroup, makeSection, makeWatch } from '../worker/catalog.ts'
import { addAlert, addressOf, comeDue, makeDeliveries, runDelivery } from '../worker/deliveries.ts'
import { deviceCall, subscription } from '../worker/devices.ts'
import { one, rows } from '../worker/rows.ts'

/** Notifications to devices, from the push service's answer to what the device reports. */

/** A notification that its push service accepted. */
async function sent() {
  const { endpoint, p256dh, auth } = await subscription()
  const [made] = await makeDeliveries([{ kind: 'push', address: `${endpoint}#${p256dh}.${auth}` }])
  if (!made) throw new Error('no delivery was made')
  await rows('UPDATE contact SET address_key = ? WHERE address = ?', endpoint, made.address)
  await runDelivery(made.id)
  const row = () =>
    one<{
      state: string
      contact_id: number
      first_tried_at: number
      seen_at: number | null
      seen_by: string | null
      opened_at: number | null
    }>('SELECT * FROM delivery WHERE id = ?', made.id)
  const { contact_id, first_tried_at } = await row()
  const token = await deviceToken(env, contact_id, made.address)
  const report = (event: string, more: { token?: string; delivery?: string } = {}) =>
    deviceCall('/push/seen', more.token ?? token, { delivery: more.delivery ?? `${made.id}-${first_tried_at}`, event })
  return { made, endpoint, row, report, contact: contact_id }
}

describe('a notification', () => {
  test('is accepted by its push service, and seen once its device reports it', async () => {
    await world.emptyOutbox()
    const { row, report, contact } = await sent()
    expect(await row()).toMatchObject({ state: 'sent', seen_at: null })
    // A notice of an earlier test may still arrive.
    const titles = (await world.outbox()).push.map(({ title }) => title)
    expect(titles).toContainEqual(expect.stringMatching(/^Seat open/))
    expect((await report('shown')).status).toBe(204)
    expect(await row()).toMatchObject({ state: 'delivered', opened_at: null })
    expect((await row()).seen_at).not.toBeNull()
    expect((await report('opened')).status).toBe(204)
    // It was seen when it was shown.
    expect(await row()).toMatchObject({ state: 'opened', seen_by: 'shown' })
    expect(await one('SELECT verified_at IS NOT NULL AS is_verified FROM contact WHERE id = ?', contact)).toEqual({
      is_verified: 1,
    })
  })

  test('that may have arrived is repeated without a seat that is gone, and without sound in quiet hours', async () => {
    const { endpoint, p256dh, auth } = await subscription()
    const [made] = await makeDeliveries([{ kind: 'push', address: `${endpoint}#${p256dh}.${auth}` }])
    const { id = 0, recipient = 0 } = made ?? {}
    await rows('UPDATE contact SET address_key = ? WHERE recipient_id = ?', endpoint, recipient)
    const { poll_id } = await one<{ poll_id: string }>('SELECT poll_id FROM delivery WHERE id = ?', id)
    const taken = await makeSection(await makeGroup({ read_at: Date.now() }), '10002', 'open', 3)
    await makeWatch(recipient, taken)
    await rows(
      'INSERT INTO delivery_alert (delivery_id, alert_id) VALUES (?, ?)',
      id,
      await addAlert(poll_id, recipient, taken),
    )
    await world.fault('push', 'http_500', 1)
    await runDelivery(id)
    const body = async () =>
      JSON.parse((await one<{ body: string }>('SELECT body FROM delivery WHERE id = ?', id)).body) as {
        text: string
        push: { is_silent: boolean; about: string }
      }
    const first = await body()
    expect(first.text).toContain('10002')
    expect(first.push.is_silent).toBe(false)
    await rows("UPDATE section SET status = 'closed', seats_available = 0 WHERE id = ?", taken)
    await rows('UPDATE delivery SET is_silent = 1 WHERE id = ?', id)
    await comeDue(id)
    await world.fault('push', 'http_500', 1)
    await runDelivery(id)
    const second = await body()
    expect(second.text).not.toContain('10002')
    expect(second.push.is_silent).toBe(true)
    // A device that gets both shows only the newer one.
    expect(second.push.about).toBe(first.push.about)
    // It was not told of the other, so its next opening is not held back.
    expect(
      await rows(
        `SELECT d.state FROM delivery d JOIN delivery_alert da ON da.delivery_id = d.id
         JOIN class_alert a ON a.id = da.alert_id WHERE a.section_id = ?`,
        taken,
      ),
    ).toEqual([{ state: 'gone' }])
  })

  test('stays opened when reports arrive late and twice', async () => {
    const { row, report } = await sent()
    await report('opened')
    const opened = await row()
    expect(opened).toMatchObject({ seen_by: 'opened' })
    await report('shown')
    await report('opened')
    expect(await row()).toEqual(opened)
  })

  test.each([
    ['no token', { token: '' }, 403],
    ['a wrong token', { token: `1.${'A'.repeat(43)}` }, 403],
    ['no message', { delivery: 'x' }, 400],
  ])('is not seen by a report with %s', async (_, more, status) => {
    const { row, report } = await sent()
    expect((await report('shown', more)).status).toBe(status)
    expect(await row()).toMatchObject({ state: 'sent' })
  })

  test('can be reported as seen only by its own device', async () => {
    const [first, second] = [await sent(), await sent()]
    const { first_tried_at } = await first.row()
    expect((await second.report('shown', { delivery: `${first.made.id}-${first_tried_at}` })).status).toBe(204)
    expect(await first.row()).toMatchObject({ state: 'sent' })
    expect((await first.report('burned')).status).toBe(400)
  })

  test('to a subscription that no longer exists ends, and its device is not reachable until it reports a new one', async () => {
    const { made, contact } = await sent()
    await rows("UPDATE delivery SET state = 'queued', body = NULL WHERE id = ?", made.id)
    const gone = made.address.replace(/send\/[\w-]+/, 'send/nobody')
    await rows(
      'UPDATE contact SET address = ?, address_key = ? WHERE address = ?',
      gone,
      gone.split('#')[0],
      made.address,
    )
    await runDelivery(made.id)
    expect(await one('SELECT state, last_error FROM delivery WHERE id = ?', made.id)).toEqual({
      state: 'failed',
      last_error: 'The device no longer accepts notifications.',
    })
    const reason = () => one('SELECT undeliverable_reason FROM contact WHERE id = ?', contact)
    expect(await reason()).toEqual({ undeliverable_reason: 'The browser no longer accepts notifications.' })
    const token = await deviceToken(env, contact, gone)
    expect((await deviceCall('/push/subscribe', token, { ...(await subscription()) })).status).toBe(200)
    expect(await reason()).toEqual({ undeliverable_reason: null })
  })

  test('that met a subscription just as it was replaced goes to the new one', async () => {
    const { made, contact } = await sent()
    const gone = made.address.replace(/send\/[\w-]+/, 'send/nobody')
    const move = (address: string) =>
      rows('UPDATE contact SET address = ?, address_key = ? WHERE id = ?', address, address.split('#')[0], contact)
    await rows("UPDATE delivery SET state = 'queued', body = NULL, attempts = 0 WHERE id = ?", made.id)
    await move(gone)
    const db = watchedDatabase({
      // The claim has read the former subscription.
      before: async (trip) => {
        if (trip === 2) await move(made.address)
      },
    })
    await runDelivery(made.id, { db })
    await runDelivery(made.id)
    expect(await one('SELECT state, last_error FROM delivery WHERE id = ?', made.id)).toEqual({
      state: 'sent',
      last_error: null,
    })
  })

  test('to the last device ends, and the next email and text lead to where notifications are turned on again', async () => {
    const { made } = await sent()
    const gone = made.address.replace(/send\/[\w-]+/, 'send/gone')
    const [push, mail, text] = await makeDeliveries([
      { kind: 'push', address: gone },
      { kind: 'email', address: addressOf('email') },
      { kind: 'phone', address: addressOf('phone') },
    ])
    await rows('UPDATE contact SET address_key = ? WHERE address = ?', gone.split('#')[0], gone)
    for (const { id } of [push, mail, text].flatMap((one) => one ?? [])) await runDelivery(id)
    expect(
      await rows(
        "SELECT id FROM contact WHERE recipient_id = ? AND kind = 'push' AND undeliverable_at IS NULL",
        push?.recipient,
      ),
    ).toEqual([])
    const { email, sms } = await world.outbox()
    const own = /\/r\/[\w.-]+/.exec(email.find(({ to }) => to === mail?.address)?.text ?? '')?.[0]
    const link = /\/s\/\w{10}/.exec(sms.find(({ to }) => to === text?.address)?.body ?? '')?.[0]
    for (const path of [own, link]) {
      const { response, html } = await new Visitor().see(path ?? '')
      expect([response.status, html.includes(`data-push="${env.VAPID_PUBLIC_KEY}"`)], path).toEqual([200, true])
    }
  })
})
