import { env } from 'cloudflare:workers'
import { describe, expect, test, vi } from 'vitest'
import { reportChange, sendNotice } from '../../src/class-tracker/deliveries/report-change.ts'
import { deviceToken } from '../../src/class-tracker/recipients/signed-id.ts'
import { getRecipientLink } from '../../src/class-tracker/recipients/own-link.ts'
import { type JobContext, RetryAt } from '../../src/jobs/job.ts'
import { makeRecipient } from '../worker/catalog.ts'
import { addressOf, arrivedAt, makeDeliveries, runDelivery } from '../worker/deliveries.ts'
import { runContext } from '../worker/job-context.ts'
import { forgetPacers, pacerOf } from '../worker/pacers.ts'
import { one, rows } from '../worker/rows.ts'
import { trackerStaff } from '../worker/tracker-staff.ts'
import { limitOf } from '../../src/web/limits/limits.ts'
import { Visitor } from '../worker/visitor.ts'
import { watchedDatabase } from '../worker/watched-database.ts'
import { world } from '../worker/world.ts'

/** Devices that receive notifications: added on a page, changed and reported by their service worker. */

interface Subscribed {
  endpoint: string
  p256dh: string
  auth: string
}
interface Contact {
  id: number
  recipient_id: number
  address: string
  device: string
  is_enabled: number
  verified_at: number | null
}

async function subscription(): Promise<Subscribed> {
  const answer = await fetch(`${env.WORLD_URL}/_world/devices`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'Chrome on Android', key: env.VAPID_PUBLIC_KEY }),
  })
  const { endpoint, keys } = await answer.json<{ endpoint: string; keys: { p256dh: string; auth: string } }>()
  return { endpoint, ...keys }
}

/** A recipient with their own page open. */
async function scene() {
  const recipient = await makeRecipient()
  const { url } = await getRecipientLink(env, trackerStaff, recipient, { isNew: false, now: 0 })
  const path = url.slice(env.APP_URL.length)
  const visitor = new Visitor()
  await visitor.see(path)
  const token = path.slice('/r/'.length)
  const subscribe = (sent: Partial<Subscribed>, more: Record<string, string> = {}) =>
    visitor.call('POST', '/push/subscribe', { token, device: 'Chrome on Android', ...sent, ...more })
  const contacts = () =>
    rows<Contact>("SELECT * FROM contact WHERE recipient_id = ? AND kind = 'push' ORDER BY id", recipient)
  return { recipient, path, visitor, subscribe, contacts }
}

/** A call of a service worker, which has no page and no page token. */
function deviceCall(path: string, token: string | null, fields: Record<string, string>): Promise<Response> {
  const headers = { origin: 'http://localhost:8787', ...(token !== null && { 'x-device-token': token }) }
  return new Visitor().fetch(path, { method: 'POST', headers, body: new URLSearchParams(fields) })
}

