import { describe, expect, test } from 'vitest'
import type { Channel } from '../../src/notify/channel.ts'
import { channelFor } from '../../src/notify/channels.ts'
import { retryAfterSeconds } from '../../src/lib/time.ts'
import {
  enormous,
  hang,
  html,
  json,
  message,
  neverEnding,
  reset,
  providerOfFile,
  truncated,
  type Provider,
} from './provider.ts'

const NOW = Date.UTC(2026, 8, 1, 12)

const provider = await providerOfFile()

const channels = [
  {
    kind: 'phone',
    address: '+15550100143',
    good: { sid: 'SM0123456789abcdef', status: 'queued' },
    id: 'SM0123456789abcdef',
  },
  { kind: 'email', address: 'ada@example.com', good: { id: 'b3c1-77' }, id: 'b3c1-77' },
  { kind: 'discord', address: 'webhook', good: { id: '1180000000000000001' }, id: '1180000000000000001' },
] as const

describe.each(channels)('answers of a $kind provider', ({ kind, address, good, id }) => {
  function open(timeoutMs = 5_000, url = provider.url): Channel {
    const settings = {
      APP_URL: 'https://cords.example',
      SMS_API_URL: `${url}/sms/`,
      TWILIO_ACCOUNT_SID: 'AC1',
      TWILIO_AUTH_TOKEN: 'token',
      SMS_FROM: '+15550100000',
      MAIL_PROVIDER: 'resend',
      RESEND_API_URL: `${url}/mail/`,
      RESEND_API_KEY: 're_1',
      MAIL_FROM: 'Class Cords <alerts@class.example>',
      DISCORD_API_URL: `${url}/discord/api/`,
    }
    return channelFor(kind, settings, { fetch: globalThis.fetch, now: () => NOW, timeoutMs })
  }
  function sent(url = provider.url) {
    return message({ address: kind === 'discord' ? `${url}/discord/api/webhooks/1234567890/abcDEF_-1` : address })
  }

  test("a success is accepted, with the provider's id and the time", async () => {
    provider.behave(json(200, good))
    expect(await open().send(sent())).toEqual({ kind: 'accepted', provider_id: id, at: NOW })
    expect(provider.received).toHaveLength(1)
  })

  test.each([
    ['an HTML page with status 200', html(200)],
    ['an empty object', json(200, {})],
    ['another id than ids are', json(200, { ...good, id: 5, sid: 5 })],
    ['an empty 204', (response) => response.writeHead(204).end()],
    ['a good answer that breaks off', truncated(200, good)],
    ['a good answer of 3 MB', enormous(200, good)],
    ['a redirect', json(302, good, { location: '/elsewhere' })],
    ['500', json(500, { code: 20500, name: 'application_error', message: 'oops' })],
    ['503 with a page', html(503, { 'retry-after': '5' })],
    ['a reset', reset],
  ] satisfies [string, Parameters<Provider['behave']>[0]][])('%s is ambiguous', async (_what, behavior) => {
    provider.behave(behavior)
    expect(await open().send(sent())).toMatchObject({ kind: 'ambiguous' })
    expect(provider.received).toHaveLength(1)
  })

  test.each([
    ['no answer', hang],
    ['a body that never ends', neverEnding(200)],
  ])('%s within the time is ambiguous', async (_what, behavior) => {
    provider.behave(behavior)
    const outcome = await open(150).send(sent())
    expect(outcome.kind).toBe('ambiguous')
    expect(provider.received).toHaveLength(1)
  })

  test('a connection failure is ambiguous', async () => {
    const gone = await providerOfFile()
    await gone.close()
    expect(await open(5_000, gone.url).send(sent(gone.url))).toEqual({
      kind: 'ambiguous',
      reason: 'the connection failed',
    })
  })

  const permanent = [400, 404, 410, 422, ...(kind === 'discord' ? [401, 403] : kind === 'phone' ? [403] : [])]

  test.each(permanent)('%i is a permanent refusal', async (status) => {
    provider.behave(json(status, { code: 90001, name: 'some_error', message: `no ${address}` }))
    const outcome = await open().send(sent())
    expect(outcome).toMatchObject({ kind: 'refused', is_permanent: true, is_opt_out: false, retry_after_seconds: null })
    expect(JSON.stringify(outcome)).toContain(String(status))
  })

  test.each([408, 409, 425, 429])('%i is a temporary refusal', async (status) => {
    provider.behave(json(status, { code: 20429, name: 'some_error', message: 'later' }, { 'retry-after': '7' }))
    expect(await open().send(sent())).toMatchObject({ kind: 'refused', is_permanent: false, retry_after_seconds: 7 })
  })

  const ofAccount = kind === 'email' ? [401, 403] : kind === 'phone' ? [401] : []

  test.each(ofAccount)('%i is about our account, which pauses, and the message is tried again', async (status) => {
    for (const body of [{ code: 90001, name: 'some_error', message: `no ${address}` }, {}]) {
      provider.behave(json(status, body))
      expect(await open().send(sent())).toMatchObject({
        kind: 'refused',
        is_permanent: false,
        pause: { seconds: null, is_global: false },
      })
    }
  })

  test('a 4xx with an HTML page comes from a firewall, and is a temporary refusal', async () => {
    provider.behave(html(403))
    expect(await open().send(sent())).toMatchObject({ kind: 'refused', is_permanent: false })
  })

  test('a 400 whose body breaks off is still a refusal', async () => {
    provider.behave(truncated(400, { code: 1, message: 'x' }))
    expect(await open().send(sent())).toMatchObject({ kind: 'refused' })
  })

  test('an address of another kind is refused permanently and never sent', async () => {
    provider.behave(json(200, good))
    for (const wrong of [
      '',
      'nonsense',
      'a@b\r\nBcc: c@d.example',
      '+1555\n0100143',
      'https://evil.example/api/webhooks/1/x',
    ]) {
      expect(await open().send({ ...sent(), address: wrong })).toMatchObject({ kind: 'refused', is_permanent: true })
    }
    expect(provider.received).toHaveLength(0)
  })

  test('no reason contains the address', async () => {
    const { address: whole } = sent()
    provider.behave(json(400, { code: 21211, name: 'validation_error', message: `'${whole}' is no good` }))
    const outcome = await open().send(sent())
    if (kind !== 'discord') expect(JSON.stringify(outcome)).not.toContain(whole)
    expect(outcome.kind).toBe('refused')
  })
})

