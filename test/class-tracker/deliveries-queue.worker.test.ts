import { env } from 'cloudflare:workers'
import { afterEach, describe, expect, test } from 'vitest'
import { retryDelivery } from '../../src/class-tracker/deliveries/retry-delivery.ts'
import { deliveryKey, sendDelivery } from '../../src/class-tracker/deliveries/send-delivery.ts'
import { sweepAlerts } from '../../src/class-tracker/deliveries/sweep-alerts.ts'
import { enqueue, enqueueMany } from '../../src/jobs/enqueue.ts'
import { waitForJob } from '../../src/jobs/ledgers.ts'
import {
  addressOf,
  arrivedAt,
  deliveryOf,
  inputOf,
  makeDelivery,
  makeMany,
  runDelivery,
  runToTheEnd,
  setProviderTimeout,
} from '../worker/deliveries.ts'
import { world } from '../worker/world.ts'
import { trackerStaff } from '../worker/tracker-staff.ts'

afterEach(() => world.clearFaults())

/** Adds the job as polls do. */
const send = async (id: number) =>
  enqueue(env, sendDelivery, await inputOf(id), { key: deliveryKey(await deliveryOf(id)) })

async function stateReached(id: number, isReached: (state: string) => boolean): Promise<void> {
  const until = Date.now() + 60_000
  while (!isReached((await deliveryOf(id)).state)) {
    if (Date.now() > until) throw new Error(`delivery ${id} is still ${(await deliveryOf(id)).state}`)
    await scheduler.wait(10)
  }
}

describe('through the queue', () => {
  test('fifty deliveries enqueued three times each arrive exactly once', async () => {
    const made = await makeMany(50, ['phone'])
    // A job without the key is a duplicated message: the row decides.
    const doubled = await Promise.all(made.map(async ({ id }) => ({ input: await inputOf(id) })))
    const keyed = await Promise.all(
      doubled.map(async ({ input }) => {
        const key = deliveryKey(await deliveryOf(input.delivery_id))
        return { input, options: { key } }
      }),
    )
    const ids = [...keyed, ...keyed]
    await enqueueMany(env, sendDelivery, [...ids, ...doubled])
    for (const { id } of made) await stateReached(id, (state) => state === 'sent')
    const sent = (await world.outbox()).sms.map(({ to }) => to)
    for (const { id, address } of made) {
      expect(sent.filter((to) => to === address)).toHaveLength(1)
      expect(await deliveryOf(id)).toMatchObject({ attempts: 1 })
    }
  })

  const modes =
    'http_500 http_429 timeout reset empty maintenance_html truncated slow accept_then_timeout accept_then_reset'
  test('each message arrives once through every fault of both providers, without intervention', async () => {
    await setProviderTimeout(300)
    const struck = []
    for (const [service, channel] of [
      ['sms', 'phone'],
      ['email', 'email'],
    ] as const) {
      for (const mode of modes.split(' ')) {
        const made = await makeDelivery(channel)
        await world.fault(service, mode, 1)
        const job = await send(made.id)
        await stateReached(made.id, (state) => state === 'queued' || state === 'unconfirmed')
        await stateReached(made.id, (state) => state !== 'sending')
        struck.push({ ...made, mode, job })
        await world.clearFaults()
      }
    }
    for (const { id, address, mode, job } of struck) {
      const ended = await waitForJob(env, job.id, 120_000)
      expect([mode, ended?.state, ended?.result]).toEqual([mode, 'finished', { state: 'sent', error: null }])
      expect([mode, await arrivedAt(address)]).toEqual([mode, [expect.any(String)]])
      expect(await deliveryOf(id)).toMatchObject({ state: 'sent', is_repeated: 0 })
    }
  })

  test('a delivery whose job was lost is found by the sweep', async () => {
    const { id, address } = await makeDelivery('phone')
    const sweep = await enqueue(env, sweepAlerts, {})
    expect(await waitForJob(env, sweep.id, 60_000)).toMatchObject({ state: 'finished' })
    await stateReached(id, (state) => state === 'sent')
    expect(await arrivedAt(address)).toHaveLength(1)
  })

  test("Retry sends a failed message again, to the contact's current address", async () => {
    const { id, recipient } = await makeDelivery('phone', '+15005550009')
    await runDelivery(id)
    expect((await deliveryOf(id)).state).toBe('failed')
    const corrected = addressOf('phone')
    await env.DB.prepare('UPDATE contact SET address = ?1, address_key = ?1 WHERE recipient_id = ?2')
      .bind(corrected, recipient)
      .run()
    expect(await retryDelivery(env, trackerStaff, id, Date.now())).toEqual({ id, state: 'queued' })
    await stateReached(id, (state) => state === 'sent')
    expect(await deliveryOf(id)).toMatchObject({ address: corrected, attempts: 1, last_error: null })
    expect(await arrivedAt(corrected)).toHaveLength(1)
  })

  test('Retry of a message that may have arrived asks the provider first', async () => {
    const { id, address } = await makeDelivery('phone')
    await world.fault('sms', 'accept_then_reset', 1)
    await runDelivery(id)
    await world.fault('sms', 'http_500')
    // The list cannot be read and no repeat can be sent until no attempts are left.
    expect(await runToTheEnd(id)).toMatchObject({ state: 'failed', attempts: 2, is_repeated: 1 })
    expect((await deliveryOf(id)).last_error).toContain('It may have arrived.')
    await world.clearFaults()
    expect(await retryDelivery(env, trackerStaff, id, Date.now())).toEqual({ id, state: 'unconfirmed' })
    await stateReached(id, (state) => state === 'sent')
    expect(await deliveryOf(id)).toMatchObject({ state: 'sent', attempts: 0 })
    expect(await arrivedAt(address)).toHaveLength(1)
  })
})
