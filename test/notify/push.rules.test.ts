import { describe, expect, test } from 'vitest'
import * as fc from 'fast-check'

import { encryptFor, MAX_PAYLOAD_BYTES } from '../../src/notify/push/encrypt.ts'
import { parsePushAddress, pushAddress, subscriptionOf } from '../../src/notify/push/push-address.ts'
import { makeVapidKeys, vapidHeader } from '../../src/notify/push/vapid.ts'
import { pushChannel } from '../../src/notify/push/web-push.ts'
import { accountOf } from '../../src/notify/addresses.ts'
import { faultOfVapid } from '../world/push/authorization.ts'
import { decryptFor, makeDevice } from '../world/push/device.ts'
import { html, message, providerOfFile } from './provider.ts'

const NOW = Date.UTC(2026, 8, 1, 12)
const provider = await providerOfFile()
const keys = { ...(await makeVapidKeys()), subject: 'mailto:alerts@example.com' }
const device = makeDevice({ name: 'Phone', applicationKey: null, isPhone: true })
const bytes = (text: string) => new Uint8Array(Buffer.from(text, 'base64url'))
const subscribed = (endpoint: string) => ({ endpoint, p256dh: device.p256dh, auth: device.auth })

function address(): string {
  const found = subscriptionOf(subscribed(`${provider.url}/push/send/1`), `${provider.url}/push`)
  return found === null ? '' : pushAddress(found)
}

const push = {
  url: 'https://class.example/s/abc',
  about: 'sections 1,2',
  is_silent: false,
  delivery: '4-1',
  token: 't',
}
const open = () =>
  pushChannel({ ...keys, serviceUrl: `${provider.url}/push` }, { fetch: globalThis.fetch, now: () => NOW })
const send = (more: Partial<typeof push> = {}, valid_until: number | null = null) =>
  open().send(message({ address: address(), push: { ...push, ...more }, valid_until }))
const created = () =>
  provider.behave((response) => response.writeHead(201, { location: 'https://push.example/message/77' }).end())

describe('encryption', () => {
  test('matches the example of RFC 8291, section 5', async () => {
    const curve = { name: 'ECDH', namedCurve: 'P-256' }
    const point = bytes('BP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A8')
    const jwk = {
      kty: 'EC',
      crv: 'P-256',
      d: 'yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw',
      x: Buffer.from(point.slice(1, 33)).toString('base64url'),
      y: Buffer.from(point.slice(33)).toString('base64url'),
    }
    const pair = {
      privateKey: await crypto.subtle.importKey('jwk', jwk, curve, true, ['deriveBits']),
      publicKey: await crypto.subtle.importKey('raw', point, curve, true, []),
    }
    const sealed = await encryptFor(
      {
        p256dh: bytes('BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4'),
        auth: bytes('BTBZMqHH6r4Tts7J_aSIgg'),
      },
      new TextEncoder().encode('When I grow up, I want to be a watermelon'),
      { keys: pair, salt: bytes('DGv6ra1nlYgDCS1FRnbzlw') },
    )
    expect(Buffer.from(sealed).toString('base64url')).toBe(
      'DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN',
    )
  })

  test('can be read only by the target device', async () => {
    const other = makeDevice({ name: 'Other', applicationKey: null, isPhone: true })
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'grapheme', maxLength: 900 }), async (text) => {
        const body = await encryptFor(
          { p256dh: bytes(device.p256dh), auth: bytes(device.auth) },
          new TextEncoder().encode(text),
        )
        expect(decryptFor(device, Buffer.from(body))).toBe(text.toWellFormed())
        expect(() => decryptFor(other, Buffer.from(body))).toThrow()
      }),
      { numRuns: 20 },
    )
  })

  test('fills at most one record', async () => {
    const subscription = { p256dh: bytes(device.p256dh), auth: bytes(device.auth) }
    expect((await encryptFor(subscription, new Uint8Array(MAX_PAYLOAD_BYTES))).length).toBe(4096)
    await expect(encryptFor(subscription, new Uint8Array(MAX_PAYLOAD_BYTES + 1))).rejects.toThrow(RangeError)
  })
})

