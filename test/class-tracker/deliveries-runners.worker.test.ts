import { env } from 'cloudflare:workers'
import { afterEach, describe, expect, test } from 'vitest'
import { RunAgain } from '../../src/jobs/job.ts'
import {
  arrivedAt,
  type Channel,
  comeDue,
  deliveryOf,
  makeDelivery,
  runDelivery,
  runToTheEnd,
} from '../worker/deliveries.ts'
import { rows } from '../worker/rows.ts'
import { Killed, killedAt, watchedDatabase } from '../worker/watched-database.ts'
import { world } from '../worker/world.ts'

afterEach(() => world.clearFaults())

/** The round trips of a run: claim, record the message before it is sent, record the outcome. */
const steps = [
  [1, 'before', 'claiming'],
  [1, 'after', 'claiming'],
  [2, 'before', 'writing the message down'],
  [2, 'after', 'writing the message down'],
  [3, 'before', 'settling'],
  [3, 'after', 'settling'],
] as const

describe.each(['phone', 'email'] as const)('a killed %s runner', (channel: Channel) => {
  test.each(steps)('at round trip %i, %s %s: one message arrives', async (trip, moment) => {
    const { id, address } = await makeDelivery(channel)
    await expect(runDelivery(id, { db: killedAt(trip, moment) })).rejects.toThrow(Killed)
    expect(await runToTheEnd(id)).toMatchObject({ state: 'sent', is_repeated: 0 })
    expect(await arrivedAt(address)).toHaveLength(1)
  })

  test('while looking up an ambiguous message: one message arrives', async () => {
    const { id, address } = await makeDelivery(channel)
    await world.fault(channel === 'phone' ? 'sms' : 'email', 'accept_then_reset', 1)
    await runDelivery(id)
    for (const [trip, moment] of steps.slice(0, 4)) {
      await comeDue(id)
      await runDelivery(id, { db: killedAt(trip, moment) }).catch(() => undefined)
    }
    expect(await runToTheEnd(id)).toMatchObject({ state: 'sent', is_repeated: 0 })
    expect(await arrivedAt(address)).toHaveLength(1)
  })
})

describe('a killed Discord runner', () => {
  test('that had not recorded the message sent nothing, and the next run sends it', async () => {
    const { id, address } = await makeDelivery('discord')
    await expect(runDelivery(id, { db: killedAt(2, 'before') })).rejects.toThrow(Killed)
    expect(await runToTheEnd(id)).toMatchObject({ state: 'sent', is_repeated: 0, attempts: 1 })
    expect(await arrivedAt(address)).toHaveLength(1)
  })

  test('that had sent the message causes at most one repeat, shown as such', async () => {
    const { id, address } = await makeDelivery('discord')
    await expect(runDelivery(id, { db: killedAt(3, 'before') })).rejects.toThrow(Killed)
    expect(await runToTheEnd(id)).toMatchObject({ state: 'sent', is_repeated: 1, attempts: 2 })
    expect(await arrivedAt(address)).toHaveLength(2)
  })
})

