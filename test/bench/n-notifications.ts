import { bytesOfBase64url } from '../../src/lib/bytes.ts'
import type { Message } from '../../src/notify/channel.ts'
import { encryptFor } from '../../src/notify/push/encrypt.ts'
import { pushChannel } from '../../src/notify/push/web-push.ts'
import { makeVapidVars } from '../world/push/vapid-keys.ts'
import { makeDevice } from '../world/push/device.ts'
import { startApp } from './app/start-app.ts'
import { addWaiting, openSection } from './app/waiting.ts'
import { percentile, type Figure, type Part } from './report.ts'

const devices = 300
const rounds = 7
const people = 3000
const giveUpMs = 150_000

const device = makeDevice({ name: 'Phone', applicationKey: null, isPhone: false })

const messageTo = (number: number): Message => ({
  idempotency_key: `delivery-${number}-1`,
  address: `https://push.example/send/${number}#${device.p256dh}.${device.auth}`,
  subject: 'Seat open: CSC 1011-02',
  text: 'Introduction to Computing · CRN 12345 · 3 left',
  html: '',
  unsubscribe_url: null,
  status_callback_url: null,
  valid_until: null,
  push: {
    url: 'https://class-cords.example.workers.dev/s/0123456789',
    about: 'sections 12345',
    is_silent: false,
    delivery: `${number}-1`,
    token: `${number}.${'a'.repeat(43)}`,
  },
})

/** ms of all threads of this process: the runtime's cryptography has its own. */
async function cpuOf(work: (number: number) => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage()
  for (let number = 1; number <= devices; number += 1) await work(number)
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}

/**
 * The channel without a network, and its encryption alone. The minimum of several rounds, because others share the
 * machine.
 */
async function measureCpu(): Promise<Figure[]> {
  const { VAPID_PUBLIC_KEY: publicKey, VAPID_PRIVATE_KEY: privateKey, VAPID_SUBJECT: subject } = makeVapidVars()
  const taken = async (): Promise<Response> => new Response(null, { status: 201, headers: { location: '/message/1' } })
  const channel = pushChannel(
    { publicKey, privateKey, subject, serviceUrl: 'https://push.example' },
    { fetch: taken as typeof fetch, now: Date.now },
  )
  const [p256dh, auth] = [bytesOfBase64url(device.p256dh), bytesOfBase64url(device.auth)]
  if (p256dh === null || auth === null) throw new Error('The device has no keys.')
  const { subject: title, text: body, push } = messageTo(1)
  const payload = new TextEncoder().encode(JSON.stringify({ title, body, tag: 'delivery-1-1', ...push }))
  const whole: number[] = []
  const crypto: number[] = []
  for (let round = 0; round < rounds; round += 1) {
    whole.push(await cpuOf((number) => channel.send(messageTo(number))))
    crypto.push(await cpuOf(() => encryptFor({ p256dh, auth }, payload)))
  }
  const [all, sealing] = [Math.min(...whole), Math.min(...crypto)]
  return [
    { what: `${devices} notifications: CPU`, value: all, unit: 'ms', note: `the least of ${rounds} rounds` },
    { what: 'of that, encryption', value: sealing, unit: 'ms' },
    { what: 'besides', value: all - sealing, unit: 'ms', atMost: 100 },
  ]
}

/** Everyone on one push service, which has no pace. */
async function measureSending(): Promise<Figure[]> {
  const app = await startApp({ size: { subjects: 2, sections: 4 } })
  try {
    await addWaiting(app, await openSection(app), people, 'push')
    const startedAt = Date.now()
    await app.ask('/_bench/queue')
    while ((await app.ask<number>('/_bench/unsettled')) > 0 && Date.now() < startedAt + giveUpMs)
      await new Promise((resolve) => setTimeout(resolve, 200))
    const { results } = await app.db
      .prepare('SELECT state, accepted_at FROM delivery')
      .all<{ state: string; accepted_at: number | null }>()
    const seconds = results.map(({ accepted_at }) => ((accepted_at ?? Infinity) - startedAt) / 1000)
    const got = app.world.world.notifications.map(({ deviceId }) => deviceId)
    return [
      { what: 'not accepted', value: results.filter(({ state }) => state !== 'sent').length, unit: '', exactly: 0 },
      { what: 'notifications beyond one a device', value: got.length - new Set(got).size, unit: '', exactly: 0 },
      { what: `${people} notifications: the median`, value: percentile(seconds, 0.5), unit: 's' },
      { what: `${people} notifications: the last`, value: Math.max(...seconds), unit: 's' },
    ]
  } finally {
    await app.close()
  }
}

/** What notifications cost, and how soon everyone has one. */
export async function measureNotifications(): Promise<Part> {
  return {
    name: '(n) Notifications: CPU, and 3 000 at once',
    figures: [...(await measureCpu()), ...(await measureSending())],
    notes: [
      'CPU is of the channel alone, in Node: building, encrypting and posting without a network, all threads together.',
      'Deliveries are written and queued as a poll does it. Everything shares the machine, the push service with its decryption too.',
    ],
  }
}