test('our identity is signed for half a day, and one token serves many messages', async () => {
  const header = await vapidHeader(keys, 'https://fcm.googleapis.com/fcm/send/a', NOW)
  expect(faultOfVapid(header, 'https://fcm.googleapis.com', keys.publicKey, NOW)).toBeNull()
  expect(faultOfVapid(header, 'https://web.push.apple.com', keys.publicKey, NOW)).toMatch(/audience/)
  expect(faultOfVapid(header.replace('t=ey', 't=eY'), 'https://fcm.googleapis.com', null, NOW)).toMatch(/signature/)
  expect(await vapidHeader(keys, 'https://fcm.googleapis.com/fcm/send/b', NOW + 5 * 3600_000)).toBe(header)
  expect(await vapidHeader(keys, 'https://fcm.googleapis.com/fcm/send/b', NOW + 7 * 3600_000)).not.toBe(header)
})

test.each([
  'https://fcm.googleapis.com/fcm/send/dQw4w9WgXcQ:APA91b',
  'https://jmt17.google.com/fcm/send/dQw4w9WgXcQ:APA91b',
  'https://updates.push.services.mozilla.com/wpush/v2/gAAAA',
  'https://web.push.apple.com/QGuQyavXutnMH',
  'https://wns2-by3p.notify.windows.com/w/?token=BQYAAA%3d',
])('%s is a push service’s', (endpoint) => {
  const subscription = subscriptionOf(subscribed(endpoint), '')
  expect(subscription?.endpoint).toBe(endpoint)
  expect(subscription && parsePushAddress(pushAddress(subscription), '')).toEqual(subscription)
})

test.each([
  '',
  'push',
  'http://fcm.googleapis.com/fcm/send/a',
  'https://fcm.googleapis.com:8443/fcm/send/a',
  'https://fcm.googleapis.com.evil.example/fcm/send/a',
  'https://evil.example/fcm.googleapis.com',
  'https://google.com/fcm/send/a',
  'https://other.google.com/fcm/send/a',
  'https://fcm.googleapis.com@evil.example/a',
  'https://user@web.push.apple.com/a',
  'https://web.push.apple.com/a#b',
  'https://notpush.apple.com.example/a',
  'https://xpush.apple.com/a',
  'https://web.push.apple.com/a b',
  'http://169.254.169.254/latest/meta-data',
  'http://localhost:8788/push/send/1',
  `https://web.push.apple.com/${'a'.repeat(1000)}`,
])('%j is not', (endpoint) => {
  expect(subscriptionOf(subscribed(endpoint), '')).toBeNull()
})

test("the local world's own endpoint is accepted, only under its own path", () => {
  const service = 'http://localhost:8788/push'
  expect(subscriptionOf(subscribed(`${service}/send/1`), service)).not.toBeNull()
  expect(subscriptionOf(subscribed('http://localhost:8788/pushed/send/1'), service)).toBeNull()
  expect(subscriptionOf(subscribed('http://localhost:8788/push/../mail/emails'), service)).toBeNull()
  expect(subscriptionOf(subscribed('http://localhost:8787/push/send/1'), service)).toBeNull()
})

test.each([
  ['no point', { p256dh: device.auth }],
  ['no secret', { auth: '' }],
  ['a secret that is too long', { auth: device.p256dh }],
])('a subscription with %s is none', (_, more) => {
  expect(subscriptionOf({ ...subscribed('https://web.push.apple.com/a'), ...more }, '')).toBeNull()
})

test('a notification contains its text, its page and its own token', async () => {
  created()
  expect(await send()).toMatchObject({ kind: 'accepted', provider_id: '77' })
  const [request] = provider.received
  expect(request?.headers).toMatchObject({ 'content-encoding': 'aes128gcm', ttl: '86400', urgency: 'high' })
  expect(request?.headers['topic']).toMatch(/^[\w-]{22}$/)
  expect(faultOfVapid(request?.headers.authorization ?? '', provider.url, keys.publicKey, NOW)).toBeNull()
})

