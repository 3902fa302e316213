import { type Lookup, unsure } from '../discord/look-up-invite.ts'

/** How long an answer is used again, in ms. */
export const FRESH_MS = 60_000
/** In any 10 seconds; Discord allows 50 a second (https://discord.com/developers/docs/topics/rate-limits). */
export const MAX_REQUESTS = 30
const WINDOW_MS = 10_000
/** The longest time a click waits until its request is allowed, in ms. */
const MAX_WAIT_MS = 1500
/** After a request without an answer, no other request is made for this long, in ms. */
const OUTAGE_MS = 5000
/** How many of the newest answers are kept. */
const MAX_KEPT = 5000

/** What the checks depend on; tests replace them. */
interface CheckTools {
  /** Asks Discord once. Never throws. */
  look: (code: string) => Promise<Lookup>
  now: () => number
  wait: (ms: number) => Promise<unknown>
}

/**
 * Simultaneous clicks on one invite are one request, whose answer is used for a minute. Over the limit, a check waits up
 * to {@link MAX_WAIT_MS}. If that is not enough, or Discord asked for a pause or just failed to answer, the result is
 * `unsure` without a request.
 */
export class SharedChecks {
  readonly #tools: CheckTools
  readonly #answers = new Map<string, { lookup: Lookup; at: number }>()
  readonly #asking = new Map<string, Promise<Lookup>>()
  /** When the latest requests were or will be made, in order. */
  #requests: number[] = []
  #pausedUntil = 0

  constructor(tools: CheckTools) {
    this.#tools = tools
  }

  /** What Discord says about a code, at most {@link FRESH_MS} old. */
  check(code: string): Promise<Lookup> {
    const known = this.#answers.get(code)
    if (known && this.#tools.now() - known.at < FRESH_MS) return Promise.resolve(known.lookup)
    const asking = this.#asking.get(code) ?? this.#ask(code).finally(() => this.#asking.delete(code))
    this.#asking.set(code, asking)
    return asking
  }

  async #ask(code: string): Promise<Lookup> {
    const start = this.#tools.now()
    const turn = this.#turnAt(start)
    if (this.#pausedUntil > start || turn - start > MAX_WAIT_MS) return unsure('not asked')
    this.#requests = [...this.#requests.filter((at) => at > start - WINDOW_MS), turn]
    if (turn > start) await this.#tools.wait(turn - start)
    const at = this.#tools.now()
    // Discord may have asked for a pause meanwhile.
    if (this.#pausedUntil > at) return unsure('not asked')
    const lookup = await this.#tools.look(code)
    if (lookup.kind === 'unsure') this.#pausedUntil = this.#tools.now() + (lookup.retry_after_ms ?? OUTAGE_MS)
    else this.#keep(code, lookup, at)
    return lookup
  }

  /** When the next request may be made. */
  #turnAt(now: number): number {
    const first = this.#requests.at(-MAX_REQUESTS)
    return first === undefined ? now : Math.max(now, first + WINDOW_MS)
  }

  #keep(code: string, lookup: Lookup, at: number): void {
    this.#answers.delete(code)
    this.#answers.set(code, { lookup, at })
    const [oldest] = this.#answers.keys()
    if (this.#answers.size > MAX_KEPT && oldest !== undefined) this.#answers.delete(oldest)
  }
}
