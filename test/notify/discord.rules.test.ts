import { expect, test } from 'vitest'

import { discordChannel } from '../../src/notify/discord/webhook.ts'
import { isWebhookAddress } from '../../src/notify/discord/webhook-address.ts'
import { json, message, providerOfFile } from './provider.ts'

const NOW = Date.UTC(2026, 8, 1, 12)
const API = 'https://discord.com/api'
const TOKEN = '3d89bb7572e0fb30d8128367b3b1b44fecd1726de135cbe28a41f8b2f777c372ba29'

const provider = await providerOfFile()

const open = () =>
  discordChannel(
    { apiUrl: `${provider.url}/discord/api`, appUrl: 'https://cords.example' },
    { fetch: globalThis.fetch, now: () => NOW },
  )
const post = (text: string) =>
  message({ text, address: `${provider.url}/discord/api/webhooks/223704706495545344/${TOKEN}` })

test('waits for the stored message and allows no mentions', async () => {
  provider.behave(json(200, { id: '1180000000000000001' }))
  expect(await open().send(post('@everyone seat'))).toMatchObject({
    kind: 'accepted',
    provider_id: '1180000000000000001',
  })
  const [request] = provider.received
  expect(request?.path).toBe(`/discord/api/v10/webhooks/223704706495545344/${TOKEN}`)
  expect(request?.headers['user-agent']).toBe('DiscordBot (https://cords.example, 1.0)')
  expect(request?.query.get('wait')).toBe('true')
  expect(JSON.parse(request?.body ?? '')).toEqual({ content: '@everyone seat', allowed_mentions: { parse: [] } })
})

test('a text that is too long is cut between characters', async () => {
  provider.behave(json(200, { id: '1' }))
  await open().send(post('🎓'.repeat(3000)))
  const { content } = JSON.parse(provider.received[0]?.body ?? '') as { content: string }
  expect(content.length).toBeLessThanOrEqual(4000)
  expect(Array.from(content).length).toBe(2000)
  expect(content.isWellFormed()).toBe(true)
})

test.each([
  [404, 10015, 'Unknown Webhook'],
  [401, 50027, 'Invalid Webhook Token'],
])('a webhook that was deleted (%i, %i) is gone, without an opt-out', async (status, code, words) => {
  provider.behave(json(status, { message: words, code }))
  expect(await open().send(post('x'))).toMatchObject({
    kind: 'refused',
    is_permanent: true,
    is_opt_out: false,
    is_address_gone: true,
    reason: `HTTP ${status}: Discord ${code} ${words}`,
  })
})

test.each([
  [404, 0, '404: Not Found'],
  [404, 10003, 'Unknown Channel'],
  [401, 0, '401: Unauthorized'],
  [400, 10015, 'Unknown Webhook'],
  [403, 50013, 'Missing Permissions'],
])('another refusal (%i, %i) does not say that the webhook is gone', async (status, code, words) => {
  provider.behave(json(status, { message: words, code }))
  expect(await open().send(post('x'))).toMatchObject({ kind: 'refused', is_permanent: true, is_address_gone: false })
})

test.each([
  ['error code: 1010', 'text/plain'],
  ['<html><title>Attention Required</title></html>', 'text/html'],
  ['{"message":"internal network error","code":40333}', 'application/json'],
])('the firewall in front of Discord blocks us, not the message: %s', async (body, type) => {
  provider.behave((response) => response.writeHead(403, { 'content-type': type }).end(body))
  expect(await open().send(post('x'))).toMatchObject({ kind: 'refused', is_permanent: false, pause: { seconds: null } })
})

test('a message to a forum begins a thread', async () => {
  const stored = json(200, { id: '7' })
  const refusal = json(400, {
    code: 220001,
    message: 'Webhooks posted to forum channels must have a thread_name or thread_id',
  })
  provider.behave((response, request) =>
    ('thread_name' in JSON.parse(request.body) ? stored : refusal)(response, request),
  )
  expect(await open().send({ ...post('x'), subject: 'Seat open: MATH 210' })).toMatchObject({
    kind: 'accepted',
    provider_id: '7',
  })
  expect(provider.received.map(({ body }) => JSON.parse(body).thread_name)).toEqual([undefined, 'Seat open: MATH 210'])
})

