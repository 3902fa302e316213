import { runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { afterEach, describe, expect, test, vi } from 'vitest'
import type { Limiter } from '../../src/web/limits/limiter.ts'
import { limitOf } from '../../src/web/limits/limits.ts'

const minute = 60_000
const start = Date.UTC(2026, 10, 21, 9)

/** Limiters live in this isolate, so the clock that is set here is theirs. */
function setClock(milliseconds: number): void {
  vi.spyOn(Date, 'now').mockReturnValue(start + milliseconds)
}

const freshLimit = () => limitOf(env, 'test', crypto.randomUUID())

afterEach(() => {
  vi.restoreAllMocks()
})

test('a limit that does not answer rejects', async () => {
  const answer = () => new Promise<never>(() => {})
  const away = { take: answer, giveBack: answer, reserve: answer, clear: answer }
  const LIMITER = new Proxy(env.LIMITER, {
    get: (namespace, name) =>
      name === 'get' ? () => away : (id: string) => name === 'idFromName' && namespace.idFromName(id),
  })
  const limit = await limitOf({ ...env, LIMITER }, 'test', 'away')
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  try {
    const calls = [
      limit.take({ limit: 1, window_ms: minute }),
      limit.reserve({ limit: 1, window_ms: minute, spacing_ms: 0 }),
      limit.giveBack('mine'),
      limit.clear(),
    ]
    const settled = Promise.allSettled(calls)
    vi.advanceTimersByTime(10_000)
    expect((await settled).map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected', 'rejected'])
  } finally {
    vi.useRealTimers()
  }
})

describe('take', () => {
  test('allows a number in any window, and says when the next one is free', async () => {
    const limit = await freshLimit()
    const request = { limit: 3, window_ms: minute }
    for (const at of [0, 10_000, 50_000]) {
      setClock(at)
      expect(await limit.take(request)).toEqual({ allowed: true, retry_after_ms: 0 })
    }
    setClock(59_999)
    expect(await limit.take(request)).toEqual({ allowed: false, retry_after_ms: 1 })
    setClock(minute)
    expect(await limit.take(request)).toMatchObject({ allowed: true })
    expect(await limit.take(request)).toEqual({ allowed: false, retry_after_ms: 10_000 })
  })

  test('is exact for simultaneous requests', async () => {
    const limit = await freshLimit()
    const answers = await Promise.all(Array.from({ length: 40 }, () => limit.take({ limit: 7, window_ms: minute })))
    expect(answers.filter((answer) => answer.allowed)).toHaveLength(7)
  })

  test('is exact in every window when what was taken is given back later', async () => {
    const limit = await freshLimit()
    const request = { limit: 2, window_ms: minute }
    setClock(0)
    await limit.take({ ...request, id: 'mine' })
    setClock(5000)
    await limit.take({ ...request, id: 'another' })
    await limit.giveBack('mine')
    setClock(minute + 1000)
    expect(await limit.take(request)).toMatchObject({ allowed: true })
    expect(await limit.take(request)).toEqual({ allowed: false, retry_after_ms: 4000 })
  })

  test('reads one row, however much was taken before', async () => {
    const stub = (env.LIMITER as DurableObjectNamespace<Limiter>).get(env.LIMITER.newUniqueId())
    setClock(0)
    const request = { limit: 1999, window_ms: minute }
    for (let taken = 0; taken < 2; taken += 1) await stub.take(request)
    const most = await runInDurableObject(stub, async (limiter, { storage }) => {
      for (let at = 2; at < 2000; at += 1)
        storage.sql.exec(
          "INSERT INTO taking (at, until, cost, id) VALUES (?, ?, 1, '')",
          start + at,
          start + minute + at,
        )
      const lengths: number[] = []
      const exec = storage.sql.exec.bind(storage.sql)
      vi.spyOn(storage.sql, 'exec').mockImplementation((text: string, ...values: unknown[]) => {
        const rows = exec<never>(text, ...values).toArray()
        lengths.push(rows.length)
        return { toArray: () => rows } as never
      })
      setClock(2000)
      expect(await limiter.take(request)).toEqual({ allowed: false, retry_after_ms: minute - 2000 })
      setClock(minute)
      expect(await limiter.take(request)).toEqual({ allowed: true, retry_after_ms: 0 })
      return Math.max(...lengths)
    })
    expect(most).toBe(1)
  })

  test('is reset when cleared, and separate for every key', async () => {
    const [one, other] = [await limitOf(env, 'sign-in', 'ada'), await limitOf(env, 'sign-in', 'grace')]
    const request = { limit: 1, window_ms: minute }
    expect((await one.take(request)).allowed).toBe(true)
    expect((await other.take(request)).allowed).toBe(true)
    expect((await (await limitOf(env, 'sign-in', 'ada')).take(request)).allowed).toBe(false)
    expect((await (await limitOf(env, 'reset', 'ada')).take(request)).allowed).toBe(true)
    await one.clear()
    expect((await one.take(request)).allowed).toBe(true)
  })
})

describe('reserve', () => {
  test('gives turns in order, never more in any window than allowed, never closer than the spacing', async () => {
    const limit = await freshLimit()
    const turns: number[] = []
    for (let number = 0; number < 30; number += 1) {
      const now = number * 400
      setClock(now)
      const { wait_ms, reserved } = await limit.reserve({ limit: 5, window_ms: minute, spacing_ms: 1000 })
      expect(reserved).toBe(true)
      turns.push(now + wait_ms)
    }
    expect(turns.slice(0, 6)).toEqual([0, 1000, 2000, 3000, 4000, minute])
    for (const [index, at] of turns.entries()) {
      expect(at - (turns[index - 1] ?? -Infinity)).toBeGreaterThanOrEqual(1000)
      expect(at - (turns[index - 5] ?? -Infinity)).toBeGreaterThanOrEqual(minute)
    }
  })

  test("reserves nothing beyond the caller's patience", async () => {
    const limit = await freshLimit()
    setClock(0)
    const request = { limit: 1, window_ms: minute, spacing_ms: 0, patience_ms: 5000 }
    expect(await limit.reserve(request)).toEqual({ reserved: true, wait_ms: 0 })
    expect(await limit.reserve(request)).toEqual({ reserved: false, wait_ms: minute })
    setClock(56_000)
    expect(await limit.reserve(request)).toEqual({ reserved: true, wait_ms: 4000 })
  })
})

test('a limit that no longer counts deletes itself, and works again afterwards', async () => {
  const stub = (env.LIMITER as DurableObjectNamespace<Limiter>).get(env.LIMITER.newUniqueId())
  const tables = () =>
    runInDurableObject(
      stub,
      (_, state) =>
        state.storage.sql.exec(`SELECT name FROM sqlite_master WHERE name IN ('taking', 'turn')`).toArray().length,
    )
  setClock(0)
  await stub.take({ limit: 1, window_ms: minute })
  setClock(30_000)
  expect(await runDurableObjectAlarm(stub)).toBe(true)
  expect(await tables()).toBe(2)
  setClock(minute)
  expect(await runDurableObjectAlarm(stub)).toBe(true)
  expect(await tables()).toBe(0)
  expect(await stub.take({ limit: 1, window_ms: minute })).toMatchObject({ allowed: true })
})
