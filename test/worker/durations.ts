import { expect } from 'vitest'

const ROUNDS = 3

/**
 * Expects one answer to take at least a third of the time of another, so that its time does not reveal what it was
 * about. Each function makes one request, and returns the milliseconds it took. A real difference is a hash or a mail,
 * and much larger.
 */
export async function expectNotFaster(asked: () => Promise<number>, than: () => Promise<number>): Promise<void> {
  const [times, others]: [number[], number[]] = [[], []]
  for (let round = 0; round < ROUNDS; round += 1) {
    others.push(await than())
    times.push(await asked())
  }
  // A busy machine only adds time, so the fastest of each kind are compared.
  expect(Math.min(...times)).toBeGreaterThan(Math.min(...others) / 3)
}