test('a notification about a thousand sections is sent, and its device stays', async () => {
  created()
  const about = `sections ${Array.from({ length: 1000 }, (_, index) => 100_000 + index)}`
  expect(await send({ about })).toMatchObject({ kind: 'accepted' })
})

test('it expires with its content, and newer content about the same seats replaces it', async () => {
  created()
  await send({}, NOW + 90_500)
  await send({}, NOW - 1)
  await send({ is_silent: true })
  await send({ about: 'sections 3' })
  expect(provider.received.map(({ headers }) => headers['ttl'])).toEqual(['90', '0', '86400', '86400'])
  expect(provider.received.map(({ headers }) => headers['urgency'])).toEqual(['high', 'high', 'low', 'high'])
  const topics = provider.received.map(({ headers }) => headers['topic'])
  expect(new Set(topics.slice(0, 3)).size).toBe(1)
  expect(topics[3]).not.toBe(topics[0])
})

test.each([404, 410])('HTTP %i: the device no longer exists', async (status) => {
  provider.behave((response) => response.writeHead(status).end())
  expect(await send()).toMatchObject({ kind: 'refused', is_permanent: true, is_address_gone: true })
})

test.each([
  [403, { kind: 'refused', is_permanent: true, is_address_gone: false }],
  [413, { kind: 'refused', is_permanent: true, is_address_gone: false }],
  [500, { kind: 'ambiguous' }],
  [200, { kind: 'ambiguous' }],
])('HTTP %i is %o', async (status, expected) => {
  provider.behave((response) => response.writeHead(status).end())
  expect(await send()).toMatchObject(expected)
})

test('a token that Apple rejects is ours, not the device’s', async () => {
  provider.behave((response) => response.writeHead(403).end('{"reason":"BadJwtToken"}'))
  expect(await send()).toMatchObject({
    is_permanent: false,
    reason: 'HTTP 403: BadJwtToken',
    pause: { seconds: null, is_global: false },
  })
})

test.each([429, 406])('too many requests (%i) pause that push service only', async (status) => {
  provider.behave((response) => response.writeHead(status, { 'retry-after': '7' }).end())
  expect(await send()).toMatchObject({
    kind: 'refused',
    reason: `HTTP ${status}`,
    is_permanent: false,
    pause: { seconds: 7, is_global: false },
  })
  expect(accountOf('push', 'https://web.push.apple.com/a#k.s')).toBe('push:web.push.apple.com')
  expect(accountOf('push', 'https://fcm.googleapis.com/fcm/send/a#k.s')).toBe('push:fcm.googleapis.com')
})

test('a maintenance page in between accepted nothing for certain', async () => {
  provider.behave(html(200))
  expect(await send()).toMatchObject({ kind: 'ambiguous' })
})

test('nothing is posted to an invalid subscription or key', async () => {
  created()
  const notAPoint = `${provider.url}/push/send/1#${Buffer.from([4, ...new Uint8Array(64)]).toString('base64url')}.${device.auth}`
  for (const wrong of ['https://evil.example/a#x.y', notAPoint, '']) {
    expect(await open().send(message({ address: wrong, push }))).toMatchObject({ is_address_gone: true })
  }
  expect(provider.received).toEqual([])
})

test('keys that are not a pair are reported, and the device stays', async () => {
  const channel = pushChannel(
    { ...keys, privateKey: 'x', serviceUrl: `${provider.url}/push` },
    { fetch: globalThis.fetch, now: () => NOW + 30 * 3600_000 },
  )
  expect(await channel.send(message({ address: address(), push }))).toMatchObject({
    kind: 'refused',
    is_address_gone: false,
    reason: expect.stringContaining('VAPID') as string,
  })
})
