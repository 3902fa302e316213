import { env } from 'cloudflare:workers'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { twilioSignature } from '../notify/twilio-signature.ts'
import {
  arrivedAt,
  deliveryOf,
  type MadeDelivery,
  makeDelivery,
  runDelivery,
  runToTheEnd,
} from '../worker/deliveries.ts'
import { rows } from '../worker/rows.ts'
import { authToken, postForm, postSigned, reply } from '../worker/sms-webhook.ts'
import { watchedDatabase } from '../worker/watched-database.ts'
import { world } from '../worker/world.ts'

afterEach(() => world.clearFaults())

const site = env.APP_URL
/** A report on the latest attempt of a delivery. */
async function report(id: number, sid: string, status: string, more: Record<string, string> = {}) {
  const { first_tried_at } = await deliveryOf(id)
  const path = `/notify/sms/status?delivery=${id}-${first_tried_at}`
  return postSigned(path, { MessageSid: sid, MessageStatus: status, ...more })
}

async function contactOf({ recipient }: MadeDelivery) {
  const [contact] = await rows<{
    id: number
    opted_out_at: number | null
    verified_at: number | null
    undeliverable_at: number | null
  }>('SELECT id, opted_out_at, verified_at, undeliverable_at FROM contact WHERE recipient_id = ?', recipient)
  if (!contact) throw new Error('the contact is gone')
  return contact
}

test('reports that are written together share a line of the log; a rejected one has its own', async () => {
  const made = [await makeDelivery('phone'), await makeDelivery('phone')]
  for (const { id } of made) await runDelivery(id)
  const logged = vi.spyOn(console, 'log').mockImplementation(() => {})
  const answers = await Promise.all(made.map(({ id }) => report(id, 'SM1', 'sent')))
  expect(answers.map(({ status }) => status)).toEqual([204, 204])
  expect(logged.mock.calls).toEqual([[{ event: 'sms_reports', reports: 2, ms: expect.any(Number) }]])
  await postForm('/notify/sms/status', { MessageSid: 'SM1' })
  expect(logged.mock.calls.slice(1)).toEqual([
    [expect.objectContaining({ event: 'request', route: '/notify/sms/status', status: 403 })],
  ])
  logged.mockRestore()
})

describe('a call that the provider did not sign', () => {
  test.each(['/notify/sms/inbound', '/notify/sms/status'])('%s is rejected and changes nothing', async (path) => {
    const made = await makeDelivery('phone')
    const fields = { From: made.address, Body: 'STOP', MessageSid: 'SM1', MessageStatus: 'delivered' }
    const wrong = await twilioSignature(site + path, Object.entries(fields), 'another token')
    const other = await twilioSignature(`${site}/elsewhere`, Object.entries(fields), authToken)
    for (const headers of [{}, ...[wrong, other, '', 'nonsense'].map((value) => ({ 'x-twilio-signature': value }))]) {
      expect((await postForm(path, fields, headers)).status).toBe(403)
    }
    expect(await contactOf(made)).toMatchObject({ opted_out_at: null })
  })

  test('signed for other fields is rejected', async () => {
    const { address } = await makeDelivery('phone')
    const signature = await twilioSignature(
      `${site}/notify/sms/inbound`,
      [
        ['From', address],
        ['Body', 'hello'],
      ],
      authToken,
    )
    const forged = await postForm(
      '/notify/sms/inbound',
      { From: address, Body: 'STOP' },
      { 'x-twilio-signature': signature },
    )
    expect(forged.status).toBe(403)
  })
})

