import { afterAll, beforeEach, expect, test } from 'vitest'
import { channelFor } from '../../src/notify/channels.ts'
import { message } from './provider.ts'
import { control } from '../world/client.ts'
import { makeVapidVars } from '../world/push/vapid-keys.ts'
import { startWorld } from '../world/server.ts'

const vapid = makeVapidVars()
const world = await startWorld({ appUrl: 'http://localhost:1', twilioAccountSid: 'AC1', twilioAuthToken: 't' })
afterAll(() => world.close())
beforeEach(() => control(world.url, 'DELETE', 'outbox'))

interface Subscribed {
  id: string
  endpoint: string
  keys: { p256dh: string; auth: string }
}

async function subscribe(): Promise<Subscribed> {
  const answer = await control(world.url, 'POST', 'devices', { name: 'Firefox', key: vapid.VAPID_PUBLIC_KEY })
  return (await answer.json()) as Subscribed
}

function send({ endpoint, keys }: Subscribed, vars = vapid) {
  const channel = channelFor(
    'push',
    {
      APP_URL: 'https://cords.example',
      SMS_API_URL: '',
      TWILIO_ACCOUNT_SID: '',
      SMS_FROM: '',
      MAIL_PROVIDER: '',
      RESEND_API_URL: '',
      MAIL_FROM: '',
      DISCORD_API_URL: '',
      ...vars,
      PUSH_SERVICE_URL: `${world.url}/push`,
    },
    { fetch, now: Date.now },
  )
  return channel.send(
    message({
      address: `${endpoint}#${keys.p256dh}.${keys.auth}`,
      subject: 'Seat open: CSC 1011-02',
      text: 'Computing · CRN 12345 · 3 left',
      push: { url: 'http://app/s/1', about: 'sections 1', is_silent: false, delivery: '4-1', token: 't' },
    }),
  )
}

const outbox = async (): Promise<unknown> =>
  ((await (await control(world.url, 'GET', 'outbox')).json()) as { push: unknown }).push

test('what a device received is in the outbox in plain text, and not shown yet', async () => {
  expect(await send(await subscribe())).toMatchObject({ kind: 'accepted' })
  expect(await outbox()).toEqual([
    {
      device: 'Firefox',
      title: 'Seat open: CSC 1011-02',
      body: 'Computing · CRN 12345 · 3 left',
      url: 'http://app/s/1',
      at: expect.stringMatching(/Z$/) as string,
      shown_at: null,
    },
  ])
  await control(world.url, 'DELETE', 'outbox')
  expect(await outbox()).toEqual([])
})

test('only the application that subscribed a device may send to it', async () => {
  expect(await send(await subscribe(), makeVapidVars())).toMatchObject({ kind: 'refused', reason: 'HTTP 403' })
  expect(await outbox()).toEqual([])
})

test('a device whose owner turned it off is gone, and an unknown one is a 404', async () => {
  const device = await subscribe()
  for (const one of world.world.devices) one.isGone ||= one.id === device.id
  expect(await send(device)).toMatchObject({ is_address_gone: true })
  expect(await send({ ...device, endpoint: `${world.url}/push/send/nobody` })).toMatchObject({ is_address_gone: true })
})

test('a push service with too many requests says when to try again', async () => {
  await control(world.url, 'POST', 'faults', { service: 'push', mode: 'rate', per_second: 1 })
  const device = await subscribe()
  expect(await send(device)).toMatchObject({ kind: 'accepted' })
  expect(await send(device)).toMatchObject({ kind: 'refused', pause: { seconds: 1 } })
  await control(world.url, 'DELETE', 'faults')
})
