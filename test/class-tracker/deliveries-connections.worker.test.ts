import { env } from 'cloudflare:workers'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { sendDelivery } from '../../src/class-tracker/deliveries/send-delivery.ts'
import { type JobContext, RunAgain } from '../../src/jobs/job.ts'
import { orderPause } from '../../src/notify/pacer/turns.ts'
import { arrivedAt, deliveryOf, inputOf, makeDelivery, runDelivery, runToTheEnd } from '../worker/deliveries.ts'
import { runContext } from '../worker/job-context.ts'
import { forgetPacers } from '../worker/pacers.ts'
import { rows } from '../worker/rows.ts'
import { world } from '../worker/world.ts'

beforeEach(() => forgetPacers())
afterEach(async () => {
  await world.clearFaults()
  await forgetPacers()
})

const run = async (id: number, parts: Partial<JobContext>): Promise<unknown> =>
  sendDelivery.runWithRawInput(runContext(parts), await inputOf(id))

const untouched = { state: 'queued', attempts: 0, body: null, first_tried_at: null }

test('a message without a free connection is sent once, by the next run', async () => {
  const { id, address } = await makeDelivery('phone')
  const answer = await run(id, { connected: async () => null })
  expect(answer).toBeInstanceOf(RunAgain)
  expect((answer as RunAgain).at).toBeLessThanOrEqual(Date.now() + 1)
  expect(await deliveryOf(id)).toMatchObject(untouched)
  expect(await arrivedAt(address)).toEqual([])
  expect(await runToTheEnd(id)).toMatchObject({ state: 'sent', attempts: 1 })
  expect(await arrivedAt(address)).toHaveLength(1)
})

test('a message is recorded before it waits for a connection; if its runner dies there, it is sent once', async () => {
  const { id, address } = await makeDelivery('phone')
  const killed = new Error('The runner died.')
  let waiting: unknown
  const dies = async (): Promise<never> => {
    waiting = await deliveryOf(id)
    throw killed
  }
  await expect(run(id, { connected: dies })).rejects.toBe(killed)
  expect(waiting).toMatchObject({ state: 'sending', attempts: 1 })
  expect(await runToTheEnd(id)).toMatchObject({ state: 'sent', is_repeated: 0 })
  expect(await arrivedAt(address)).toHaveLength(1)
})

test('a pause that the provider asks for in the meantime delays it without costing an attempt', async () => {
  const { id, address } = await makeDelivery('phone')
  let now = Date.now()
  const late: JobContext['connected'] = async (work) => {
    await orderPause(env.PACER, 'sms', { seconds: 30, is_global: false })
    now += 2000
    return work()
  }
  const answer = await run(id, { connected: late, now: () => now })
  expect((answer as RunAgain).at).toBeGreaterThan(Date.now() + 20_000)
  expect(await deliveryOf(id)).toMatchObject(untouched)
  expect(await arrivedAt(address)).toEqual([])
})

test('an ambiguous message waits for a connection before the provider is asked about it', async () => {
  const { id, address } = await makeDelivery('phone')
  await world.fault('sms', 'accept_then_reset', 1)
  await runDelivery(id)
  await rows('UPDATE delivery SET due_at = 0 WHERE id = ?', id)
  const before = await deliveryOf(id)
  expect(before.state).toBe('unconfirmed')
  expect(await run(id, { connected: async () => null })).toBeInstanceOf(RunAgain)
  expect(await deliveryOf(id)).toMatchObject({ state: 'unconfirmed', attempts: before.attempts })
  expect(await runToTheEnd(id)).toMatchObject({ state: 'sent' })
  expect(await arrivedAt(address)).toHaveLength(1)
})
