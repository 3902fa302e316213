import { expect } from 'vitest'

const MIN_ROUNDS = 3
/** A machine can be busy for a few rounds, but a real difference remains in all of them. */
const MAX_ROUNDS = 6

/**
 * Expects one answer to take at least a third of the time of another, so that its time does not reveal what it was
 * about. Each function makes one request, and returns the milliseconds it took. A real difference is a hash or an
 * email, and much larger.
 */
export async function expectNotFaster(asked: () => Promise<number>, than: () => Promise<number>): Promise<void> {
  const [times, others]: [number[], number[]] = [[], []]
  // A busy machine only adds time, so the fastest of each kind are compared.
  const isFaster = (): boolean => Math.min(...times) <= Math.min(...others) / 3
  for (let round = 0; round < MIN_ROUNDS || (isFaster() && round < MAX_ROUNDS); round += 1) {
    others.push(await than())
    times.push(await asked())
  }
  expect(Math.min(...times)).toBeGreaterThan(Math.min(...others) / 3)
}
