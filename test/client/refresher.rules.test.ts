import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { Refresher } from '../../client/refresher.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

/** A page whose answers take `tookMs`; `fails` makes the next ones fail. */
function page({ tookMs = 20, isRetried = true } = {}) {
  const seen = { asked: [] as number[], atOnce: 0, most: 0, shown: 0, failed: 0, fails: 0 }
  const refresher = new Refresher({
    async load(signal) {
      seen.asked.push(Date.now())
      seen.atOnce += 1
      seen.most = Math.max(seen.most, seen.atOnce)
      await new Promise<void>((resolve, reject) => {
        const end = (act: () => void) => {
          seen.atOnce -= 1
          act()
        }
        const timer = setTimeout(() => end(resolve), tookMs)
        signal.addEventListener('abort', () => {
          clearTimeout(timer)
          end(() => reject(new DOMException('left', 'AbortError')))
        })
      })
      if (seen.fails > 0) {
        seen.fails -= 1
        throw new Error('no answer')
      }
      seen.shown += 1
    },
    onSuccess: () => undefined,
    onFailure() {
      seen.failed += 1
      return isRetried
    },
  })
  return { refresher, seen }
}

const gaps = (times: readonly number[]) => times.slice(1).map((time, index) => time - (times[index] ?? 0))

test('a page that changes constantly is requested at most once a second, never twice at once, and once after the last change', async () => {
  const { refresher, seen } = page()
  for (let times = 0; times < 100; times += 1) {
    refresher.notice()
    await vi.advanceTimersByTimeAsync(100)
  }
  const lastNotice = Date.now()
  await vi.advanceTimersByTimeAsync(5000)
  expect(seen.most).toBe(1)
  expect(Math.min(...gaps(seen.asked))).toBeGreaterThanOrEqual(1000)
  expect(seen.asked.length).toBeGreaterThanOrEqual(8)
  expect(seen.asked.length).toBeLessThanOrEqual(12)
  expect(seen.asked.at(-1)).toBeGreaterThanOrEqual(lastNotice - 100)
})

test('the first change is requested at once; a change during an answer is requested after it', async () => {
  const { refresher, seen } = page({ tookMs: 300 })
  refresher.notice()
  await vi.advanceTimersByTimeAsync(10)
  expect(seen.asked).toHaveLength(1)
  refresher.notice()
  refresher.notice()
  await vi.advanceTimersByTimeAsync(10_000)
  expect(seen.asked).toHaveLength(2)
})

test('a slow page is requested less often', async () => {
  const { refresher, seen } = page({ tookMs: 2000 })
  for (let times = 0; times < 600; times += 1) {
    refresher.notice()
    await vi.advanceTimersByTimeAsync(100)
  }
  expect(Math.min(...gaps(seen.asked))).toBeGreaterThanOrEqual(8000)
})

test('without answers the delays grow; the first answer resets them', async () => {
  const { refresher, seen } = page()
  seen.fails = 6
  refresher.notice()
  await vi.advanceTimersByTimeAsync(120_000)
  expect(seen.failed).toBe(6)
  expect(seen.shown).toBe(1)
  expect(gaps(seen.asked).at(-1)).toBeGreaterThanOrEqual(15_000)
  refresher.notice()
  await vi.advanceTimersByTimeAsync(1500)
  expect(seen.shown).toBe(2)
})

test('a request by the reader is made at once, replacing the pending one, and its failure is shown to the reader', async () => {
  const { refresher, seen } = page({ tookMs: 500 })
  refresher.notice()
  await vi.advanceTimersByTimeAsync(100)
  const asked = refresher.askNow()
  await vi.advanceTimersByTimeAsync(500)
  await asked
  expect(seen).toMatchObject({ most: 1, shown: 1, failed: 0 })
  seen.fails = 1
  const refused = expect(refresher.askNow()).rejects.toThrow('no answer')
  await vi.advanceTimersByTimeAsync(500)
  await refused
  expect(seen.failed).toBe(0)
  await vi.advanceTimersByTimeAsync(5000)
  expect(seen).toMatchObject({ shown: 2, failed: 0 })
})

test('coming back to a page makes a request at once, however long its last answer took', async () => {
  const { refresher, seen } = page({ tookMs: 12_000 })
  refresher.notice()
  await vi.advanceTimersByTimeAsync(12_000)
  expect(seen.shown).toBe(1)
  refresher.stop()
  refresher.notice()
  await vi.advanceTimersByTimeAsync(0)
  expect(seen.asked).toHaveLength(2)
})

test('a hidden page makes no requests', async () => {
  const { refresher, seen } = page()
  refresher.notice()
  await vi.advanceTimersByTimeAsync(100)
  refresher.notice()
  refresher.stop()
  await vi.advanceTimersByTimeAsync(60_000)
  expect(seen.asked).toHaveLength(1)
  refresher.notice()
  await vi.advanceTimersByTimeAsync(1500)
  expect(seen.asked).toHaveLength(2)
})

test('a permanent failure ends the requests', async () => {
  const { refresher, seen } = page({ isRetried: false })
  seen.fails = 1
  refresher.notice()
  await vi.advanceTimersByTimeAsync(60_000)
  expect(seen.asked).toHaveLength(1)
})
