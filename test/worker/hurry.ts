import { expect, onTestFinished, vi } from 'vitest'

/**
 * For the rest of the test, whatever waits so long for an answer gives up after `instead`, so that nobody sits out the
 * wait for an answer that never comes. Other waits stay as they are. The test fails if nothing waits so long: then the
 * limit is another one.
 * @param limit in ms
 * @param instead longer if healthy neighbors of what is silent must still answer
 */
export function hurry(limit: number, instead = 20): void {
  let waits = 0
  function shortened(wait: number): number {
    if (wait !== limit) return wait
    waits += 1
    return instead
  }
  const later = globalThis.setTimeout
  const timers = vi
    .spyOn(globalThis, 'setTimeout')
    .mockImplementation(((act: () => void, wait = 0) => later(act, shortened(wait))) as typeof setTimeout)
  const abortAfter = AbortSignal.timeout.bind(AbortSignal)
  const signals = vi.spyOn(AbortSignal, 'timeout').mockImplementation((wait) => abortAfter(shortened(wait)))
  onTestFinished(() => {
    timers.mockRestore()
    signals.mockRestore()
    expect(waits, `waits of ${limit} ms`).toBeGreaterThan(0)
  })
}
