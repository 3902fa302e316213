/** How many waits for outside services one invocation may have: the platform allows six connections at a time. */
export const MAX_CONNECTIONS = 6
/** How many runners help a queue's consumer. With six connections each, they wait for about 150 answers at the same time. */
export const MAX_RUNNERS = 24
/** How long a job waits for a connection, in ms: its work must fit into the rest of its time. */
const MAX_WAIT_MS = 3000

/** The platform would hold back a seventh connection while its timeout runs and its data goes stale. */
export class Connections {
  readonly #waiting = new Set<(isFree: boolean) => void>()
  #open = 0

  /** Runs `work` when a connection is free. Returns its result; null if none was free in time. */
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
