/** Handles several items in one call. @returns a result for each, in order */
export type BatchCall<Item, Result> = (env: Env, items: readonly Item[]) => Promise<readonly Result[]>

/** How long the next call waits for the one before it, in ms. */
const MAX_WAIT_MS = 1000
/** How long a call waits for the other running jobs to ask for the same, in ms. */
export const GATHER_MS = 20
/** How long a call that may wait longer waits for half of the running jobs to join, in ms. */
const LONG_GATHER_MS = 250

/** A caller that waits for a result. */
interface PendingItem<Item, Result> {
  item: Item
  answer: (result: Result) => void
  fail: (error: unknown) => void
}

/** The callers that wait for the next call of a kind. */
interface Line<Item, Result> {
  pending: PendingItem<Item, Result>[]
  canWait: boolean
  /** Called when another caller joins. */
  grew: () => void
}

/**
 * Combines calls that the jobs of one invocation make at about the same time. Each kind of call runs once at a time;
 * items that arrive in the meantime join the next call. Must not be shared between invocations, because none may await
 * another's I/O.
 */
export class CallBatcher {
  readonly #env: Env
  readonly #running: { readonly size: number }
  readonly #lines = new Map<unknown, unknown>()

  /** @param running the invocation's jobs: once all have asked for the same, there is no one else to wait for */
  constructor(env: Env, running: { readonly size: number } = { size: 1 }) {
    this.#env = env
    this.#running = running
  }

  /** If a call rejects, it rejects for every item. @param canWait see {@link LONG_GATHER_MS}; the first caller decides */
  call<Item, Result>(shared: BatchCall<Item, Result>, item: Item, canWait = false): Promise<Result> {
    const { promise, resolve, reject } = Promise.withResolvers<Result>()
    // A line is found only by the kind of call that it was created for.
    const line = this.#lines.get(shared) as Line<Item, Result> | undefined
    const asked = { item, answer: resolve, fail: reject }
    if (line) {
      line.pending.push(asked)
      line.grew()
    } else {
      const first = { pending: [asked], canWait, grew: () => {} }
      this.#lines.set(shared, first)
      void this.#serve(shared, first)
    }
    return promise
  }

  async #serve<Item, Result>(shared: BatchCall<Item, Result>, line: Line<Item, Result>): Promise<void> {
    while (line.pending.length > 0) {
      await this.#gather(line)
      await Promise.race([this.#run(shared, line.pending.splice(0)), scheduler.wait(MAX_WAIT_MS)])
    }
    this.#lines.delete(shared)
  }

  /** Resolves when every running job is in line, or after a short time. */
  async #gather(line: Line<unknown, never>): Promise<void> {
    // Lets callers that were woken together with the first one join.
    await scheduler.wait(0)
    const areEnough = (): boolean => line.pending.length >= this.#running.size / (line.canWait ? 2 : 1)
    if (areEnough()) return
    const { promise, resolve } = Promise.withResolvers<void>()
    line.grew = () => {
      if (areEnough()) resolve()
    }
    await Promise.race([promise, scheduler.wait(line.canWait ? LONG_GATHER_MS : GATHER_MS)])
  }

  async #run<Item, Result>(shared: BatchCall<Item, Result>, all: readonly PendingItem<Item, Result>[]): Promise<void> {
    try {
      const results = await shared(
        this.#env,
        all.map(({ item }) => item),
      )
      if (results.length !== all.length) throw new Error(`${all.length} asked and ${results.length} were answered.`)
      for (const [index, result] of results.entries()) all[index]?.answer(result)
    } catch (error) {
      for (const { fail } of all) fail(error)
    }
  }
}
