import { expect, test } from 'vitest'

import { twilioChannel } from '../../src/notify/sms/twilio.ts'
import { hang, html, json, message, reset, providerOfFile } from './provider.ts'

const SENT_AT = Date.UTC(2026, 8, 1, 12, 0, 0)
const PATH = '/2010-04-01/Accounts/AC1/Messages.json'

const provider = await providerOfFile()

function open(prefix = '', timeoutMs = 2_000, from = '+15550100000') {
  const settings = { apiUrl: provider.url + prefix, accountSid: 'AC1', authToken: 'secret', from }
  return twilioChannel(settings, { fetch: globalThis.fetch, now: () => SENT_AT, timeoutMs })
}

function row(more: Record<string, unknown> = {}) {
  const { address: to, text: body } = message()
  return { sid: 'SM77', to, body, status: 'sent', date_created: 'Tue, 01 Sep 2026 12:00:03 +0000', ...more }
}

function list(messages: Record<string, unknown>[], next: string | null = null) {
  return { messages, uri: `${PATH}?Page=0`, next_page_uri: next }
}

function lists(pages: Record<string, unknown>[][], nextOf = (page: number) => `${PATH}?Page=${page}&PageToken=t`) {
  provider.behave((response, request) => {
    const page = Number(request.query.get('Page') ?? 0)
    const hasNext = page + 1 < pages.length
    json(200, list(pages[page] ?? [], hasNext ? nextOf(page + 1) : null))(response, request)
  })
}

test('posts the form that Twilio expects, with basic auth', async () => {
  provider.behave(json(201, { sid: 'SM1', status: 'queued', error_code: null }))
  const text = 'Café & Ünï + 100% 🎓'
  await open('/sms').send(message({ text, status_callback_url: 'https://class.example/notify/sms/status' }))
  const [request] = provider.received
  expect(request).toMatchObject({ method: 'POST', path: `/sms${PATH}` })
  expect(request?.headers.authorization).toBe(`Basic ${Buffer.from('AC1:secret').toString('base64')}`)
  expect(Object.fromEntries(new URLSearchParams(request?.body))).toEqual({
    To: '+15550100143',
    From: '+15550100000',
    Body: text,
    StatusCallback: 'https://class.example/notify/sms/status',
  })
})

test('leaves out the callback if there is none', async () => {
  provider.behave(json(201, { sid: 'SM1' }))
  await open().send(message())
  expect(new URLSearchParams(provider.received[0]?.body).has('StatusCallback')).toBe(false)
})

test.each([
  [400, 21610, { is_permanent: true, is_opt_out: true }],
  [400, 21211, { is_permanent: true, is_opt_out: false }],
  [400, 21614, { is_permanent: true, is_opt_out: false }],
  [400, 21611, { is_permanent: false, is_opt_out: false }],
  [400, 14107, { is_permanent: false, is_opt_out: false }],
  [429, 20429, { is_permanent: false, is_opt_out: false }],
  // About our account, so the message waits until it works again.
  [401, 20003, { is_permanent: false, pause: { seconds: null, is_global: false } }],
  [403, 20005, { is_permanent: false, pause: { seconds: null, is_global: false } }],
  [400, 21212, { is_permanent: false, pause: { seconds: null, is_global: false } }],
  [400, 21606, { is_permanent: false, pause: { seconds: null, is_global: false } }],
  [400, 21659, { is_permanent: false, pause: { seconds: null, is_global: false } }],
  [403, 21408, { is_permanent: true, is_opt_out: false }],
])('status %i with code %i', async (status, code, expected) => {
  provider.behave(json(status, { code, message: `The number +15550100143 is wrong`, status }))
  const outcome = await open().send(message())
  expect(outcome).toMatchObject({ kind: 'refused', ...expected, reason: expect.stringContaining(String(code)) })
  expect(JSON.stringify(outcome)).not.toContain('0100143')
})

test.each([21606, 21659])(
  'a number that a short code does not reach stops no other messages: code %i',
  async (code) => {
    const channel = open('', 2_000, '12345')
    for (const answer of [
      json(400, { code, message: 'mismatch', status: 400 }),
      json(201, { sid: 'SM1', status: 'failed', error_code: code }),
    ]) {
      provider.behave(answer)
      const outcome = await channel.send(message())
      expect(outcome).toMatchObject({ kind: 'refused', is_permanent: true })
      expect(outcome).not.toHaveProperty('pause')
    }
  },
)

test('a message that Twilio created and failed at once is refused', async () => {
  provider.behave(json(201, { sid: 'SM1', status: 'failed', error_code: 21610 }))
  expect(await open().send(message())).toMatchObject({ kind: 'refused', is_opt_out: true })
  provider.behave(json(201, { sid: 'SM1', status: 'undelivered', error_code: null }))
  expect(await open().send(message())).toMatchObject({ kind: 'refused', is_permanent: true })
  provider.behave(json(201, { sid: 'SM1', status: 'failed', error_code: 30002 }))
  expect(await open().send(message())).toMatchObject({
    is_permanent: false,
    pause: { seconds: null, is_global: false },
  })
})

test('finds a message by number, day and text', async () => {
  lists([[row({ sid: 'SM1', body: 'other' }), row()]])
  expect(await open().find(message(), SENT_AT)).toEqual({ kind: 'found', provider_id: 'SM77' })
  const [request] = provider.received
  expect(request).toMatchObject({ method: 'GET', path: PATH })
  expect(request?.query.get('To')).toBe('+15550100143')
  expect(request?.query.get('DateSent>')).toBe('2026-09-01')
  expect(request?.headers.authorization).toMatch(/^Basic /)
})

