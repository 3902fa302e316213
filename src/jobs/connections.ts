/** Jobs of one invocation that may wait for somebody outside at a time: the platform allows six simultaneous connections. */
export const MAX_CONNECTIONS = 6
/** How long a job waits for its place, ms: what it is about to do must fit into the rest of its time. */
const MAX_WAIT_MS = 3000

/**
 * The connections of one invocation. A seventh would wait inside the platform, where its time-out already runs and what
 * was written just before it grows old.
 */
export class Connections {
  readonly #waiting = new Set<(isFree: boolean) => void>()
  #open = 0

  /** What `work` returns, which begins when a connection is free; null where none was in time. */
  async run<Result>(work: () => Promise<Result>): Promise<Result | null> {
    if (this.#open < MAX_CONNECTIONS) this.#open += 1
    else if (!(await this.#wait())) return null
    try {
      return await work()
    } finally {
      this.#free()
    }
  }

  async #wait(): Promise<boolean> {
    const { promise, resolve } = Promise.withResolvers<boolean>()
    this.#waiting.add(resolve)
    const timer = setTimeout(() => {
      this.#waiting.delete(resolve)
      resolve(false)
    }, MAX_WAIT_MS)
    try {
      return await promise
    } finally {
      clearTimeout(timer)
    }
  }

  /** The next in line takes the connection over. */
  #free(): void {
    const [next] = this.#waiting
    if (next === undefined) {
      this.#open -= 1
      return
    }
    this.#waiting.delete(next)
    next(true)
  }
}
