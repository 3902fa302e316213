import { env } from 'cloudflare:workers'
import { describe, expect, test } from 'vitest'
import { writeTogether } from '../../src/db/query.ts'
import { base64, bytesOfBase64 } from '../../src/lib/bytes.ts'
import { recordOpened, recordSeen } from '../../src/class-tracker/deliveries/record-seen.ts'
import { recordSmsReports } from '../../src/class-tracker/deliveries/record-sms-report.ts'
import { retryDelivery } from '../../src/class-tracker/deliveries/retry-delivery.ts'
import { deliveryOf, makeDelivery, type MadeDelivery, runDelivery, setProviderTimeout } from '../worker/deliveries.ts'
import { unheard } from '../worker/job-context.ts'
import { one, rows } from '../worker/rows.ts'
import { trackerStaff } from '../worker/tracker-staff.ts'
import { Visitor } from '../worker/visitor.ts'
import { world } from '../worker/world.ts'

const { RESEND_WEBHOOK_SECRET: secret } = env

async function signatureOf(signed: string, key: string): Promise<string> {
  const bytes = bytesOfBase64(key.slice('whsec_'.length)) ?? new Uint8Array(1)
  const signer = await crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign'])
  return `v1,${base64(new Uint8Array(await crypto.subtle.sign('HMAC', signer, new TextEncoder().encode(signed))))}`
}

async function post(body: string, more: { at?: number; key?: string; signature?: string } = {}): Promise<Response> {
  const timestamp = String(Math.floor((more.at ?? Date.now()) / 1000))
  const signature = await signatureOf(`msg_1.${timestamp}.${body}`, more.key ?? secret)
  return new Visitor().fetch('/notify/email/events', {
    method: 'POST',
    headers: { 'svix-id': 'msg_1', 'svix-timestamp': timestamp, 'svix-signature': more.signature ?? signature },
    body,
  })
}

const event = (type: string, email_id: string, more: object = {}) =>
  JSON.stringify({ type, data: { email_id, ...more } })

const contactOf = ({ recipient }: MadeDelivery) =>
  one<{
    opted_out_at: number | null
    undeliverable_at: number | null
    undeliverable_reason: string | null
    verified_at: number | null
  }>('SELECT * FROM contact WHERE recipient_id = ?', recipient)

async function sentMail(): Promise<MadeDelivery & { provider_id: string }> {
  const made = await makeDelivery('email')
  await runDelivery(made.id)
  return { ...made, provider_id: (await deliveryOf(made.id)).provider_id ?? '' }
}

