import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'

import type { ContactKind } from '../../src/lib/contract.ts'
import type { Channel, Message, SendOutcome } from '../../src/notify/channel.ts'
import { channelFor } from '../../src/notify/channels.ts'
import { smsKeyword } from '../../src/notify/sms/keywords.ts'
import { isSignedByTwilio } from '../../src/notify/sms/signature.ts'
import { control } from '../world/client.ts'
import type { Mode } from '../world/faults.ts'
import { makeVapidVars } from '../world/push/vapid-keys.ts'
import { startWorld } from '../world/server.ts'
import type { RunningWorld } from '../world/server.ts'
import { message, startProvider } from './provider.ts'
import type { Provider } from './provider.ts'

const AUTH_TOKEN = 'world-token'
const ADDRESSES = { phone: '+12025550143', email: 'ada@example.com', discord: '', push: '' }
const SERVICES = { phone: 'sms', email: 'email', discord: 'discord', push: 'push' } as const

const vapid = makeVapidVars()

let app: Provider
let world: RunningWorld
beforeAll(async () => {
  app = await startProvider()
  app.behave((response) => response.writeHead(204).end())
  world = await startWorld({ appUrl: app.url, twilioAccountSid: 'AC1', twilioAuthToken: AUTH_TOKEN, smsDeliveryMs: 4 })
  const answer = await control(world.url, 'POST', 'devices', { name: 'Chrome on Android', key: vapid.VAPID_PUBLIC_KEY })
  const { endpoint, keys } = (await answer.json()) as { endpoint: string; keys: { p256dh: string; auth: string } }
  ADDRESSES.push = `${endpoint}#${keys.p256dh}.${keys.auth}`
})
afterAll(async () => {
  await world.close()
  await app.close()
})
beforeEach(async () => {
  await control(world.url, 'DELETE', 'outbox')
  app.received.length = 0
})
afterEach(() => control(world.url, 'DELETE', 'faults'))

function open(kind: ContactKind, timeoutMs = 400): Channel {
  const settings = {
    APP_URL: 'https://cords.example',
    SMS_API_URL: `${world.url}/sms`,
    TWILIO_ACCOUNT_SID: 'AC1',
    TWILIO_AUTH_TOKEN: AUTH_TOKEN,
    SMS_FROM: '+12025550100',
    MAIL_PROVIDER: 'resend',
    RESEND_API_URL: `${world.url}/mail`,
    RESEND_API_KEY: 're_world',
    MAIL_FROM: 'Class Cords <alerts@example.com>',
    DISCORD_API_URL: `${world.url}/discord/api`,
    ...vapid,
    PUSH_SERVICE_URL: `${world.url}/push`,
  }
  return channelFor(kind, settings, { fetch: globalThis.fetch, now: Date.now, timeoutMs })
}

let serial = 0
function fresh(kind: ContactKind, more: Partial<Message> = {}): Message {
  serial += 1
  const address = ADDRESSES[kind] || `${world.url}/discord/api/webhooks/1180000000000000001/token-${serial}`
  return message({ idempotency_key: `delivery/${serial}`, address, text: `CSC ${serial} - Computing`, ...more })
}

async function arrived(kind: ContactKind): Promise<unknown[]> {
  const response = await control(world.url, 'GET', 'outbox')
  return ((await response.json()) as Record<string, unknown[]>)[SERVICES[kind]] ?? []
}

const kinds = ['phone', 'email', 'discord', 'push'] as const

describe.each(kinds)('%s in the local world', (kind) => {
  test('a message arrives once', async () => {
    expect(await open(kind, 5_000).send(fresh(kind))).toMatchObject({ kind: 'accepted' })
    expect(await arrived(kind)).toHaveLength(1)
  })

  test.each([
    ['http_500', 'ambiguous'],
    ['http_429', 'refused'],
    ['timeout', 'ambiguous'],
    ['reset', 'ambiguous'],
    ['empty', 'ambiguous'],
    ['maintenance_html', 'ambiguous'],
    ['truncated', 'ambiguous'],
  ] satisfies [Mode, SendOutcome['kind']][])('%s is %s', async (mode, expected) => {
    await control(world.url, 'POST', 'faults', { service: SERVICES[kind], mode })
    const outcome = await open(kind, mode === 'timeout' ? 60 : 400).send(fresh(kind))
    // A push service says in the first line of its answer that it accepted.
    const isTaken = kind === 'push' && mode === 'truncated'
    expect(outcome.kind).toBe(isTaken ? 'accepted' : expected)
    if (outcome.kind === 'refused') expect(outcome.is_permanent).toBe(false)
  })
})

describe.each(['phone', 'email'] as const)('ambiguous %s', (kind) => {
  test.each(['accept_then_timeout', 'accept_then_reset', 'truncated'] as const)(
    '%s: the message was taken, and is not sent twice',
    async (mode) => {
      const channel = open(kind, 1_000)
      const one = fresh(kind)
      const since = Date.now()
      await control(world.url, 'POST', 'faults', { service: SERVICES[kind], mode, times: 1 })
      expect(await channel.send(one)).toMatchObject({ kind: 'ambiguous' })
      const answer = channel.is_resend_safe ? await channel.send(one) : await channel.find(one, since)
      expect(answer).toMatchObject({ kind: channel.is_resend_safe ? 'accepted' : 'found' })
      expect(await arrived(kind)).toHaveLength(1)
    },
  )
})

test.each(['timeout', 'reset', 'http_500', 'empty', 'maintenance_html'] as const)(
  'an SMS lost in %s is absent once the provider can be asked, and unknown until then',
  async (mode) => {
    const channel = open('phone')
    const one = fresh('phone')
    const since = Date.now()
    await control(world.url, 'POST', 'faults', { service: 'sms', mode, times: 2 })
    expect(await channel.send(one)).toMatchObject({ kind: 'ambiguous' })
    expect(await channel.find(one, since)).toMatchObject({ kind: 'cannot_ask' })
    expect(await channel.find(one, since)).toEqual({ kind: 'absent' })
  },
)

test("the provider's refusals are distinguished", async () => {
  const channel = open('phone', 5_000)
  expect(await channel.send(fresh('phone', { address: '+15005550001' }))).toMatchObject({
    is_permanent: true,
    is_opt_out: false,
  })
  expect(await channel.send(fresh('phone', { address: '+15005550004' }))).toMatchObject({
    is_permanent: true,
    is_opt_out: true,
  })
  const deleted = `${world.url}/discord/api/webhooks/1180000000000000001/deleted-1`
  const post = await open('discord', 5_000).send(fresh('discord', { address: deleted }))
  expect(post).toMatchObject({ kind: 'refused', is_permanent: true, is_opt_out: false })
})

test("the world's signature on a reply is valid, and the reply is understood", async () => {
  await control(world.url, 'POST', 'sms', { from: '+12025550177', body: 'Stop' })
  const [request] = app.received
  const fields = new URLSearchParams(request?.body)
  const url = `${app.url}/notify/sms/inbound`
  const signature = request?.headers['x-twilio-signature']
  expect(request?.path).toBe('/notify/sms/inbound')
  expect(await isSignedByTwilio(url, fields, String(signature), AUTH_TOKEN)).toBe(true)
  expect(await isSignedByTwilio(url, fields, String(signature), 'another')).toBe(false)
  expect(smsKeyword(fields.get('Body') ?? '')).toBe('stop')
  const next = await open('phone', 5_000).send(fresh('phone', { address: '+12025550177' }))
  expect(next).toMatchObject({ kind: 'refused', is_opt_out: true })
})
