import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { Connections, MAX_CONNECTIONS } from '../../src/jobs/connections.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

/** Work that continues until the test ends it. */
function held(connections: Connections) {
  const end = Promise.withResolvers<void>()
  let isBegun = false
  const result = connections.run(async () => {
    isBegun = true
    await end.promise
    return 'done'
  })
  return { end, result, isBegun: () => isBegun }
}

test('six work at a time, and the others follow in order', async () => {
  const connections = new Connections()
  const all = Array.from({ length: MAX_CONNECTIONS + 2 }, () => held(connections))
  const begun = () => all.filter(({ isBegun }) => isBegun()).length
  expect(begun()).toBe(MAX_CONNECTIONS)
  all[3]?.end.resolve()
  await vi.advanceTimersByTimeAsync(0)
  expect(all.map(({ isBegun }) => isBegun())).toEqual([
    ...Array.from({ length: MAX_CONNECTIONS + 1 }, () => true),
    false,
  ])
  for (const { end } of all) end.resolve()
  expect(await Promise.all(all.map(({ result }) => result))).toEqual(all.map(() => 'done'))
})

test('work that fails frees its connection', async () => {
  const connections = new Connections()
  for (let times = 0; times <= MAX_CONNECTIONS; times += 1)
    await expect(connections.run(() => Promise.reject(new Error('refused')))).rejects.toThrow('refused')
  expect(await connections.run(async () => 'done')).toBe('done')
})

test("a job that waits too long gets no connection, and takes no one's place", async () => {
  const connections = new Connections()
  const first = Array.from({ length: MAX_CONNECTIONS }, () => held(connections))
  const late = held(connections)
  await vi.advanceTimersByTimeAsync(10_000)
  expect(await late.result).toBeNull()
  for (const { end } of first) end.resolve()
  await vi.advanceTimersByTimeAsync(0)
  expect(late.isBegun()).toBe(false)
  const after = Array.from({ length: MAX_CONNECTIONS }, () => held(connections))
  expect(after.every(({ isBegun }) => isBegun())).toBe(true)
  expect(held(connections).isBegun()).toBe(false)
})
