/** Callers held until something happens to a job. They live in memory: whoever is cut off asks again. */
export class Waiters {
  readonly #waiting = new Map<string, Set<() => void>>()

  /** Tells whoever waits for one of these jobs that it moved. */
  tell(jobs: ReadonlySet<string>): void {
    for (const job of jobs) for (const look of this.#waiting.get(job) ?? []) look()
  }

  /** Resolves once the job was told of and `isEnough` says so, or after `milliseconds`. */
  async wait(job: string, milliseconds: number, isEnough: () => boolean): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    const look = () => {
      if (isEnough()) resolve()
    }
    const waiting = this.#waiting.get(job) ?? new Set()
    this.#waiting.set(job, waiting.add(look))
    const timer = setTimeout(resolve, Math.max(0, milliseconds))
    await promise
    clearTimeout(timer)
    waiting.delete(look)
    if (waiting.size === 0) this.#waiting.delete(job)
  }
}
