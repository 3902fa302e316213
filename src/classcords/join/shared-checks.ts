import type { LookedUp } from '../discord/look-up-invite.ts'

/** How long an answer counts, ms. */
export const FRESH_MS = 60_000
/**
 * Requests in any 10 seconds, of the 50 per second that Discord allows a program in total
 * (https://discord.com/developers/docs/topics/rate-limits).
 */
export const MAX_REQUESTS = 30
const WINDOW_MS = 10_000
/** How long a click may wait for its request to be allowed, ms. */
const PATIENCE_MS = 1500
/** After a request without an answer, nobody waits for another one for this long, ms. */
const OUTAGE_MS = 5000
/** How many of the newest answers are kept. */
const MAX_KEPT = 5000

/** What the checks depend on; tests replace it. */
interface CheckTools {
  /** Asks Discord once. Never throws. */
  look: (code: string) => Promise<LookedUp>
  now: () => number
  wait: (ms: number) => Promise<unknown>
}

/**
 * Checks of invites that everybody shares: simultaneous clicks on one invite are one request, and its answer serves for
 * a minute. When there are too many requests, or Discord asked for a pause or did not answer, the result is immediately
 * `unsure`.
 */
export class SharedChecks {
  readonly #tools: CheckTools
  readonly #answers = new Map<string, { looked: LookedUp; at: number }>()
  readonly #asking = new Map<string, Promise<LookedUp>>()
  /** When the latest requests were or will be made, in order. */
  #requests: number[] = []
  #pausedUntil = 0

  constructor(tools: CheckTools) {
    this.#tools = tools
  }

  /** What Discord says about a code, at most {@link FRESH_MS} old. */
  check(code: string): Promise<LookedUp> {
    const known = this.#answers.get(code)
    if (known && this.#tools.now() - known.at < FRESH_MS) return Promise.resolve(known.looked)
    const asking = this.#asking.get(code) ?? this.#ask(code).finally(() => this.#asking.delete(code))
    this.#asking.set(code, asking)
    return asking
  }

  async #ask(code: string): Promise<LookedUp> {
    const start = this.#tools.now()
    const turn = this.#turnAt(start)
    if (this.#pausedUntil > start || turn - start > PATIENCE_MS) return unsure
    this.#requests = [...this.#requests.filter((at) => at > start - WINDOW_MS), turn]
    if (turn > start) await this.#tools.wait(turn - start)
    const at = this.#tools.now()
    const looked = await this.#tools.look(code)
    if (looked.kind === 'unsure') this.#pausedUntil = this.#tools.now() + (looked.retry_after_ms ?? OUTAGE_MS)
    else this.#keep(code, looked, at)
    return looked
  }

  /** When the next request may be made. */
  #turnAt(now: number): number {
    const first = this.#requests.at(-MAX_REQUESTS)
    return first === undefined ? now : Math.max(now, first + WINDOW_MS)
  }

  #keep(code: string, looked: LookedUp, at: number): void {
    this.#answers.delete(code)
    this.#answers.set(code, { looked, at })
    const [oldest] = this.#answers.keys()
    if (this.#answers.size > MAX_KEPT && oldest !== undefined) this.#answers.delete(oldest)
  }
}

const unsure: LookedUp = { kind: 'unsure', reason: 'not asked', timed_out: false, retry_after_ms: null }