describe('a device', () => {
  test("is added on its owner's page, once for any number of clicks", async () => {
    const { subscribe, contacts } = await scene()
    const sent = await subscription()
    const answer = await subscribe(sent)
    expect(answer.status).toBe(200)
    const { token } = await answer.json<{ token: string }>()
    expect((await subscribe(sent)).status).toBe(200)
    const [contact, ...more] = await contacts()
    expect(more).toEqual([])
    expect(contact).toMatchObject({ device: 'Chrome on Android', is_enabled: 1 })
    expect(token).toBe(await deviceToken(env, contact?.id ?? 0, contact?.address ?? ''))
  })

  test('is also added with the code of a message, while the code is valid', async () => {
    const { subscribe, recipient, contacts } = await scene()
    const [made] = await makeDeliveries([{ kind: 'email', address: `code${recipient}@example.com` }])
    const code = String(recipient).padStart(10, 'c')
    await rows('UPDATE delivery SET link_code = ?, recipient_id = ? WHERE id = ?', code, recipient, made?.id)
    expect((await subscribe(await subscription(), { code, token: '' })).status).toBe(200)
    expect(await contacts()).toHaveLength(1)
    const { contact_id } = await one<{ contact_id: number }>('SELECT contact_id FROM delivery WHERE id = ?', made?.id)
    await rows('UPDATE delivery SET contact_id = NULL WHERE id = ?', made?.id)
    expect((await subscribe(await subscription(), { code, token: '' })).status).toBe(404)
    await rows(
      'UPDATE delivery SET contact_id = ?, address = ? WHERE id = ?',
      contact_id,
      'former@example.com',
      made?.id,
    )
    expect((await subscribe(await subscription(), { code, token: '' })).status).toBe(404)
    await rows(
      'UPDATE delivery SET address = ?, created_at = ? WHERE id = ?',
      made?.address,
      Date.now() - 31 * 24 * 3600_000,
      made?.id,
    )
    expect((await subscribe(await subscription(), { code, token: '' })).status).toBe(404)
    await rows('UPDATE delivery SET asked_at = ? WHERE id = ?', Date.now() - 24 * 3600_000, made?.id)
    expect((await subscribe(await subscription(), { code, token: '' })).status).toBe(200)
    expect((await subscribe(await subscription(), { code: 'unknown000', token: '' })).status).toBe(404)
  })

  test.each([
    ['https://evil.example/push'],
    ['http://169.254.169.254/latest/meta-data'],
    ['https://fcm.googleapis.com.evil.example/fcm/send/a'],
    [''],
  ])('at %j is refused', async (endpoint) => {
    const { subscribe, contacts } = await scene()
    const answer = await subscribe({ ...(await subscription()), endpoint })
    expect(answer.status).toBe(400)
    expect(await answer.json()).toEqual([expect.any(String)])
    expect(await contacts()).toEqual([])
  })

  test('cannot be added without the link, nor by another site', async () => {
    const { subscribe, visitor, contacts } = await scene()
    expect((await subscribe(await subscription(), { token: '1.x' })).status).toBe(404)
    const forged = await visitor.fetch('/push/subscribe', {
      method: 'POST',
      headers: { origin: 'https://evil.example' },
      body: new URLSearchParams({ ...(await subscription()) }),
    })
    expect(forged.status).toBe(403)
    expect(await contacts()).toEqual([])
  })

  test('is audited when it is added, not each time its page is opened', async () => {
    const { recipient, subscribe } = await scene()
    const sent = await subscription()
    for (const _ of ['added', 'opened', 'opened again']) expect((await subscribe(sent)).status).toBe(200)
    const audited = await rows(
      "SELECT act FROM audit WHERE table_name = 'recipient' AND row_key = ?",
      String(recipient),
    )
    expect(audited).toEqual([{ act: 'added a device' }])
  })

  test('is audited again when it had been turned off', async () => {
    const { recipient, subscribe } = await scene()
    const sent = await subscription()
    await subscribe(sent)
    await rows("UPDATE contact SET is_enabled = 0 WHERE recipient_id = ? AND kind = 'push'", recipient)
    await subscribe(sent)
    const audited = await rows(
      "SELECT act FROM audit WHERE table_name = 'recipient' AND row_key = ?",
      String(recipient),
    )
    expect(audited).toEqual([{ act: 'added a device' }, { act: 'added a device' }])
  })

  test('cannot be added endlessly with the link of a message, while the page still can change', async () => {
    const { recipient, subscribe, visitor, path } = await scene()
    const limit = await limitOf(env, 'change_by_alert_link', String(recipient))
    await limit.take({ limit: 60, window_ms: 60 * 60_000, cost: 60 })
    const [made] = await makeDeliveries([{ kind: 'email', address: `often${recipient}@example.com` }])
    const code = String(recipient).padStart(10, 'o')
    await rows('UPDATE delivery SET link_code = ?, recipient_id = ? WHERE id = ?', code, recipient, made?.id)
    const refused = await subscribe(await subscription(), { code, token: '' })
    expect([refused.status, Number(refused.headers.get('retry-after'))]).toEqual([429, expect.any(Number)])
    expect((await subscribe(await subscription())).status).toBe(200)
    expect((await visitor.submit(path, { act: 'pause', days: '1' })).status).toBe(303)
  })

  test('of another recipient moves to the new owner', async () => {
    const [former, latter] = [await scene(), await scene()]
    const sent = await subscription()
    await former.subscribe(sent)
    expect((await latter.subscribe(sent)).status).toBe(200)
    expect(await former.contacts()).toEqual([])
    expect(await latter.contacts()).toHaveLength(1)
  })

  test('is limited to ten per recipient', async () => {
    const { subscribe, contacts } = await scene()
    for (let number = 0; number < 10; number += 1) expect((await subscribe(await subscription())).status).toBe(200)
    const answer = await subscribe(await subscription())
    expect(answer.status).toBe(422)
    expect(await answer.json()).toEqual(['You have 10 devices: remove one first.'])
    expect(await contacts()).toHaveLength(10)
  })

  test('that ended cannot come back as the eleventh that is reached', async () => {
    const { subscribe, recipient } = await scene()
    const ofRecipient = "WHERE recipient_id = ? AND kind = 'push'"
    const { token } = await (await subscribe(await subscription())).json<{ token: string }>()
    await rows(`UPDATE contact SET undeliverable_at = ? ${ofRecipient}`, Date.now(), recipient)
    for (let number = 0; number < 10; number += 1) expect((await subscribe(await subscription())).status).toBe(200)
    const next = await subscription()
    const answer = await deviceCall('/push/subscribe', token, { ...next })
    expect([answer.status, await answer.json()]).toEqual([422, ['You have 10 devices: remove one first.']])
    await rows('DELETE FROM contact WHERE id = (SELECT max(id) FROM contact WHERE recipient_id = ?)', recipient)
    expect((await deviceCall('/push/subscribe', token, { ...next })).status).toBe(200)
    expect(await rows(`SELECT id FROM contact ${ofRecipient} AND undeliverable_at IS NULL`, recipient)).toHaveLength(10)
  })

  test('that was opted out can be added again', async () => {
    const { subscribe, contacts } = await scene()
    const sent = await subscription()
    await subscribe(sent)
    await rows('UPDATE contact SET opted_out_at = 1 WHERE address_key = ?', sent.endpoint)
    await rows("UPDATE contact SET address_key = address_key WHERE kind = 'push'")
    await subscribe(sent)
    expect(await contacts()).toMatchObject([{ opted_out_at: null }])
    expect(await rows('SELECT * FROM opt_out WHERE address_key = ?', sent.endpoint)).toEqual([])
  })

  test('is not removed by the Enter key: the first button of the form saves it', async () => {
    const { visitor, subscribe, path } = await scene()
    await subscribe(await subscription())
    const { html } = await visitor.see(path)
    const [form = ''] = /<form(?:(?!<\/form>).)*name="use".*?<\/form>/s.exec(html) ?? []
    const buttons = form.match(/<button.*?<\/button>/gs)?.filter((button) => !/<button[^>]* form=/.test(button))
    expect(buttons?.[0]).toContain('Save')
    expect(html).toMatch(/<button(?=[^>]* name="remove")[^>]* form="remove-device"/)
    expect(html).toMatch(/<form(?=[^>]* method="post")(?=[^>]* hidden)[^>]* id="remove-device"/)
  })

  test('can be removed on the page, which then gets a new address; the other contacts are notified', async () => {
    const { subscribe, contacts, visitor, path, recipient } = await scene()
    await subscribe(await subscription())
    const mailbox = addressOf('email')
    await rows(
      "INSERT INTO contact (recipient_id, kind, address, address_key, created_at) VALUES (?, 'email', ?2, ?2, 0)",
      recipient,
      mailbox,
    )
    const [contact] = await contacts()
    const answer = await visitor.submit(path, { act: 'contacts', remove: String(contact?.id) })
    expect(answer.status).toBe(303)
    expect(answer.headers.get('location')).not.toBe(path)
    expect((await visitor.get(answer.headers.get('location') ?? '')).status).toBe(200)
    expect(await contacts()).toEqual([])
    await expect.poll(() => arrivedAt(mailbox)).toEqual([expect.stringContaining('no longer gets notifications')])
  })

  test('with a replaced subscription is updated, only with its token', async () => {
    const { subscribe, contacts } = await scene()
    const { token } = await (await subscribe(await subscription())).json<{ token: string }>()
    const next = await subscription()
    const answer = await deviceCall('/push/subscribe', token, { ...next })
    expect(answer.status).toBe(200)
    expect((await contacts())[0]?.address).toBe(`${next.endpoint}#${next.p256dh}.${next.auth}`)
    const renewed = await answer.json<{ token: string }>()
    expect((await deviceCall('/push/subscribe', token, { ...next })).status).toBe(403)
    expect((await deviceCall('/push/subscribe', renewed.token, { ...next })).status).toBe(200)
    const elsewhere = { ...next, endpoint: 'https://evil.example/' }
    expect((await deviceCall('/push/subscribe', renewed.token, elsewhere)).status).toBe(400)
  })
})