describe('a report of the email provider', () => {
  test('that is too long is not read to its end', async () => {
    let read = 0
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        read += 1
        if (read > 200) controller.close()
        else controller.enqueue(new Uint8Array(64 * 1024))
      },
    })
    const headers = { 'svix-id': 'msg_1', 'svix-timestamp': '1', 'svix-signature': 'v1,x' }
    const answer = await new Visitor().fetch('/notify/email/events', { method: 'POST', headers, body })
    expect(answer.status).toBe(413)
    expect(read).toBeLessThan(100)
  })

  test('that a mailbox does not exist disables its contact visibly, and cancels waiting messages', async () => {
    const made = await sentMail()
    expect((await post(event('email.bounced', made.provider_id, { bounce: { type: 'Permanent' } }))).status).toBe(204)
    expect(await deliveryOf(made.id)).toMatchObject({
      state: 'failed',
      last_error: expect.stringContaining('does not exist'),
    })
    expect(await contactOf(made)).toMatchObject({ undeliverable_at: expect.any(Number) })
    await rows("UPDATE delivery SET state = 'queued', due_at = 0, body = NULL WHERE id = ?", made.id)
    expect(await runDelivery(made.id)).toEqual({
      state: 'canceled',
      error: 'Messages to this address don’t get through.',
    })
  })

  test.each([
    ['accepted it', () => {}],
    [
      'opened its link',
      ({ id }: MadeDelivery) => writeTogether(env.DB, [recordOpened({ delivery_id: id }, Date.now())]),
    ],
  ])('that a mailbox does not exist counts although its server has %s', async (_what, happen) => {
    const made = await sentMail()
    await post(event('email.delivered', made.provider_id))
    await happen(made)
    await post(event('email.bounced', made.provider_id, { bounce: { type: 'Permanent' } }))
    expect(await deliveryOf(made.id)).toMatchObject({ state: 'failed', delivered_at: null, opened_at: null })
  })

  test('that an email bounced does not count once a person has answered it', async () => {
    const made = await sentMail()
    const seen = { delivery_id: made.id, poll_id: 'x', recipient_id: made.recipient }
    await writeTogether(env.DB, recordSeen(seen, 'got_it', Date.now()))
    await post(event('email.bounced', made.provider_id))
    expect((await deliveryOf(made.id)).state).toBe('sent')
  })

  test('that a mailbox is full ends the email, not the contact', async () => {
    const made = await sentMail()
    await post(event('email.bounced', made.provider_id, { bounce: { type: 'Transient' } }))
    expect((await deliveryOf(made.id)).state).toBe('failed')
    expect((await contactOf(made)).undeliverable_at).toBeNull()
  })

  test.each([
    ['email.suppressed', true],
    ['email.failed', false],
  ])('that the provider did not send the email is shown: %s', async (type, isForGood) => {
    const made = await sentMail()
    await post(event(type, made.provider_id))
    expect(await deliveryOf(made.id)).toMatchObject({
      state: 'failed',
      last_error: expect.stringContaining('mail provider'),
    })
    expect((await contactOf(made)).undeliverable_at !== null).toBe(isForGood)
  })

  test.each([
    ['email.bounced', { bounce: { type: 'Transient' } }],
    ['email.failed', {}],
  ])('that an email did not arrive lets the next alert go out at once: %s', async (type, more) => {
    const made = await sentMail()
    await rows(
      'UPDATE watch SET last_alert_at = (SELECT created_at FROM delivery WHERE id = ?) WHERE recipient_id = ?',
      made.id,
      made.recipient,
    )
    await post(event(type, made.provider_id, more))
    expect(await rows('SELECT last_alert_at FROM watch WHERE recipient_id = ?', made.recipient)).toEqual([
      { last_alert_at: null },
    ])
  })

  test('of a spam complaint opts the address out', async () => {
    const made = await sentMail()
    await post(event('email.complained', made.provider_id))
    expect((await contactOf(made)).opted_out_at).toBeGreaterThan(0)
    expect(await rows("SELECT 1 FROM opt_out WHERE kind = 'email' AND address_key = ?", made.address)).toHaveLength(1)
  })

  test('of a spam complaint opts out the address that got the email, although its contact has another one by now', async () => {
    const made = await sentMail()
    await rows(
      "UPDATE contact SET address = 'b' || address, address_key = 'b' || address_key WHERE recipient_id = ?",
      made.recipient,
    )
    await post(event('email.complained', made.provider_id))
    expect((await contactOf(made)).opted_out_at).toBeNull()
    expect(await rows("SELECT 1 FROM opt_out WHERE kind = 'email' AND address_key = ?", made.address)).toHaveLength(1)
  })

  test('of a bounce that comes again does not fail the email that was sent after it', async () => {
    const made = await sentMail()
    const bounced = event('email.bounced', made.provider_id, { bounce: { type: 'Transient' } })
    await post(bounced)
    await retryDelivery({ ...env, LEDGER: unheard }, trackerStaff, made.id, Date.now())
    await rows("UPDATE delivery SET state = 'queued' WHERE id = ?", made.id)
    await setProviderTimeout(400)
    await world.fault('email', 'accept_then_timeout', 1)
    await runDelivery(made.id)
    expect(await deliveryOf(made.id)).toMatchObject({ state: 'unconfirmed' })
    await post(bounced)
    expect(await deliveryOf(made.id)).toMatchObject({ state: 'unconfirmed' })
  })

  test.each(['email.delivered', 'email.bounced', 'email.complained'])(
    'that comes before its mail has an id is asked for again: %s',
    async (type) => {
      const made = await makeDelivery('email')
      await rows("UPDATE delivery SET state = 'unconfirmed', body = '' WHERE id = ?", made.id)
      const id = crypto.randomUUID()
      const early = () => post(event(type, id, { to: [made.address] }))
      expect((await early()).status).toBe(409)
      await rows("UPDATE delivery SET state = 'sent', body = NULL, provider_id = ? WHERE id = ?", id, made.id)
      expect((await early()).status).toBe(204)
      const { opted_out_at, undeliverable_at } = await contactOf(made)
      const { delivered_at } = await deliveryOf(made.id)
      expect(opted_out_at ?? undeliverable_at ?? delivered_at).toBeGreaterThan(0)
    },
  )

  test('about an email that is not an alert is accepted', async () => {
    const made = await sentMail()
    expect((await post(event('email.bounced', 'of-an-account', { to: [made.address] }))).status).toBe(204)
    expect((await contactOf(made)).undeliverable_at).toBeNull()
  })

  test('of an arrival is shown, in any order with other reports, and verifies the contact', async () => {
    const made = await sentMail()
    expect((await contactOf(made)).verified_at).toBeNull()
    await post(event('email.delivered', made.provider_id))
    expect(await deliveryOf(made.id)).toMatchObject({ state: 'delivered', delivered_at: expect.any(Number) })
    await post(event('email.delivered', made.provider_id))
    await post(event('email.opened', made.provider_id))
    expect((await deliveryOf(made.id)).state).toBe('delivered')
    expect((await contactOf(made)).verified_at).toBeGreaterThan(0)
  })

  test('without a valid, recent signature is rejected and changes nothing', async () => {
    const made = await sentMail()
    const body = event('email.bounced', made.provider_id)
    const refused = [
      post(body, { key: `whsec_${btoa('another secret')}` }),
      post(body, { at: Date.now() - 10 * 60_000 }),
      post(body, { signature: '' }),
      post(body, { signature: 'v1,AAAA' }),
    ]
    for (const answer of refused) expect((await answer).status).toBe(403)
    expect((await deliveryOf(made.id)).state).toBe('sent')
    expect((await post('not json')).status).toBe(204)
  })
})