describe('two runners', () => {
  test('at once send each message once', async () => {
    const made = await Promise.all(
      Array.from({ length: 20 }, (_, place) => makeDelivery(place % 2 === 0 ? 'phone' : 'discord')),
    )
    const answers = await Promise.all(made.flatMap(({ id }) => [runDelivery(id), runDelivery(id)]))
    expect(answers.filter((answer) => answer instanceof RunAgain)).toHaveLength(20)
    for (const { id, address } of made) {
      expect(await deliveryOf(id)).toMatchObject({ state: 'sent', attempts: 1 })
      expect(await arrivedAt(address)).toHaveLength(1)
    }
  })

  /** A runner that stops before its nth round trip until `meanwhile` is over. */
  const stoppedAt = (trip: number, meanwhile: () => Promise<unknown>) =>
    watchedDatabase({ before: async (present) => void (present === trip && (await meanwhile())) })
  const muchLater = () => Date.now() + 46_000

  test('one of which missed its claim: it sends nothing', async () => {
    const { id, address } = await makeDelivery('phone')
    const other = () => runDelivery(id, { now: muchLater })
    expect(await runDelivery(id, { db: stoppedAt(2, other) })).toEqual({ state: 'sent', error: null })
    expect(await deliveryOf(id)).toMatchObject({ state: 'sent', attempts: 1 })
    expect(await arrivedAt(address)).toHaveLength(1)
  })

  test('one of which slept while the other is about to send: only the other sends', async () => {
    const { id, address } = await makeDelivery('phone')
    const claimed = Promise.withResolvers<void>()
    const sleeperIsDone = Promise.withResolvers<void>()
    const awake = stoppedAt(2, () => {
      claimed.resolve()
      return sleeperIsDone.promise
    })
    let other: Promise<unknown> | undefined
    const sleeper = stoppedAt(2, () => {
      other = runDelivery(id, { db: awake, now: muchLater })
      return claimed.promise
    })
    expect(await runDelivery(id, { db: sleeper })).toBeInstanceOf(RunAgain)
    expect(await arrivedAt(address)).toEqual([])
    sleeperIsDone.resolve()
    expect(await other).toEqual({ state: 'sent', error: null })
    expect(await deliveryOf(id)).toMatchObject({ attempts: 1 })
    expect(await arrivedAt(address)).toHaveLength(1)
  })

  test('one of which slept after sending: the other finds the message, and the first changes nothing', async () => {
    const { id, address } = await makeDelivery('phone')
    let between: unknown
    const other = async () => {
      await runDelivery(id, { now: muchLater })
      between = await deliveryOf(id)
    }
    await runDelivery(id, { db: stoppedAt(3, other) })
    expect(between).toMatchObject({ state: 'sent', attempts: 1 })
    expect(await deliveryOf(id)).toEqual(between)
    expect(await arrivedAt(address)).toHaveLength(1)
  })

  test("one of which failed late: the other's success stands", async () => {
    await world.fault('email', 'reset', 1)
    const { id, address } = await makeDelivery('email')
    const other = () => runDelivery(id, { now: muchLater })
    expect(await runDelivery(id, { db: stoppedAt(3, other) })).toEqual({ state: 'sent', error: null })
    expect(await deliveryOf(id)).toMatchObject({ state: 'sent', last_error: null })
    expect(await arrivedAt(address)).toHaveLength(1)
  })

  test('send nothing when their claim is nearly over', async () => {
    const { id, address } = await makeDelivery('phone')
    const start = Date.now()
    let calls = 0
    // The clock jumps after the claim, as if the runner had been suspended.
    const now = () => (calls++ < 2 ? start : start + 31_000)
    expect(await runDelivery(id, { now })).toBeInstanceOf(RunAgain)
    expect(await deliveryOf(id)).toMatchObject({ attempts: 0, body: null })
    expect(await arrivedAt(address)).toEqual([])
  })
})

test('a delivery canceled during its lookup is not sent again', async () => {
  await world.fault('sms', 'reset', 1)
  const { id, address } = await makeDelivery('phone')
  await runDelivery(id)
  await comeDue(id)
  await env.DB.prepare('UPDATE delivery SET tried_at = tried_at - 10000 WHERE id = ?').bind(id).run()
  const cancel = watchedDatabase({
    before: async (trip) =>
      void (trip === 2 && (await env.DB.prepare(`UPDATE delivery SET state = 'canceled' WHERE id = ?`).bind(id).run())),
  })
  expect(await runDelivery(id, { db: cancel })).toMatchObject({ state: 'canceled' })
  expect(await arrivedAt(address)).toEqual([])
})

describe('a recipient who is removed', () => {
  const removedAt = (recipient: number, removal: number) =>
    watchedDatabase({
      before: async (trip) => void (trip === removal && (await rows('DELETE FROM recipient WHERE id = ?', recipient))),
    })

  test.each(['phone', 'email', 'discord'] as const)(
    'between the claim and the %s message gets none',
    async (channel) => {
      const { id, address, recipient } = await makeDelivery(channel)
      expect(await runDelivery(id, { db: removedAt(recipient, 2) })).toEqual({ state: 'gone' })
      expect(await arrivedAt(address)).toEqual([])
    },
  )

  test('while the message is with the provider ends its job', async () => {
    const { id, address, recipient } = await makeDelivery('phone')
    expect(await runDelivery(id, { db: removedAt(recipient, 3) })).toEqual({ state: 'gone' })
    expect(await runDelivery(id)).toEqual({ state: 'gone' })
    expect(await arrivedAt(address)).toHaveLength(1)
  })
})