test('asks from the day before if the first attempt was just after midnight UTC', async () => {
  lists([[]])
  await open().find(message(), Date.UTC(2026, 8, 1, 0, 0, 20))
  expect(provider.received[0]?.query.get('DateSent>')).toBe('2026-08-31')
})

test.each([
  ['an older message of the same words', { date_created: 'Tue, 01 Sep 2026 11:58:00 +0000' }],
  ['one to somebody else', { to: '+15550100999' }],
  ['other words', { body: 'CSC 1011' }],
  ['one that failed', { status: 'failed' }],
  ['one that never arrived', { status: 'undelivered' }],
  ['one without words', { body: null }],
])('%s is not the message', async (_what, difference) => {
  lists([[row(difference)]])
  expect(await open().find(message(), SENT_AT)).toEqual({ kind: 'absent' })
})

test.each([
  ['a clock half a minute behind', { date_created: 'Tue, 01 Sep 2026 11:59:31 +0000' }],
  ['the words of a trial account', { body: `Sent from your Twilio trial account - ${message().text}` }],
  ['a message still queued', { status: 'queued' }],
  ['other line ends', { body: `${message().text.replace(', ', ',\r\n')} ` }],
])('%s does not hide it', async (_what, difference) => {
  lists([[row(difference)]])
  expect(await open().find(message(), SENT_AT)).toEqual({ kind: 'found', provider_id: 'SM77' })
})

test('a message without a sent date, missing from the dated list, is found in the newest', async () => {
  provider.behave((response, request) => {
    json(200, list(request.query.has('DateSent>') ? [] : [row({ status: 'accepted' })]))(response, request)
  })
  expect(await open().find(message(), SENT_AT)).toEqual({ kind: 'found', provider_id: 'SM77' })
})

test.each([
  ['', (page: number) => `${PATH}?Page=${page}`],
  ['/sms', (page: number) => `${PATH}?Page=${page}`],
  ['/sms', (page: number) => `/sms${PATH}?Page=${page}`],
])('follows the pages under an address ending in "%s"', async (prefix, nextOf) => {
  lists([[row({ body: 'one' })], [row({ body: 'two' })], [row()]], nextOf)
  expect(await open(prefix).find(message(), SENT_AT)).toEqual({ kind: 'found', provider_id: 'SM77' })
  expect(provider.received.map((request) => request.path)).toEqual(Array(3).fill(prefix + PATH))
})

test('a list too long to read to its end does not prove absence', async () => {
  lists(Array.from({ length: 50 }, () => [row({ body: 'other' })]))
  expect(await open().find(message(), SENT_AT)).toMatchObject({ kind: 'cannot_ask' })
  expect(provider.received.length).toBeLessThanOrEqual(6)
})

test('a next page on another server is not requested', async () => {
  const stranger = await providerOfFile()
  lists([[], []], () => `${stranger.url}${PATH}`)
  expect(await open().find(message(), SENT_AT)).toMatchObject({ kind: 'cannot_ask' })
  expect(stranger.received).toHaveLength(0)
  await stranger.close()
})

test.each([
  ['500', json(500, {})],
  ['500 with an empty list', json(500, list([]))],
  ['429', json(429, { code: 20429, message: 'later' })],
  ['401', json(401, { code: 20003, message: 'no' })],
  ['a page', html(200)],
  ['an empty list without a page around it', json(200, { messages: [] })],
  ['another shape', json(200, list([{ sid: 'SM1' }]))],
  ['a reset', reset],
  ['a time that is none', json(200, list([row({ date_created: 'yesterday' })]))],
])('%s leaves a lookup without a result', async (_what, behavior) => {
  provider.behave(behavior)
  expect(await open().find(message(), SENT_AT)).toMatchObject({ kind: 'cannot_ask' })
})

test('a lookup without an answer has no result', async () => {
  provider.behave(hang)
  const channel = open('', 150)
  expect(await channel.find(message(), SENT_AT)).toMatchObject({ kind: 'cannot_ask' })
  expect(channel.is_resend_safe).toBe(false)
})

test('a lookup that is ended before its answer has no result', async () => {
  const stop = new AbortController()
  provider.behave(() => stop.abort())
  expect(await open().find(message(), SENT_AT, stop.signal)).toEqual({
    kind: 'cannot_ask',
    reason: 'no time was left',
  })
})

test('if the second list cannot be read, absence is not claimed', async () => {
  provider.behave((response, request) => {
    const behavior = request.query.has('DateSent>') ? json(200, list([])) : json(500, {})
    behavior(response, request)
  })
  expect(await open().find(message(), SENT_AT)).toMatchObject({ kind: 'cannot_ask' })
})

test.each([
  [90 * 60_000 + 999, '5400'],
  [20 * 60 * 60_000, '36000'],
  [-5000, '1'],
])('Twilio keeps a message for what is left of its life, within its own bounds: %d ms', async (left, seconds) => {
  provider.behave(json(201, { sid: 'SM1' }))
  await open().send(message({ valid_until: SENT_AT + left }))
  expect(new URLSearchParams(provider.received[0]?.body).get('ValidityPeriod')).toBe(seconds)
})

test.each([20429, 14107, 21611, 30022])('code %d is a pause for all', async (code) => {
  provider.behave(json(400, { code, message: 'too many' }))
  expect(await open().send(message())).toMatchObject({
    kind: 'refused',
    is_permanent: false,
    pause: { seconds: null, is_global: false },
  })
})
