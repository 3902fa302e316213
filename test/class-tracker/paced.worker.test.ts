import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { RunAgain } from '../../src/jobs/job.ts'
import { askTurn, askTurns, orderPause, pacerNameOf } from '../../src/notify/pacer/turns.ts'
import { arrivedAt, deliveryOf, makeDelivery, runDelivery } from '../worker/deliveries.ts'
import { forgetPacers, pacerOf, setPace } from '../worker/pacers.ts'
import { watchedDatabase } from '../worker/watched-database.ts'
import { world } from '../worker/world.ts'

beforeEach(() => forgetPacers())
afterEach(async () => {
  await world.clearFaults()
  await setPace('sms_segments_per_second', 0)
  await forgetPacers()
})

const request = (ticket: string, flow = 'A') => ({ ticket, flow, kind: 'alert', units: 1 }) as const

describe('a provider that asked for a pause', () => {
  test('is not called by any run, and the runs return without reading the database', async () => {
    await world.fault('sms', 'http_429', 1)
    const [refused, other] = [await makeDelivery('phone'), await makeDelivery('phone')]
    await runDelivery(refused.id)
    let trips = 0
    const db = watchedDatabase({ before: () => void (trips += 1) })
    const before = Date.now()
    const answer = await runDelivery(other.id, { db })
    expect(answer).toBeInstanceOf(RunAgain)
    expect((answer as RunAgain).at).toBeGreaterThan(before + 1000)
    expect(trips).toBe(0)
    expect(await arrivedAt(other.address)).toEqual([])
    expect(await deliveryOf(other.id)).toMatchObject({ state: 'queued', attempts: 0 })
    expect(await deliveryOf(refused.id)).toMatchObject({ state: 'queued', attempts: 0 })
  })

  test('while a message waits for its slot gets no message, and no attempt is counted', async () => {
    await setPace('sms_segments_per_second', 10)
    await forgetPacers()
    const { id, address } = await makeDelivery('phone')
    let isPaused = false
    const db = watchedDatabase({
      after: async () => {
        if (isPaused || (await deliveryOf(id)).body === null) return
        isPaused = true
        await orderPause(env.PACER, 'sms', { seconds: 5, is_global: false })
      },
    })
    const before = Date.now()
    const answer = await runDelivery(id, { db })
    expect(isPaused).toBe(true)
    expect(answer).toBeInstanceOf(RunAgain)
    expect((answer as RunAgain).at).toBeGreaterThan(before + 2000)
    expect(await arrivedAt(address)).toEqual([])
    expect(await deliveryOf(id)).toMatchObject({ state: 'queued', attempts: 0, body: null })
  })

  test('pauses every webhook if it is global, and otherwise one webhook', async () => {
    const [one, other] = ['discord:501', 'discord:502'] as const
    await forgetPacers([one, other])
    await orderPause(env.PACER, one, { seconds: 5, is_global: false })
    expect(await askTurn(env.PACER, one, request('a'))).toHaveProperty('come_back_at')
    expect(await askTurn(env.PACER, other, request('b'))).toHaveProperty('go_at')
    await orderPause(env.PACER, other, { seconds: 5, is_global: true })
    expect(await askTurn(env.PACER, 'discord:503', request('c'))).toHaveProperty('come_back_at')
    expect(await askTurn(env.PACER, 'mail', request('d'))).toHaveProperty('go_at')
  })

  test('stays paused after a restart', async () => {
    await orderPause(env.PACER, 'sms', { seconds: 30, is_global: false })
    await evictDurableObject(pacerOf('sms'))
    expect(await askTurn(env.PACER, 'sms', request('a'))).toHaveProperty('come_back_at')
  })
})

