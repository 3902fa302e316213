import { createHmac } from 'node:crypto'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { control } from './client.ts'
import { startWorld, type RunningWorld } from './server.ts'

const SID = 'AC0123'
const TOKEN = 'a-token'
const BASIC = `Basic ${Buffer.from(`${SID}:${TOKEN}`).toString('base64')}`
const PHONE = '+12025550143'
interface Received {
  path: string
  params: URLSearchParams
  signed: boolean
}
let running: RunningWorld
let app: Server
let appUrl: string
let twiml = '<Response/>'
const received: Received[] = []

/** A bare app that receives webhooks and checks their signature as Twilio's documentation says. */
beforeAll(async () => {
  app = createServer((request, response) => {
    let body = ''
    request
      .on('data', (chunk) => (body += chunk))
      .on('end', () => {
        const params = new URLSearchParams(body)
        const text = [...params]
          .toSorted(([a], [b]) => (a < b ? -1 : 1))
          .map(([name, value]) => name + value)
          .join('')
        const signature = createHmac('sha1', TOKEN)
          .update(appUrl + (request.url ?? '') + text)
          .digest('base64')
        received.push({ path: request.url ?? '', params, signed: request.headers['x-twilio-signature'] === signature })
        response.setHeader('content-type', 'text/xml').end(twiml)
      })
  })
  await new Promise<void>((resolve) => app.listen(0, '127.0.0.1', resolve))
  appUrl = `http://localhost:${(app.address() as AddressInfo).port}`
  running = await startWorld({ appUrl, twilioAccountSid: SID, twilioAuthToken: TOKEN, smsDeliveryMs: 20 })
})
beforeEach(async () => {
  received.length = 0
  await control(running.url, 'DELETE', 'outbox')
})
afterAll(async () => {
  await running.close()
  app.close()
})

const messages = (query = ''): string => `${running.url}/sms/2010-04-01/Accounts/${SID}/Messages.json${query}`
const send = (form: Record<string, string>, authorization = BASIC): Promise<Response> =>
  fetch(messages(), { method: 'POST', body: new URLSearchParams(form), headers: { authorization } })
const find = async (
  query: string,
): Promise<{ messages: { sid: string; body: string }[]; next_page_uri: string | null }> =>
  (await (await fetch(messages(query), { headers: { authorization: BASIC } })).json()) as never
const reply = (from: string, body: string): Promise<Response> => control(running.url, 'POST', 'sms', { from, body })
const text = (body: string, to = PHONE): Record<string, string> => ({ To: to, From: '+12025550100', Body: body })

describe('the SMS provider', () => {
  it('accepts a message, shows it, and reports its delivery over a signed webhook', async () => {
    const response = await send({ ...text('MATH 150 is open'), StatusCallback: `${appUrl}/notify/sms/status` })
    const sent = (await response.json()) as { sid: string; status: string; num_segments: string }
    expect([response.status, sent.status, sent.num_segments]).toEqual([201, 'queued', '1'])
    expect(await (await control(running.url, 'GET', 'outbox')).json()).toMatchObject({
      sms: [{ to: PHONE, body: 'MATH 150 is open', at: expect.stringMatching(/Z$/) }],
    })
    // Two webhooks sent shortly after each other may arrive in either order.
    await expect
      .poll(() => received.map(({ params }) => params.get('MessageStatus')).toSorted())
      .toEqual(['delivered', 'sent'])
    expect(
      received.every(
        ({ path, signed, params }) => path === '/notify/sms/status' && signed && params.get('MessageSid') === sent.sid,
      ),
    ).toBe(true)
    const one = await fetch(messages().replace('Messages.json', `Messages/${sent.sid}.json`), {
      headers: { authorization: BASIC },
    })
    expect(await one.json()).toMatchObject({ status: 'delivered', body: 'MATH 150 is open' })
  })

  it('lists by number and time, newest first, page by page', async () => {
    for (const body of ['one', 'two', 'three']) await send(text(body, '+12025550150'))
    const to = encodeURIComponent('+12025550150')
    const first = await find(`?To=${to}&PageSize=2`)
    expect(first.messages.map(({ body }) => body)).toEqual(['three', 'two'])
    const rest = await fetch(running.url + '/sms' + first.next_page_uri, { headers: { authorization: BASIC } })
    expect(((await rest.json()) as { messages: { body: string }[] }).messages.map(({ body }) => body)).toEqual(['one'])
    const day = (offset: number): string => new Date(Date.now() + offset * 86_400_000).toISOString().slice(0, 10)
    expect((await find(`?To=${to}&DateSent%3E=${day(0)}`)).messages).toHaveLength(3)
    expect((await find(`?To=${to}&DateSent%3E=${day(1)}`)).messages).toHaveLength(0)
    expect((await find(`?To=${to}&DateSent=${day(0)}`)).messages).toHaveLength(3)
    expect((await find(`?To=${to}&DateSent%3C=${day(-1)}`)).messages).toHaveLength(0)
    expect((await find(`?From=${encodeURIComponent('+19999999999')}`)).messages).toHaveLength(0)
  })

  it.each([
    [{ From: '+12025550100', Body: 'x' }, 21604],
    [{ To: PHONE, Body: 'x' }, 21603],
    [{ To: PHONE, From: '+12025550100' }, 21602],
    [{ To: '12', From: '+12025550100', Body: 'x' }, 21211],
    [{ To: '+15005550009', From: '+12025550100', Body: 'x' }, 21614],
    [{ To: '+15005550004', From: '+12025550100', Body: 'x' }, 21610],
    [{ To: PHONE, From: '+12025550100', Body: 'x'.repeat(1601) }, 21617],
  ])('refuses %j with %i', async (form, code) => {
    const response = await send(form as Record<string, string>)
    expect([response.status, ((await response.json()) as { code: number }).code]).toEqual([400, code])
  })

  it('refuses unknown callers', async () => {
    expect((await send(text('x'), 'Basic nonsense')).status).toBe(401)
  })

  it("passes replies to the app, signed, and shows the app's answer", async () => {
    twiml = '<Response><Message>You &amp; I</Message></Response>'
    expect(await (await reply(PHONE, 'HELLO')).json()).toEqual({ status: 200 })
    expect(received).toMatchObject([{ path: '/notify/sms/inbound', signed: true }])
    expect(received[0]?.params.get('From')).toBe(PHONE)
    expect(running.world.messages.at(-1)).toMatchObject({ to: PHONE, body: 'You & I', direction: 'outbound-reply' })
    twiml = '<Response/>'
  })

  it('applies STOP automatically until START', async () => {
    await reply('+12025550160', ' stop ')
    expect(((await (await send(text('x', '+12025550160'))).json()) as { code: number }).code).toBe(21610)
    await reply('+12025550160', 'START')
    expect((await send(text('x', '+12025550160'))).status).toBe(201)
    expect(
      received.filter(({ path }) => path === '/notify/sms/inbound').map(({ params }) => params.get('Body')),
    ).toEqual([' stop ', 'START'])
  })

  it('cannot reach one number', async () => {
    await send({ ...text('x', '+12025550199'), StatusCallback: `${appUrl}/notify/sms/status` })
    await expect.poll(() => received.at(-1)?.params.get('ErrorCode')).toBe('30005')
    expect(received.at(-1)?.params.get('MessageStatus')).toBe('undelivered')
  })
})