describe('a device whose owner stopped all messages', () => {
  /** @returns its token */
  async function stopped() {
    const { subscribe, contacts, visitor, path } = await scene()
    const { token } = await (await subscribe(await subscription())).json<{ token: string }>()
    expect((await visitor.submit(path, { act: 'stop' })).status).toBe(303)
    expect(await contacts()).toMatchObject([{ opted_out_at: expect.any(Number) }])
    return { token, subscribe, contacts }
  }

  test('stays so when its browser renews the subscription, until it is added again', async () => {
    const { token, subscribe, contacts } = await stopped()
    const next = await subscription()
    expect((await deviceCall('/push/subscribe', token, { ...next })).status).toBe(200)
    expect(await contacts()).toMatchObject([
      { address: expect.stringContaining(next.endpoint), opted_out_at: expect.any(Number) },
    ])
    await subscribe(next)
    expect(await contacts()).toMatchObject([{ opted_out_at: null }])
  })

  test('gets messages if the page has already added its new subscription', async () => {
    const { token, subscribe, contacts } = await stopped()
    const next = await subscription()
    await subscribe(next)
    expect((await deviceCall('/push/subscribe', token, { ...next })).status).toBe(200)
    expect(await contacts()).toMatchObject([{ opted_out_at: expect.any(Number) }, { opted_out_at: null }])
    expect(await rows('SELECT * FROM opt_out WHERE address_key = ?', next.endpoint)).toEqual([])
  })
})

