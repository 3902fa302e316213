import { createExecutionContext, waitOnExecutionContext } from 'cloudflare:test'
import { Hono } from 'hono'
import { expect, test, vi } from 'vitest'
import { sharedRead } from '../../src/scheduler/shared-read.ts'
import type { SiteContext } from '../../src/web/site.ts'

/** A page whose data is the number of its reading, and when that began. */
function counted(read: () => Promise<void> = async () => undefined) {
  const begun: number[] = []
  const site = new Hono()
  site.get('/page', async (c) =>
    c.json(
      await sharedRead(c as unknown as SiteContext, async () => {
        begun.push(Date.now())
        const number = begun.length
        await read()
        return number
      }),
    ),
  )
  async function ask(path = '/page', accept = 'application/json'): Promise<number> {
    const context = createExecutionContext()
    const answer = await site.request(path, { headers: { accept } }, {}, context)
    if (!answer.ok) throw new Error(`The page answered ${answer.status}.`)
    const number = await answer.json<number>()
    await waitOnExecutionContext(context)
    return number
  }
  return { begun, ask }
}

test('a hundred simultaneous requests share two readings, none of which began before its request', async () => {
  const { begun, ask } = counted(() => scheduler.wait(50))
  const answers = await Promise.all(Array.from({ length: 100 }, () => ask('/page?a')))
  expect(begun).toHaveLength(2)
  // The first began at once; everyone after it made their request later than that.
  expect(answers).toEqual([1, ...Array.from({ length: 99 }, () => 2)])
})

test('a page is read at most four times a second, however many requests there are', async () => {
  const { begun, ask } = counted()
  const until = Date.now() + 1500
  await Promise.all(
    Array.from({ length: 5 }, async () => {
      while (Date.now() < until) await ask('/page?b')
    }),
  )
  expect(begun.length).toBeLessThanOrEqual(8)
  begun.slice(1).forEach((at, index) => expect(at - (begun[index] ?? 0)).toBeGreaterThanOrEqual(240))
})

test('another address, or a newly opened page, is read at once', async () => {
  const { begun, ask } = counted()
  const startedAt = Date.now()
  for (let number = 0; number < 10; number += 1) await ask(`/page?c${number}`)
  for (let times = 0; times < 10; times += 1) await ask('/page?c0', 'text/html')
  expect(begun).toHaveLength(20)
  // A quarter of a second each, if they waited for one another.
  expect(Date.now() - startedAt).toBeLessThan(2500)
})

test('a reading that never begins delays its page only once', async () => {
  const { begun, ask } = counted()
  await ask('/page?g')
  const wait = vi.spyOn(scheduler, 'wait').mockReturnValueOnce(new Promise(() => undefined))
  void ask('/page?g')
  await vi.waitFor(() => expect(wait).toHaveBeenCalled())
  wait.mockRestore()
  await ask('/page?g')
  const startedAt = Date.now()
  await ask('/page?g')
  expect(begun).toHaveLength(3)
  // Longer, if it waited for the reading that never begins.
  expect(Date.now() - startedAt).toBeLessThan(1500)
})

test('callers that share a failing reading read separately', async () => {
  let failures = 1
  const { begun, ask } = counted(async () => {
    if (begun.length > 1 && failures > 0) {
      failures -= 1
      throw new Error('the ledger is silent')
    }
  })
  await ask('/page?f')
  const answers = await Promise.allSettled([ask('/page?f'), ask('/page?f'), ask('/page?f')])
  expect(answers.map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'fulfilled'])
})
