import { env } from 'cloudflare:workers'
import { afterEach, expect, test } from 'vitest'
import { sendDelivery } from '../../src/class-tracker/deliveries/send-delivery.ts'
import { addressOf, deliveryOf, inputOf, makeDeliveries, runDelivery } from '../worker/deliveries.ts'
import { runContext } from '../worker/job-context.ts'
import { rows } from '../worker/rows.ts'
import { world } from '../worker/world.ts'

/** A text waits for a notification to be seen. If no push service accepted one, there is nothing to wait for. */

afterEach(() => world.clearFaults())

const waitMs = 20_000

/**
 * Devices as their push services know them: one that shows notifications, one that does not exist, one that is someone
 * else's.
 */
async function device(kind: 'works' | 'unknown' | 'not ours'): Promise<{ kind: 'push'; address: string }> {
  const key = kind === 'not ours' ? env.VAPID_PUBLIC_KEY.slice(0, -4).concat('AAAA') : env.VAPID_PUBLIC_KEY
  const answer = await fetch(`${env.WORLD_URL}/_world/devices`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'Chrome on Android', key }),
  })
  const { endpoint, keys } = await answer.json<{ endpoint: string; keys: { p256dh: string; auth: string } }>()
  const at = kind === 'unknown' ? `${endpoint}nobody` : endpoint
  return { kind: 'push', address: `${at}#${keys.p256dh}.${keys.auth}` }
}

/** A recipient whose text waits, from the time the seat was seen. */
async function scene(...devices: Parameters<typeof device>[0][]) {
  const pushes = await Promise.all(devices.map(device))
  const [text, ...notifications] = await makeDeliveries([{ kind: 'phone', address: addressOf('phone') }, ...pushes])
  if (!text) throw new Error('no text was made')
  const dueAt = Date.now() + waitMs
  await rows(`UPDATE delivery SET state = 'waiting', due_at = ? WHERE id = ?`, dueAt, text.id)
  return { ...text, dueAt, notifications: notifications.map(({ id }) => id) }
}

/** Runs a delivery's job once. @returns the ids of the deliveries that it enqueued at once */
async function send(id: number | undefined): Promise<number[]> {
  const queued: { input: string; task: string }[] = []
  const ledger = {
    idFromName: () => '',
    get: () => ({
      enqueue: async (requests: typeof queued) => {
        queued.push(...requests)
        return requests
      },
    }),
  } as unknown as Env['LEDGER']
  await sendDelivery.runWithRawInput(runContext({ env: { ...env, LEDGER: ledger } }), await inputOf(id ?? 0))
  expect(queued.every(({ task }) => task === sendDelivery.name)).toBe(true)
  return queued.map(({ input }) => (JSON.parse(input) as { delivery_id: number }).delivery_id)
}

test('a text is sent at once if its only device no longer exists', async () => {
  const { id, address, notifications } = await scene('unknown')
  expect(await send(notifications[0])).toEqual([id])
  expect((await deliveryOf(notifications[0] ?? 0)).state).toBe('failed')
  const { state, due_at } = await deliveryOf(id)
  expect(state).toBe('queued')
  expect(due_at).toBeLessThanOrEqual(Date.now())
  expect(await runDelivery(id)).toMatchObject({ state: 'sent' })
  expect((await world.outbox()).sms.map(({ to }) => to)).toContain(address)
})

test('a permanent refusal by the push service has the same effect', async () => {
  const { id, notifications } = await scene('not ours')
  expect(await send(notifications[0])).toEqual([id])
  expect((await deliveryOf(notifications[0] ?? 0)).state).toBe('failed')
})

test('of several devices, the last one to fail releases the text, once', async () => {
  const { id, notifications, dueAt } = await scene('unknown', 'not ours')
  expect(await send(notifications[0])).toEqual([])
  expect(await deliveryOf(id)).toMatchObject({ state: 'waiting', due_at: dueAt })
  expect(await send(notifications[1])).toEqual([id])
  expect(await send(notifications[1])).toEqual([])
})

test('it waits while any device may still show the notification, whichever answers first', async () => {
  for (const devices of [['works', 'unknown'] as const, ['unknown', 'works'] as const]) {
    const { id, notifications, dueAt } = await scene(...devices)
    for (const notification of notifications) expect(await send(notification)).toEqual([])
    expect(await deliveryOf(id)).toMatchObject({ state: 'waiting', due_at: dueAt })
  }
})

test('a temporary failure of the push service does not release it', async () => {
  const { id, notifications, dueAt } = await scene('works')
  await world.fault('push', 'http_500', 1)
  expect(await send(notifications[0])).toEqual([])
  expect((await deliveryOf(notifications[0] ?? 0)).state).toMatch(/queued|unconfirmed/)
  expect(await deliveryOf(id)).toMatchObject({ state: 'waiting', due_at: dueAt })
})

test('a taken seat ends both the text and the notification', async () => {
  const { id, section, address, notifications } = await scene('works')
  await rows(`UPDATE section SET status = 'closed' WHERE id = ?`, section)
  expect(await send(notifications[0])).toEqual([id])
  expect(await runDelivery(id)).toMatchObject({ state: 'gone' })
  expect((await world.outbox()).sms.map(({ to }) => to)).not.toContain(address)
})

test("no other alert's or recipient's text is released", async () => {
  const [{ id, notifications }, other] = [await scene('unknown', 'works'), await scene('unknown')]
  const poll = crypto.randomUUID()
  const [later] = await rows<{ id: number }>(
    `INSERT INTO delivery (poll_id, recipient_id, contact_id, channel, address, state, due_at, created_at)
     SELECT ?, recipient_id, contact_id, channel, address, state, due_at, created_at FROM delivery WHERE id = ? RETURNING id`,
    poll,
    id,
  )
  await rows('UPDATE delivery SET poll_id = ? WHERE id = ?', poll, notifications[1])
  expect(await send(notifications[0])).toEqual([id])
  expect((await deliveryOf(later?.id ?? 0)).state).toBe('waiting')
  expect((await deliveryOf(other.id)).state).toBe('waiting')
})

test('a text that is no longer needed is left alone', async () => {
  const { id, notifications } = await scene('unknown')
  await rows(`UPDATE delivery SET state = 'not_needed' WHERE id = ?`, id)
  expect(await send(notifications[0])).toEqual([])
  expect((await deliveryOf(id)).state).toBe('not_needed')
})

test('a pause that began in the meantime still applies', async () => {
  const { id, recipient, notifications, dueAt } = await scene('unknown')
  await rows('UPDATE recipient SET paused_until = ? WHERE id = ?', Date.now() + 3600_000, recipient)
  expect(await send(notifications[0])).toEqual([])
  expect(await deliveryOf(id)).toMatchObject({ state: 'waiting', due_at: dueAt })
})
