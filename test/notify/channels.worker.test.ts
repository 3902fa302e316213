import { env } from 'cloudflare:workers'
import { beforeEach, expect, test } from 'vitest'

import type { ContactKind } from '../../src/lib/contract.ts'
import { channelFor } from '../../src/notify/channels.ts'
import { isUnsubscribeTokenOf, unsubscribeToken } from '../../src/notify/unsubscribe-token.ts'
import { isSignedByTwilio } from '../../src/notify/sms/signature.ts'
import { twilioSignature } from './twilio-signature.ts'

const { WORLD_URL } = env

async function device(): Promise<string> {
  const headers = { 'content-type': 'application/json' }
  const body = JSON.stringify({ name: 'Chrome on Android', key: env.VAPID_PUBLIC_KEY })
  const answer = await fetch(`${WORLD_URL}/_world/devices`, { method: 'POST', headers, body })
  const { endpoint, keys }: { endpoint: string; keys: { p256dh: string; auth: string } } = await answer.json()
  return `${endpoint}#${keys.p256dh}.${keys.auth}`
}

async function send(kind: ContactKind, timeoutMs: number) {
  const address = {
    phone: '+12025550188',
    email: 'grace@example.com',
    discord: `${env.DISCORD_API_URL}/webhooks/1180000000000000001/in-workerd`,
    push: await device(),
  }[kind]
  const channel = channelFor(kind, env, { fetch, now: Date.now, timeoutMs })
  return channel.send({
    idempotency_key: crypto.randomUUID(),
    address,
    subject: 'Seat open',
    text: 'CSC 1011 - Computing',
    html: '<p>CSC 1011</p>',
    unsubscribe_url: 'https://class.example/notify/unsubscribe/7.abc',
    status_callback_url: null,
    valid_until: null,
  })
}

function fault(service: string, mode: string): Promise<Response> {
  const headers = { 'content-type': 'application/json' }
  return fetch(`${WORLD_URL}/_world/faults`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ service, mode, times: 1 }),
  })
}

beforeEach(() => fetch(`${WORLD_URL}/_world/faults`, { method: 'DELETE' }))

const services = [
  ['phone', 'sms'],
  ['email', 'email'],
  ['discord', 'discord'],
  ['push', 'push'],
] as const

test.each(services)('%s sends from the Workers runtime', async (kind) => {
  expect(await send(kind, 5_000)).toMatchObject({ kind: 'accepted' })
})

test.each(services)('%s is ambiguous in the Workers runtime when hanging, reset or cut off', async (kind, service) => {
  // A push service says in the first line of its answer that it accepted, so nothing can be cut off.
  for (const mode of ['timeout', 'reset', ...(kind === 'push' ? [] : ['truncated'])]) {
    await fault(service, mode)
    expect(await send(kind, 500)).toMatchObject({ kind: 'ambiguous' })
  }
})

test('signatures are the same in the Workers runtime', async () => {
  const target = { id: 7, kind: 'email', address: 'ada@example.com' } as const
  expect(await isUnsubscribeTokenOf(await unsubscribeToken(target, 'secret'), target, ['secret'])).toBe(true)
  expect(await isUnsubscribeTokenOf(`7.${'A'.repeat(43)}`, target, ['secret'])).toBe(false)
  const signature = await twilioSignature('https://a.example/', [['Body', 'é']], 't')
  expect(await isSignedByTwilio('https://a.example/', [['Body', 'é']], signature, 't')).toBe(true)
})
