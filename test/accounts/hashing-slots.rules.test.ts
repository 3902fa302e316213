import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { withHashingSlot } from '../../src/accounts/password-hash.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

/** Work that continues until the test ends it. */
function work() {
  const state = { isUnderWay: false, end: () => {}, fail: () => {} }
  const result = withHashingSlot(() => {
    state.isUnderWay = true
    return new Promise<string>((resolve, reject) => {
      state.end = () => resolve('done')
      state.fail = () => reject(new Error('failed'))
    })
  })
  return { state, result }
}

it('hashes at most two at once, and starts the next as soon as one ends or fails', async () => {
  const [first, second, third, fourth] = [work(), work(), work(), work()]
  const underWay = () => [first, second, third, fourth].map(({ state }) => state.isUnderWay)
  await vi.advanceTimersByTimeAsync(1000)
  expect(underWay()).toEqual([true, true, false, false])
  second.state.end()
  expect(await second.result).toBe('done')
  await vi.advanceTimersByTimeAsync(100)
  expect(underWay()).toEqual([true, true, true, false])
  first.state.fail()
  await expect(first.result).rejects.toThrow('failed')
  await vi.advanceTimersByTimeAsync(100)
  expect(underWay()).toEqual([true, true, true, true])
  third.state.end()
  fourth.state.end()
  await Promise.all([third.result, fourth.result])
})

it('gives up instead of waiting without end', async () => {
  const hashing = [work(), work(), work(), work()]
  const late = expect(work().result).rejects.toMatchObject({ status: 429 })
  // Slots of canceled requests become free after 5 s, so the first four are admitted; the fifth has waited 8 s by then.
  await vi.advanceTimersByTimeAsync(9000)
  expect(hashing.every(({ state }) => state.isUnderWay)).toBe(true)
  await late
})
