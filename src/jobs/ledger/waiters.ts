/** Callers waiting for a job to change. Kept in memory, because after a broken connection a caller asks again. */
export class Waiters {
  readonly #waiting = new Map<string, Set<() => void>>()

  notify(jobs: ReadonlySet<string>): void {
    for (const job of jobs) for (const check of this.#waiting.get(job) ?? []) check()
  }

  /** Resolves when `isEnough` agrees, now or after a change of the job, or after `milliseconds`. */
  async wait(job: string, milliseconds: number, isEnough: () => boolean): Promise<void> {
    if (isEnough()) return
    const { promise, resolve } = Promise.withResolvers<void>()
    const check = () => {
      if (isEnough()) resolve()
    }
    const waiting = this.#waiting.get(job) ?? new Set()
    this.#waiting.set(job, waiting.add(check))
    const timer = setTimeout(resolve, Math.max(0, milliseconds))
    await promise
    clearTimeout(timer)
    waiting.delete(check)
    if (waiting.size === 0) this.#waiting.delete(job)
  }
}
