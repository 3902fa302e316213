import { env } from 'cloudflare:workers'
import { expect, test } from 'vitest'
import { type BatchCall, CallBatcher } from '../../src/jobs/call-batcher.ts'

/** A call that doubles numbers and records which came together. */
function doubling(milliseconds = 20): { calls: number[][]; double: BatchCall<number, number> } {
  const calls: number[][] = []
  return {
    calls,
    double: async (_, numbers) => {
      calls.push([...numbers])
      await scheduler.wait(milliseconds)
      return numbers.map((number) => 2 * number)
    },
  }
}

test('simultaneous requests share one call, and each gets its own result', async () => {
  const { calls, double } = doubling()
  const batcher = new CallBatcher(env)
  expect(await Promise.all([1, 2, 3].map((number) => batcher.call(double, number)))).toEqual([2, 4, 6])
  expect(await batcher.call(double, 4)).toBe(8)
  expect(calls).toEqual([[1, 2, 3], [4]])
})

test('a request during a call joins the next one, which waits for it', async () => {
  const { calls, double } = doubling(50)
  const batcher = new CallBatcher(env)
  const first = batcher.call(double, 1)
  await scheduler.wait(10)
  const later = [batcher.call(double, 2), scheduler.wait(10).then(() => batcher.call(double, 3))]
  expect(await Promise.all([first, ...later])).toEqual([2, 4, 6])
  expect(calls).toEqual([[1], [2, 3]])
})

test('different calls do not wait for each other', async () => {
  const [slow, quick] = [doubling(500), doubling(1)]
  const batcher = new CallBatcher(env)
  const order: string[] = []
  await Promise.all([
    batcher.call(slow.double, 1).then(() => order.push('slow')),
    batcher.call(quick.double, 1).then(() => order.push('quick')),
  ])
  expect(order).toEqual(['quick', 'slow'])
})

test('a call that fails, or returns too few results, fails for its own requests only', async () => {
  const batcher = new CallBatcher(env)
  let isBroken = true
  const answers: BatchCall<number, number> = async (_, numbers) => {
    if (isBroken) throw new Error('down')
    return numbers.slice(1)
  }
  const failed = await Promise.allSettled([batcher.call(answers, 1), batcher.call(answers, 2)])
  expect(failed.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  isBroken = false
  await expect(batcher.call(answers, 3)).rejects.toThrow('1 asked and 0 were answered')
  const { double } = doubling()
  expect(await batcher.call(double, 4)).toBe(8)
})

test('a call that hangs delays the next one by only a second', async () => {
  const batcher = new CallBatcher(env)
  const calls: number[][] = []
  const hanging: BatchCall<number, number> = async (_, numbers) => {
    calls.push([...numbers])
    return calls.length === 1 ? new Promise<never>(() => undefined) : numbers
  }
  void batcher.call(hanging, 1)
  await scheduler.wait(10)
  expect(await batcher.call(hanging, 2)).toBe(2)
  expect(calls).toEqual([[1], [2]])
})

test('a call waits for the jobs that run beside the first, until the last of them joins', async () => {
  const { calls, double } = doubling(1)
  const batcher = new CallBatcher(env, { size: 3 })
  const staggered = [0, 5, 10].map((milliseconds, index) =>
    scheduler.wait(milliseconds).then(() => batcher.call(double, index)),
  )
  expect(await Promise.all(staggered)).toEqual([0, 2, 4])
  expect(calls).toEqual([[0, 1, 2]])
})

test('a call does not wait long for jobs that make no request', async () => {
  const { calls, double } = doubling(1)
  const batcher = new CallBatcher(env, { size: 6 })
  const asked = [batcher.call(double, 1), batcher.call(double, 2)]
  expect(await Promise.all(asked)).toEqual([2, 4])
  expect(await batcher.call(double, 3)).toBe(6)
  expect(calls).toEqual([[1, 2], [3]])
})

test('a patient call waits for half of the running jobs, up to a limit', async () => {
  const { calls, double } = doubling(1)
  const batcher = new CallBatcher(env, { size: 6 })
  const staggered = [0, 30, 60].map((milliseconds, index) =>
    scheduler.wait(milliseconds).then(() => batcher.call(double, index, true)),
  )
  expect(await Promise.all(staggered)).toEqual([0, 2, 4])
  expect(calls).toEqual([[0, 1, 2]])
  expect(await batcher.call(double, 3, true)).toBe(6)
})

test('a patient call of the only job does not wait', async () => {
  const { double } = doubling(0)
  const batcher = new CallBatcher(env)
  const before = Date.now()
  for (let number = 0; number < 20; number += 1) await batcher.call(double, number, true)
  // A quarter of a second each, if they waited for others.
  expect(Date.now() - before).toBeLessThan(2500)
})
