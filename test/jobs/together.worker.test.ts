import { env } from 'cloudflare:workers'
import { expect, test } from 'vitest'
import { type Shared, Together } from '../../src/jobs/together.ts'

/** A call that doubles numbers and records which came together. */
function doubling(milliseconds = 20): { calls: number[][]; double: Shared<number, number> } {
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
  const together = new Together(env)
  expect(await Promise.all([1, 2, 3].map((number) => together.ask(double, number)))).toEqual([2, 4, 6])
  expect(await together.ask(double, 4)).toBe(8)
  expect(calls).toEqual([[1, 2, 3], [4]])
})

test('a request during a call joins the next one, which waits for it', async () => {
  const { calls, double } = doubling(50)
  const together = new Together(env)
  const first = together.ask(double, 1)
  await scheduler.wait(10)
  const later = [together.ask(double, 2), scheduler.wait(10).then(() => together.ask(double, 3))]
  expect(await Promise.all([first, ...later])).toEqual([2, 4, 6])
  expect(calls).toEqual([[1], [2, 3]])
})

test('different calls do not wait for each other', async () => {
  const [slow, quick] = [doubling(500), doubling(1)]
  const together = new Together(env)
  const order: string[] = []
  await Promise.all([
    together.ask(slow.double, 1).then(() => order.push('slow')),
    together.ask(quick.double, 1).then(() => order.push('quick')),
  ])
  expect(order).toEqual(['quick', 'slow'])
})

test('a call that fails, or returns too few results, fails for its own requests only', async () => {
  const together = new Together(env)
  let isBroken = true
  const answers: Shared<number, number> = async (_, numbers) => {
    if (isBroken) throw new Error('down')
    return numbers.slice(1)
  }
  const failed = await Promise.allSettled([together.ask(answers, 1), together.ask(answers, 2)])
  expect(failed.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  isBroken = false
  await expect(together.ask(answers, 3)).rejects.toThrow('1 asked and 0 were answered')
  const { double } = doubling()
  expect(await together.ask(double, 4)).toBe(8)
})

test('a call that hangs delays the next one by only a second', async () => {
  const together = new Together(env)
  const calls: number[][] = []
  const hanging: Shared<number, number> = async (_, numbers) => {
    calls.push([...numbers])
    return calls.length === 1 ? new Promise<never>(() => undefined) : numbers
  }
  void together.ask(hanging, 1)
  await scheduler.wait(10)
  expect(await together.ask(hanging, 2)).toBe(2)
  expect(calls).toEqual([[1], [2]])
})

test('a call waits for the jobs that run beside the first, until the last of them joins', async () => {
  const { calls, double } = doubling(1)
  const together = new Together(env, { size: 3 })
  const staggered = [0, 5, 10].map((milliseconds, index) =>
    scheduler.wait(milliseconds).then(() => together.ask(double, index)),
  )
  expect(await Promise.all(staggered)).toEqual([0, 2, 4])
  expect(calls).toEqual([[0, 1, 2]])
})

test('a call does not wait long for jobs that make no request', async () => {
  const { calls, double } = doubling(1)
  const together = new Together(env, { size: 6 })
  const asked = [together.ask(double, 1), together.ask(double, 2)]
  expect(await Promise.all(asked)).toEqual([2, 4])
  expect(await together.ask(double, 3)).toBe(6)
  expect(calls).toEqual([[1, 2], [3]])
})

test('a patient call waits for half of the running jobs, up to a limit', async () => {
  const { calls, double } = doubling(1)
  const together = new Together(env, { size: 6 })
  const staggered = [0, 30, 60].map((milliseconds, index) =>
    scheduler.wait(milliseconds).then(() => together.ask(double, index, true)),
  )
  expect(await Promise.all(staggered)).toEqual([0, 2, 4])
  expect(calls).toEqual([[0, 1, 2]])
  expect(await together.ask(double, 3, true)).toBe(6)
})

test('a patient call of the only job does not wait', async () => {
  const { double } = doubling(0)
  const together = new Together(env)
  const before = Date.now()
  for (let number = 0; number < 20; number += 1) await together.ask(double, number, true)
  // A quarter of a second each, if they waited for others.
  expect(Date.now() - before).toBeLessThan(2500)
})