describe('a reply', () => {
  test.each(['STOP', 'stop', ' Unsubscribe. '])(
    '%s ends messages to the phone and cancels waiting ones',
    async (word) => {
      const made = await makeDelivery('phone')
      const answer = await reply(made.address, word)
      expect(answer.status).toBe(200)
      expect(answer.headers.get('content-type')).toContain('text/xml')
      expect(await answer.text()).toMatch(/<Response><\/Response>$/)
      expect((await contactOf(made)).opted_out_at).toBeGreaterThan(0)
      expect(await deliveryOf(made.id)).toMatchObject({ state: 'canceled', last_error: 'Opted out.' })
      expect(await runDelivery(made.id)).toMatchObject({ state: 'canceled' })
    },
  )

  test('START undoes it', async () => {
    const made = await makeDelivery('phone')
    await reply(made.address, 'STOP')
    await reply(made.address, 'START')
    expect((await contactOf(made)).opted_out_at).toBeNull()
  })

  test('START also ends what a report said: the number has just sent a text', async () => {
    const made = await makeDelivery('phone')
    await rows("UPDATE contact SET undeliverable_at = 1, undeliverable_reason = 'x' WHERE address = ?", made.address)
    await reply(made.address, 'START')
    expect((await contactOf(made)).undeliverable_at).toBeNull()
  })

  test('means what Twilio took it for, which may have keywords of its own', async () => {
    const made = await makeDelivery('phone')
    const take = (Body: string, OptOutType: string) =>
      postSigned('/notify/sms/inbound', { From: made.address, To: env.SMS_FROM, Body, OptOutType })
    await take('basta', 'STOP')
    expect((await contactOf(made)).opted_out_at).not.toBeNull()
    await take('empezar', 'START')
    expect((await contactOf(made)).opted_out_at).toBeNull()
    expect(await (await take('ayuda', 'HELP')).text()).not.toContain('<Message>')
  })

  test('HELP is answered under the name that texts begin with', async () => {
    const { address } = await makeDelivery('phone')
    expect(await (await reply(address, 'HELP')).text()).toMatch(/<Message>Class Cords: we text you .*Reply STOP/)
    await rows("INSERT INTO setting (name, value, changed_at) VALUES ('product_name', 'Seats & Co', 0)")
    expect(await (await reply(address, 'help')).text()).toContain('<Message>Seats &amp; Co: we text you')
    await rows("DELETE FROM setting WHERE name = 'product_name'")
  })

  test('that is anything else, or from an unknown number, is ignored silently', async () => {
    const made = await makeDelivery('phone')
    for (const [from, body] of [
      [made.address, 'please stop by'],
      ['+14155550123', 'STOP'],
      ['', ''],
    ] as const) {
      const answer = await reply(from, body)
      expect(answer.status).toBe(200)
      expect(await answer.text()).not.toContain('<Message>')
    }
    expect((await contactOf(made)).opted_out_at).toBeNull()
  })
})