describe('webhooks that share a pacer', () => {
  const [one, other] = ['discord:601', 'discord:610'] as const

  beforeEach(async () => {
    await setPace('discord_requests_per_second', 2)
    await forgetPacers([one])
  })

  test('are most of many: thousands of them need eight', () => {
    expect(pacerNameOf(one)).toBe(pacerNameOf(other))
    const ids = Array.from({ length: 5000 }, (_, index) => 1_180_000_000_000_000_001n + BigInt(index) * 4_194_304n)
    const names = Map.groupBy(ids, (id) => pacerNameOf(`discord:${id}`))
    expect(names.size).toBe(8)
    for (const { length } of names.values()) expect(length).toBeLessThan(1250)
    expect(names).not.toContain('discord')
  })

  test('each have their own pace', async () => {
    const asked = [one, other, one].map((account, index) => ({ account, request: request(`${index}`) }))
    const [first, second, third] = await askTurns(env.PACER, asked)
    expect([first, second]).toEqual([{ go_at: expect.any(Number) }, { go_at: expect.any(Number) }])
    expect(third).toHaveProperty('come_back_at')
  })

  test('each have their own pauses, after a restart, too', async () => {
    await orderPause(env.PACER, one, { seconds: 30, is_global: false })
    await evictDurableObject(pacerOf(one))
    expect(await askTurn(env.PACER, one, request('a'))).toHaveProperty('come_back_at')
    expect(await askTurn(env.PACER, other, request('b'))).toHaveProperty('go_at')
  })

  test('are forgotten when no one has used them for a while, and not before', async () => {
    const keep = {
      [`line:${one}`]: { free_at: 1, paused_until: 1 },
      [`line:${other}`]: { free_at: 1, paused_until: 4e15 },
    }
    await runInDurableObject(pacerOf(one), async (_, { storage }) => {
      await storage.put(keep)
      await storage.setAlarm(Date.now() + 60_000)
    })
    await evictDurableObject(pacerOf(one))
    await runDurableObjectAlarm(pacerOf(one))
    const keys = await runInDurableObject(pacerOf(one), async (_, { storage }) => [...(await storage.list()).keys()])
    expect(keys).toEqual([`line:${other}`])
    await forgetPacers([one])
  })
})

test('the pace is the setting, or its default', async () => {
  await setPace('sms_segments_per_second', 1)
  await forgetPacers()
  const turns = []
  for (const ticket of ['a', 'b', 'c']) turns.push(await askTurn(env.PACER, 'sms', request(ticket)))
  expect(turns[0]).toHaveProperty('go_at')
  expect(turns[1]).toHaveProperty('come_back_at')
  expect(turns[2]).toHaveProperty('come_back_at')
  await env.DB.prepare("DELETE FROM setting WHERE name = 'sms_segments_per_second'").run()
  await forgetPacers()
  await askTurn(env.PACER, 'sms', request('d'))
  expect(await askTurn(env.PACER, 'sms', request('e'))).toHaveProperty('come_back_at')
})

test('a message with a slot runs again before those without, and those before what asks for the first time', async () => {
  await setPace('sms_segments_per_second', 1)
  await forgetPacers()
  const [soon, later] = [await makeDelivery('phone'), await makeDelivery('phone')]
  expect(await askTurn(env.PACER, 'sms', request('now'))).toHaveProperty('go_at')
  expect(await runDelivery(soon.id)).toMatchObject({ priority: 20 })
  for (const ticket of ['a', 'b', 'c']) await askTurn(env.PACER, 'sms', request(ticket))
  expect(await runDelivery(later.id)).toMatchObject({ priority: 15 })
})

test('an unreachable pacer delays a message, and loses none', async () => {
  const { id } = await makeDelivery('phone')
  const broken = { idFromName: (name: string) => name, get: () => ({ turns: () => Promise.reject(new Error('gone')) }) }
  const turn = await askTurn(broken as unknown as Env['PACER'], 'sms', request('a'))
  expect(turn).toHaveProperty('come_back_at')
  expect(await runDelivery(id)).toMatchObject({ state: 'sent' })
})

test('many messages to a rate-limited provider arrive once each, and no attempt is lost', async () => {
  await setPace('sms_segments_per_second', 0)
  await world.fault('sms', 'rate', undefined, 5)
  const made = []
  for (let index = 0; index < 7; index += 1) made.push(await makeDelivery('phone'))
  const until = Date.now() + 60_000
  const waiting = new Map(made.map(({ id }) => [id, 0]))
  while (waiting.size > 0 && Date.now() < until) {
    for (const [id, at] of waiting) {
      if (at > Date.now()) continue
      const answer = await runDelivery(id)
      if (answer instanceof RunAgain) waiting.set(id, answer.at)
      else waiting.delete(id)
    }
    await scheduler.wait(20)
  }
  for (const { id, address } of made) {
    expect(await deliveryOf(id)).toMatchObject({ state: 'sent', attempts: 1 })
    expect(await arrivedAt(address)).toHaveLength(1)
  }
})