describe('the email provider', () => {
  const post = (body: unknown, headers: Record<string, string> = {}): Promise<Response> =>
    fetch(`${running.url}/mail/emails`, {
      method: 'POST',
      body: JSON.stringify(body),
      headers: { authorization: 'Bearer re_1', ...headers },
    })
  const letter = {
    from: 'Class Cords <alerts@example.com>',
    to: ['a@example.com'],
    subject: 'A seat',
    html: '<p>x</p>',
    text: 'x',
    headers: { 'List-Unsubscribe': '<x>' },
  }

  it('accepts a message once for one key, and refuses another message under it', async () => {
    const first = (await (await post(letter, { 'idempotency-key': 'k1' })).json()) as { id: string }
    expect(await (await post(letter, { 'idempotency-key': 'k1' })).json()).toEqual(first)
    const other = await post({ ...letter, subject: 'Another' }, { 'idempotency-key': 'k1' })
    expect([other.status, await other.json()]).toMatchObject([409, { name: 'invalid_idempotent_request' }])
    expect(await (await control(running.url, 'GET', 'outbox')).json()).toMatchObject({
      email: [{ to: 'a@example.com', subject: 'A seat', text: 'x', html: '<p>x</p>' }],
    })
    const shown = await fetch(`${running.url}/mail/emails/${first.id}`, { headers: { authorization: 'Bearer re_1' } })
    expect(await shown.json()).toMatchObject({
      subject: 'A seat',
      headers: { 'List-Unsubscribe': '<x>' },
      last_event: 'delivered',
    })
  })

  it('validates', async () => {
    expect((await post({ ...letter, to: undefined })).status).toBe(422)
    expect((await post({ ...letter, to: 'not an address' })).status).toBe(422)
    expect((await post({ ...letter, html: '', text: '' })).status).toBe(422)
    expect((await post(letter, { 'idempotency-key': 'x'.repeat(257) })).status).toBe(400)
    expect((await fetch(`${running.url}/mail/emails`, { method: 'POST', body: '{}' })).status).toBe(401)
  })
})

describe('Discord', () => {
  const hook = (path: string, body: unknown): Promise<Response> =>
    fetch(`${running.url}/discord/api/webhooks/${path}`, { method: 'POST', body: JSON.stringify(body) })

  it('accepts a webhook message, with or without an answer', async () => {
    expect((await hook('118000000000000001/abc', { content: 'quiet' })).status).toBe(204)
    const told = await hook('118000000000000001/abc?wait=true', { content: 'told' })
    expect([told.status, await told.json()]).toMatchObject([
      200,
      { content: 'told', id: expect.stringMatching(/^\d+$/) },
    ])
    expect(await (await control(running.url, 'GET', 'outbox')).json()).toMatchObject({
      discord: [
        { url: '/discord/api/webhooks/118000000000000001/abc', body: { content: 'quiet' } },
        { body: { content: 'told' } },
      ],
    })
  })

  it('refuses what it does not know or cannot send', async () => {
    const unknown = await hook('118000000000000001/deleted-long-ago', { content: 'x' })
    expect([unknown.status, await unknown.json()]).toEqual([404, { message: 'Unknown Webhook', code: 10015 }])
    expect((await hook('118000000000000001/abc', { content: '' })).status).toBe(400)
    expect((await hook('118000000000000001/abc', { content: 'x'.repeat(2001) })).status).toBe(400)
    expect((await hook('12/abc', { content: 'x' })).status).toBe(404)
  })
})
