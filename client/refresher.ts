/** The minimum time between two requests for a page's data, in ms. */
const MIN_INTERVAL_MS = 1000
/** A page that is slow to answer is requested less often: answers may take up to a quarter of the time. */
const IDLE_SHARE = 4
/** The longest delay after failures, each of which doubles it, in ms. */
const MAX_RETRY_MS = 30_000
/** Pages that are notified together do not all make a request at once: up to a quarter is added. */
const SPREAD = 0.25

interface RefresherOptions {
  /** Requests the page's data and shows it; rejects if there is no answer. */
  load: (signal: AbortSignal) => Promise<void>
  onSuccess: () => void
  /** Returns whether to try again. */
  onFailure: (error: unknown) => boolean
}

/**
 * Requests a page's data when it may have changed: after {@link Refresher.notice} at most once a second, and less often
 * while nothing answers; on {@link Refresher.askNow} at once.
 */
export class Refresher {
  readonly #options: RefresherOptions
  #timer: ReturnType<typeof setTimeout> | undefined
  #request: AbortController | null = null
  #isDue = false
  #failures = 0
  #askedAt = -Infinity
  #tookMs = 0

  constructor(options: RefresherOptions) {
    this.#options = options
  }

  readonly notice = (): void => {
    this.#isDue = true
    this.#plan()
  }

  /** Requests now; rejects if that fails, and tries again later. If another replaces it, it resolves with nothing. */
  async askNow(): Promise<void> {
    try {
      await this.#ask()
    } catch (error) {
      this.notice()
      throw error
    }
  }

  /** Forgets what was due, earlier failures and how long the last answer took. */
  stop(): void {
    this.#cancel()
    this.#failures = 0
    this.#tookMs = 0
  }

  #cancel(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#isDue = false
    this.#request?.abort()
    this.#request = null
  }

  #plan(): void {
    if (!this.#isDue || this.#timer !== undefined || this.#request !== null) return
    const idle = Math.max(MIN_INTERVAL_MS, this.#tookMs * IDLE_SHARE)
    const interval = this.#failures === 0 ? idle : Math.min(MAX_RETRY_MS, MIN_INTERVAL_MS * 2 ** this.#failures)
    const wait = this.#askedAt + interval * (1 + Math.random() * SPREAD) - Date.now()
    if (wait > 0) this.#timer = setTimeout(() => void this.#askAgain(), wait)
    else void this.#askAgain()
  }

  async #askAgain(): Promise<void> {
    try {
      await this.#ask()
    } catch (error) {
      if (this.#options.onFailure(error)) this.notice()
    }
  }

  async #ask(): Promise<void> {
    this.#cancel()
    const request = new AbortController()
    this.#request = request
    this.#askedAt = Date.now()
    try {
      await this.#options.load(request.signal)
      if (request.signal.aborted) return
      this.#failures = 0
      this.#options.onSuccess()
    } catch (error) {
      if (request.signal.aborted) return
      this.#failures += 1
      throw error
    } finally {
      if (this.#request === request) {
        this.#request = null
        this.#tookMs = Date.now() - this.#askedAt
        this.#plan()
      }
    }
  }
}