test('a device whose new subscription the page has already added gets the token of that contact', async () => {
  const { subscribe, contacts } = await scene()
  const { token } = await (await subscribe(await subscription())).json<{ token: string }>()
  const next = await subscription()
  await subscribe(next)
  const { token: renewed } = await (await deviceCall('/push/subscribe', token, { ...next })).json<{ token: string }>()
  const [, added] = await contacts()
  expect(renewed).toBe(await deviceToken(env, added?.id ?? 0, added?.address ?? ''))
  expect((await deviceCall('/push/subscribe', renewed, { ...next })).status).toBe(200)
})

describe('a change is reported to the other contacts', () => {
  /** The number of notices that so many changes caused. */
  async function noticesOf(recipient: number, changes: number): Promise<number> {
    const notices: object[] = []
    const LEDGER = {
      idFromName: () => '',
      get: () => ({ enqueue: async (requests: object[]) => (notices.push(...requests), requests) }),
    } as unknown as Env['LEDGER']
    for (let at = 1; at <= changes; at += 1)
      await reportChange({ ...env, LEDGER }, recipient, { change: 'stopped', at })
    return notices.length
  }

  test("at most five times an hour, so that no one can flood another person's phone", async () => {
    expect(await noticesOf(await makeRecipient([{ kind: 'phone', address: addressOf('phone') }]), 8)).toBe(5)
  })

  test('even if the first call to the ledger fails', async () => {
    const recipient = await makeRecipient([{ kind: 'email', address: addressOf('email') }])
    const added: object[][] = []
    const enqueue = vi
      .fn(async (requests: object[]) => (added.push(requests), requests))
      .mockRejectedValueOnce(new Error('Network connection lost.'))
    const LEDGER = { idFromName: () => '', get: () => ({ enqueue }) } as unknown as Env['LEDGER']
    await reportChange({ ...env, LEDGER }, recipient, { change: 'stopped', at: 1 })
    expect(added).toMatchObject([[{ task: 'send-notice' }]])
  })

  test('but not by text if staff turned texts off', async () => {
    const contacts = (['phone', 'email'] as const).map((kind) => ({ kind, address: addressOf(kind) }))
    const recipient = await makeRecipient(contacts)
    expect(await noticesOf(recipient, 1)).toBe(2)
    await rows('UPDATE recipient SET is_contact_by_phone = 0 WHERE id = ?', recipient)
    expect(await noticesOf(recipient, 1)).toBe(1)
  })
})