test.each([
  [1050, { kind: 'ambiguous', reason: 'no answer within 1.05 s' }],
  [950, { kind: 'refused', is_permanent: false }],
])('both requests to a forum together take no longer than the timeout: %i ms left', async (left, expected) => {
  let now = NOW
  const refusal = '{"code":220001,"message":"Webhooks posted to forum channels must have a thread_name or thread_id"}'
  const slow: typeof fetch = async (_url, init) => {
    if (now > NOW) return new Promise((_, reject) => init?.signal?.addEventListener('abort', reject))
    now += 5000 - left
    return new Response(refusal, { status: 400 })
  }
  const tools = { fetch: slow, now: () => now, timeoutMs: 5000 }
  const channel = discordChannel({ apiUrl: API, appUrl: 'https://cords.example' }, tools)
  const sent = { ...post('x'), address: `https://discord.com/api/webhooks/1/${TOKEN}` }
  expect(await channel.send(sent)).toMatchObject(expected)
})

test('a rate limit says how long, in fractions of a second', async () => {
  provider.behave(
    json(429, { message: 'You are being rate limited.', retry_after: 1.337, global: false }, { 'retry-after': '9' }),
  )
  expect(await open().send(post('x'))).toMatchObject({ kind: 'refused', is_permanent: false, retry_after_seconds: 2 })
})

test('cannot be asked', async () => {
  expect(await open().find(post('x'), NOW)).toMatchObject({ kind: 'cannot_ask' })
  expect(open().is_resend_safe).toBe(false)
  expect(provider.received).toHaveLength(0)
})

test.each([
  `https://discord.com/api/webhooks/223704706495545344/${TOKEN}`,
  `https://discordapp.com/api/webhooks/223704706495545344/${TOKEN}`,
  `https://ptb.discord.com/api/webhooks/223704706495545344/${TOKEN}`,
  `https://canary.discord.com/api/v10/webhooks/223704706495545344/${TOKEN}`,
  `https://discord.com/api/webhooks/223704706495545344/${TOKEN}/`,
])('%s is a webhook', (address) => {
  expect(isWebhookAddress(address, API)).toBe(true)
  expect(isWebhookAddress(address, 'http://localhost:8788/discord/api')).toBe(true)
})

test.each([
  '',
  'discord',
  `http://discord.com/api/webhooks/1/${TOKEN}`,
  `https://discord.com:8443/api/webhooks/1/${TOKEN}`,
  `https://discord.com.evil.example/api/webhooks/1/${TOKEN}`,
  `https://evil.example/api/webhooks/1/${TOKEN}`,
  `https://discord.com@evil.example/api/webhooks/1/${TOKEN}`,
  `https://user@discord.com/api/webhooks/1/${TOKEN}`,
  `https://user:pass@discord.com/api/webhooks/1/${TOKEN}`,
  `https://discord.com/api/webhooks/1/${TOKEN}?wait=false`,
  `https://discord.com/api/webhooks/1/${TOKEN}#x`,
  `https://discord.com/api/webhooks/1/${TOKEN}/messages/2`,
  `https://discord.com/api/webhooks/1/../../users/@me`,
  `https://discord.com/webhooks/1/${TOKEN}`,
  'https://discord.com/api/webhooks/1',
  'https://discord.com/api/webhooks/abc/def',
  `https://discord.com/api/webhooks/1/${TOKEN}\n`,
  `http://localhost:8788/discord/api/webhooks/1/${TOKEN}`,
  `http://169.254.169.254/api/webhooks/1/${TOKEN}`,
])('%s is not a webhook', (address) => {
  expect(isWebhookAddress(address, API)).toBe(false)
})

test('the configured origin is accepted, only under its own path', () => {
  const api = 'http://localhost:8788/discord/api'
  expect(isWebhookAddress(`${api}/webhooks/12/abc`, api)).toBe(true)
  expect(isWebhookAddress('http://localhost:8788/webhooks/12/abc', api)).toBe(false)
  expect(isWebhookAddress('http://localhost:8788/elsewhere/x/webhooks/12/abc', api)).toBe(false)
  expect(isWebhookAddress('http://localhost:8787/discord/api/webhooks/12/abc', api)).toBe(false)
})

test('a rate limit is a pause for the webhook, or for all of Discord', async () => {
  const limited = (global: boolean) => json(429, { message: 'You are being rate limited.', retry_after: 3, global })
  provider.behave(limited(false))
  expect(await open().send(post('x'))).toMatchObject({ pause: { seconds: 3, is_global: false } })
  provider.behave(limited(true))
  expect(await open().send(post('x'))).toMatchObject({ pause: { seconds: 3, is_global: true } })
})

test('the last message of a window is a pause until the next', async () => {
  const good = (remaining: string) =>
    json(200, { id: '1180000000000000001' }, { 'x-ratelimit-remaining': remaining, 'x-ratelimit-reset-after': '1.5' })
  provider.behave(good('0'))
  expect(await open().send(post('x'))).toMatchObject({ kind: 'accepted', pause: { seconds: 1.5, is_global: false } })
  provider.behave(good('1'))
  expect(await open().send(post('x'))).not.toHaveProperty('pause')
})