describe('a contact that was disabled by a report', () => {
  test('is used again when its address changes, and when staff turn it off and on', async () => {
    const made = await sentMail()
    const end = () =>
      rows(
        'UPDATE contact SET undeliverable_at = 1, undeliverable_reason = ? WHERE recipient_id = ?',
        'x',
        made.recipient,
      )
    await end()
    await rows('UPDATE contact SET is_enabled = 0 WHERE recipient_id = ?', made.recipient)
    expect((await contactOf(made)).undeliverable_at).toBe(1)
    await rows('UPDATE contact SET is_enabled = 1 WHERE recipient_id = ?', made.recipient)
    expect((await contactOf(made)).undeliverable_at).toBeNull()
    await end()
    await rows(
      "UPDATE contact SET address = 'b' || address, address_key = 'b' || address_key WHERE recipient_id = ?",
      made.recipient,
    )
    expect((await contactOf(made)).undeliverable_at).toBeNull()
  })

  test('may be a phone number that the provider cannot reach', async () => {
    const made = await makeDelivery('phone')
    await runDelivery(made.id)
    const { provider_id, first_tried_at } = await deliveryOf(made.id)
    const message = { id: made.id, first_tried_at: first_tried_at ?? 0 }
    const report = { sid: provider_id ?? '', status: 'undelivered', error_code: '30005', message }
    await recordSmsReports(env.DB, [report], Date.now())
    expect(await contactOf(made)).toMatchObject({ undeliverable_reason: expect.stringContaining('does not exist') })
    const invalid = await makeDelivery('phone', '+15005550001')
    await runDelivery(invalid.id)
    expect((await contactOf(invalid)).undeliverable_at).toBeGreaterThan(0)
  })

  test('may be a webhook that was deleted at Discord, whose other messages then end', async () => {
    const address = `${env.DISCORD_API_URL}/webhooks/${2n * 10n ** 17n}/deleted`
    const made = await makeDelivery('discord', address)
    const [later] = await rows<{ id: number }>(
      `INSERT INTO delivery (poll_id, recipient_id, contact_id, channel, address, state, due_at, created_at)
       SELECT 'later', recipient_id, contact_id, channel, address, 'queued', due_at, created_at FROM delivery WHERE id = ?
       RETURNING id`,
      made.id,
    )
    await runDelivery(made.id)
    expect(await deliveryOf(made.id)).toMatchObject({ state: 'failed', last_error: expect.stringContaining('10015') })
    expect(await contactOf(made)).toMatchObject({
      opted_out_at: null,
      undeliverable_at: expect.any(Number),
      undeliverable_reason: 'The webhook was deleted at Discord.',
    })
    await runDelivery(later?.id ?? 0)
    expect(await deliveryOf(later?.id ?? 0)).toMatchObject({
      state: 'canceled',
      last_error: 'Messages to this address don’t get through.',
    })
  })
})