describe('a notice on a device', () => {
  /** A recipient's device, and what opens when its notification is clicked. */
  async function noticed() {
    const { recipient, subscribe, visitor, path } = await scene()
    const sent = await subscription()
    const opened = async () => {
      const { id } = await one<{ id: number }>(
        'SELECT id FROM contact WHERE recipient_id = ? AND address_key = ?',
        recipient,
        sent.endpoint,
      )
      await world.emptyOutbox()
      const input = { contact_id: id, change: 'paused', at: Date.now() }
      await sendNotice.runWithRawInput(
        runContext({ job: { id: `${sent.endpoint} ${input.at}`, attempt: 1, queue: 'alerts' } }),
        input,
      )
      const { push } = await world.outbox()
      return push.filter(({ title }) => title === 'Messages are paused').map(({ url, body }) => ({ url, body }))
    }
    return { recipient, sent, subscribe, visitor, path, opened }
  }
  const ownPage = (path: string) => [{ url: `${env.APP_URL}${path}`, body: expect.stringContaining('on your page') }]
  const noPage = [{ url: `${env.APP_URL}/s/`, body: expect.stringContaining('Ask the person who set up your alerts') }]

  test('opens the page if the device was added there, until the page gets a new link', async () => {
    const { recipient, sent, subscribe, path, opened } = await noticed()
    await subscribe(sent)
    expect(await opened()).toEqual(ownPage(path))
    const { url } = await getRecipientLink(env, trackerStaff, recipient, { isNew: true, now: Date.now() })
    expect(await opened()).toEqual(noPage)
    const token = url.slice(`${env.APP_URL}/r/`.length)
    expect((await subscribe(sent, { token })).status).toBe(200)
    expect(await opened()).toEqual(ownPage(`/r/${token}`))
  })

  test('does not open the page if the device was added with a forwarded message', async () => {
    const { recipient, sent, subscribe, path, opened } = await noticed()
    const [made] = await makeDeliveries([{ kind: 'email', address: `forwarded${recipient}@example.com` }])
    const code = String(recipient).padStart(10, 'f')
    await rows('UPDATE delivery SET link_code = ?, recipient_id = ? WHERE id = ?', code, recipient, made?.id)
    expect((await subscribe(sent, { code, token: '' })).status).toBe(200)
    expect(await opened()).toEqual(noPage)
    await subscribe(sent)
    expect((await subscribe(sent, { code, token: '' })).status).toBe(200)
    expect(await opened()).toEqual(ownPage(path))
  })
})

describe('a notice of a change', () => {
  /** One attempt to send a notice to a phone; `arrived`: how many did. */
  async function notice(kind: 'phone' | 'discord' = 'phone') {
    const address = addressOf(kind)
    const recipient = await makeRecipient([{ kind, address }])
    const { id } = await one<{ id: number }>('SELECT id FROM contact WHERE recipient_id = ?', recipient)
    const input = { contact_id: id, change: 'paused', at: Date.now() }
    const attempt = async (number: number, parts: Partial<JobContext> = {}) =>
      sendNotice.runWithRawInput(
        runContext({ job: { id: address, attempt: number, queue: 'alerts' }, ...parts }),
        input,
      )
    const optOut = () => rows('UPDATE contact SET opted_out_at = ? WHERE id = ?', input.at + 1, id)
    return { contact: id, attempt, optOut, arrived: async () => (await arrivedAt(address)).length }
  }

  test('is not sent to a contact that opted out in the meantime', async () => {
    const { attempt, arrived, optOut } = await notice()
    await optOut()
    expect(await attempt(1)).toEqual({ state: 'gone' })
    expect(await arrived()).toBe(0)
  })

  test('is not sent to a newer contact that has the id of a deleted one', async () => {
    const { attempt, arrived, contact } = await notice()
    await rows('UPDATE contact SET created_at = ? WHERE id = ?', Date.now() + 1, contact)
    expect(await attempt(1)).toEqual({ state: 'gone' })
    expect(await arrived()).toBe(0)
  })

  test('is not sent again after an attempt that died when it was sent', async () => {
    const { attempt, arrived } = await notice()
    expect(await attempt(1)).toEqual({ state: 'accepted' })
    expect(await attempt(2)).toEqual({ state: 'accepted' })
    expect(await arrived()).toBe(1)
  })

  test.each(['phone', 'discord'] as const)('is sent by %s after an attempt that died before', async (kind) => {
    const { attempt, arrived } = await notice(kind)
    expect(await attempt(2)).toEqual({ state: 'accepted' })
    expect(await arrived()).toBe(1)
  })

  test('waits as long as its provider says, as all messages of the account do', async () => {
    const { attempt, arrived } = await notice()
    await world.fault('sms', 'http_429', 1)
    const before = Date.now()
    const error = await attempt(1).catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(RetryAt)
    // The world's provider asks for two seconds.
    const until = await pacerOf('sms').pausedUntil('sms')
    expect(until).toBeGreaterThanOrEqual(before + 2000)
    expect(error).toMatchObject({ retry_at: until })
    await forgetPacers(['sms'])
    expect(await attempt(2)).toEqual({ state: 'accepted' })
    expect(await arrived()).toBe(1)
  })

  test('is not sent by an attempt that may be over before its provider answers', async () => {
    const { attempt, arrived } = await notice()
    await expect(attempt(1, { deadline: Date.now() + 5000 })).rejects.toThrow('Too little time')
    expect(await arrived()).toBe(0)
  })
})

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