describe('a report', () => {
  test('of delivery verifies the contact the first time, and later reports do not undo it', async () => {
    const made = await makeDelivery('phone')
    await runDelivery(made.id)
    const { provider_id } = await deliveryOf(made.id)
    const sid = provider_id ?? ''
    expect((await report(made.id, sid, 'delivered')).status).toBe(204)
    const delivered = await deliveryOf(made.id)
    expect(delivered).toMatchObject({ state: 'delivered', provider_id: sid })
    expect(delivered.delivered_at).toBeGreaterThan(0)
    const { verified_at } = await contactOf(made)
    expect(verified_at).toBeGreaterThan(0)
    for (const status of ['sent', 'queued', 'undelivered', 'delivered', 'nonsense']) await report(made.id, sid, status)
    expect(await deliveryOf(made.id)).toEqual(delivered)
    expect((await contactOf(made)).verified_at).toBe(verified_at)
  })

  test('that arrives after the link was opened undoes nothing', async () => {
    const made = await makeDelivery('phone')
    await runDelivery(made.id)
    const sid = (await deliveryOf(made.id)).provider_id ?? ''
    await rows("UPDATE delivery SET state = 'opened', opened_at = 1 WHERE id = ?", made.id)
    await report(made.id, sid, 'sent')
    expect(await deliveryOf(made.id)).toMatchObject({ state: 'opened', delivered_at: null })
    await report(made.id, sid, 'delivered')
    const { state, delivered_at } = await deliveryOf(made.id)
    expect([state, delivered_at]).toEqual(['opened', expect.any(Number)])
    expect((await contactOf(made)).verified_at).toBeGreaterThan(0)
  })

  test('of failure stands although its carrier had opened the link, unless a person answered it', async () => {
    const ends = [
      [null, 'failed'],
      [1, 'opened'],
    ]
    for (const [seenAt, end] of ends) {
      const made = await makeDelivery('phone')
      await runDelivery(made.id)
      await rows("UPDATE delivery SET state = 'opened', opened_at = 1, seen_at = ? WHERE id = ?", seenAt, made.id)
      await report(made.id, (await deliveryOf(made.id)).provider_id ?? '', 'undelivered', { ErrorCode: '30007' })
      expect((await deliveryOf(made.id)).state).toBe(end)
    }
  })

  test("with only the provider's id is accepted", async () => {
    const made = await makeDelivery('phone')
    await runDelivery(made.id)
    const { provider_id } = await deliveryOf(made.id)
    await postSigned('/notify/sms/status', { MessageSid: provider_id ?? '', MessageStatus: 'delivered' })
    expect(await deliveryOf(made.id)).toMatchObject({ state: 'delivered' })
  })

  test('of failure marks the message as failed, with the code', async () => {
    const made = await makeDelivery('phone')
    await runDelivery(made.id)
    await report(made.id, (await deliveryOf(made.id)).provider_id ?? '', 'undelivered', { ErrorCode: '30005' })
    expect(await deliveryOf(made.id)).toMatchObject({
      state: 'failed',
      last_error: 'The message was undelivered (Twilio 30005).',
    })
    expect((await contactOf(made)).opted_out_at).toBeNull()
  })

  test('of failure lets the next opening be sent at once', async () => {
    const made = await makeDelivery('phone')
    const lastAlerts = () => rows('SELECT last_alert_at FROM watch WHERE recipient_id = ?', made.recipient)
    await runDelivery(made.id)
    await rows(
      'UPDATE watch SET last_alert_at = (SELECT created_at FROM delivery WHERE id = ?1) WHERE recipient_id = ?2',
      made.id,
      made.recipient,
    )
    await report(made.id, (await deliveryOf(made.id)).provider_id ?? '', 'undelivered', { ErrorCode: '30005' })
    expect(await lastAlerts()).toEqual([{ last_alert_at: null }])
  })

  test('of an opt-out ends only its message, because a START may have come since', async () => {
    const made = await makeDelivery('phone')
    await runDelivery(made.id)
    await report(made.id, (await deliveryOf(made.id)).provider_id ?? '', 'failed', { ErrorCode: '21610' })
    expect(await deliveryOf(made.id)).toMatchObject({ state: 'failed' })
    expect((await contactOf(made)).opted_out_at).toBeNull()
  })

  test('settles an ambiguous message before anyone asks the provider', async () => {
    await world.fault('sms', 'accept_then_reset', 1)
    const made = await makeDelivery('phone')
    await runDelivery(made.id)
    await report(made.id, 'SM00000000000000000000000000000001', 'sent')
    expect(await deliveryOf(made.id)).toMatchObject({
      state: 'sent',
      provider_id: 'SM00000000000000000000000000000001',
      last_error: null,
    })
    expect(await runToTheEnd(made.id)).toMatchObject({ state: 'sent', attempts: 1 })
  })

  const sid = 'SM00000000000000000000000000000001'
  const orders = [
    ['queued', 'sent', 'delivered'],
    ['delivered', 'sent', 'queued'],
    ['sent', 'delivered', 'sent', 'delivered'],
  ]
  test.each(orders)("of arrival before the provider's own answer is stored stands: %s, %s, %s", async (...statuses) => {
    const made = await makeDelivery('phone')
    const db = watchedDatabase({
      before: async (trip) => {
        if (trip === 3) for (const status of statuses) await report(made.id, sid, status)
      },
    })
    expect(await runDelivery(made.id, { db })).toEqual({ state: 'delivered', error: null })
    for (const status of statuses) await report(made.id, sid, status)
    expect(await deliveryOf(made.id)).toMatchObject({ state: 'delivered', provider_id: sid, attempts: 1 })
    expect(await arrivedAt(made.address)).toHaveLength(1)
  })

  test("of failure before the provider's own answer is stored stands, twice or late", async () => {
    const made = await makeDelivery('phone')
    const key = async () => `/notify/sms/status?delivery=${made.id}-${(await deliveryOf(made.id)).first_tried_at}`
    let path = ''
    const say = (MessageStatus: string) => postSigned(path, { MessageSid: sid, MessageStatus })
    const db = watchedDatabase({
      before: async (trip) => {
        if (trip !== 3) return
        path = await key()
        for (const status of ['undelivered', 'sent', 'undelivered']) await say(status)
      },
    })
    const end = { state: 'failed', error: 'The message was undelivered.' }
    expect(await runDelivery(made.id, { db })).toEqual(end)
    await say('sent')
    expect(await deliveryOf(made.id)).toMatchObject({ state: end.state, last_error: end.error, body: null })
  })

  test('of failure of the first copy does not fail the repeated one', async () => {
    const made = await makeDelivery('phone')
    await runDelivery(made.id)
    await rows('UPDATE delivery SET is_repeated = 1 WHERE id = ?', made.id)
    await report(made.id, sid, 'undelivered')
    expect(await deliveryOf(made.id)).toMatchObject({ state: 'sent' })
    for (const state of ['sending', 'unconfirmed']) {
      await rows('UPDATE delivery SET state = ? WHERE id = ?', state, made.id)
      await report(made.id, sid, 'undelivered')
      expect(await deliveryOf(made.id)).toMatchObject({ state })
    }
    const { provider_id } = await deliveryOf(made.id)
    await rows("UPDATE delivery SET state = 'sent' WHERE id = ?", made.id)
    await report(made.id, provider_id ?? '', 'undelivered')
    expect(await deliveryOf(made.id)).toMatchObject({ state: 'failed' })
  })

  test('about an earlier message does not affect its retry', async () => {
    const made = await makeDelivery('phone')
    await runDelivery(made.id)
    const first = await deliveryOf(made.id)
    await report(made.id, first.provider_id ?? '', 'undelivered')
    await env.DB.prepare(`UPDATE delivery SET state = 'queued', attempts = 0 WHERE id = ?`).bind(made.id).run()
    const late = `/notify/sms/status?delivery=${made.id}-${first.first_tried_at}`
    await postSigned(late, { MessageSid: first.provider_id ?? '', MessageStatus: 'sent' })
    expect(await deliveryOf(made.id)).toMatchObject({ state: 'queued' })
  })
})