test('a channel that is not set up refuses and says what is missing', async () => {
  const settings = {
    APP_URL: 'https://cords.example',
    SMS_API_URL: '',
    TWILIO_ACCOUNT_SID: '',
    SMS_FROM: '',
    MAIL_PROVIDER: 'pigeon',
    RESEND_API_URL: '',
    MAIL_FROM: 'a@b.example',
    DISCORD_API_URL: '',
  }
  const tools = { fetch: globalThis.fetch, now: () => NOW }
  const sms = await channelFor('phone', settings, tools).send(message())
  expect(sms).toMatchObject({
    kind: 'refused',
    is_permanent: true,
    reason: expect.stringContaining('TWILIO_AUTH_TOKEN'),
  })
  const mail = await channelFor('email', settings, tools).send(message())
  expect(mail).toMatchObject({ kind: 'refused', is_permanent: true, reason: expect.stringContaining('MAIL_PROVIDER') })
  const resend = channelFor('email', { ...settings, MAIL_PROVIDER: 'resend', RESEND_API_URL: 'http://x' }, tools)
  expect(await resend.send(message())).toMatchObject({ reason: expect.stringContaining('RESEND_API_KEY') })
  const cloudflare = channelFor('email', { ...settings, MAIL_PROVIDER: 'cloudflare' }, tools)
  expect(await cloudflare.send(message())).toMatchObject({ reason: expect.stringContaining('MAIL') })
  expect(await cloudflare.find(message(), NOW)).toMatchObject({ kind: 'cannot_ask' })
})

test('fetch is called without a receiver, as the Workers runtime requires', async () => {
  const holders: unknown[] = []
  const tools = {
    now: () => NOW,
    fetch: async function (this: unknown) {
      holders.push(this)
      return Response.json({ id: 'm1' })
    } as typeof fetch,
  }
  const settings = {
    APP_URL: 'https://cords.example',
    SMS_API_URL: '',
    TWILIO_ACCOUNT_SID: '',
    SMS_FROM: '',
    MAIL_PROVIDER: 'resend',
    RESEND_API_URL: 'http://x',
    RESEND_API_KEY: 'k',
    MAIL_FROM: 'a@b.example',
    DISCORD_API_URL: '',
  }
  await channelFor('email', settings, tools).send(message({ address: 'ada@example.com' }))
  expect(holders).toEqual([undefined])
})

test('Retry-After is seconds or a date, and bounded', () => {
  expect(retryAfterSeconds('2.2', NOW)).toBe(3)
  expect(retryAfterSeconds(new Date(NOW + 90_000).toUTCString(), NOW)).toBe(90)
  expect(retryAfterSeconds(new Date(NOW - 90_000).toUTCString(), NOW)).toBe(0)
  expect(retryAfterSeconds('99999999', NOW)).toBe(3600)
  expect(retryAfterSeconds('-3', NOW)).toBeNull()
  expect(retryAfterSeconds('soon', NOW)).toBeNull()
  expect(retryAfterSeconds('', NOW)).toBeNull()
  expect(retryAfterSeconds(null, NOW)).toBeNull()
})
