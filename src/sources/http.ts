import { retryAfterSeconds } from '../lib/time.ts'
import { refuseTarget } from './address.ts'
import { timedOut, type Unknown, unknown } from './answer.ts'
import { BodyError, BodyTooLarge, readBody } from '../lib/body.ts'
import { CookieJar } from './cookies.ts'
import { afterMark, skipBlanks } from './json-bytes.ts'
import type { Answer, Tools, UnknownReason } from './source.ts'

const MAX_REDIRECTS = 5
/** If sessions end more often in one job, the school is down, and further tries would only double the requests. */
const MAX_RENEWALS = 3
/** How long the school is not asked after a 429 without `Retry-After`. */
const DEFAULT_RETRY_AFTER_SECONDS = 60

/** How many seconds an answer asks us to wait before the next request; null if it asks for none. @param now ms since epoch */
export function requestedWait(status: number, headers: Headers, now: number): number | null {
  const retryAfter = retryAfterSeconds(headers.get('retry-after'), now)
  if (status === 429) return retryAfter ?? DEFAULT_RETRY_AFTER_SECONDS
  return status === 503 ? retryAfter : null
}
const NO_STATUSES: ReadonlySet<number> = new Set()
const USER_AGENT = 'Mozilla/5.0 (compatible; ClassCords seat watcher)'

/** What browsers send when they open a page, and what the page's own program sends. */
export const BROWSER_HEADERS = { Accept: 'text/html,application/xhtml+xml' }
export const SCRIPT_HEADERS = {
  Accept: 'application/json, text/javascript, */*; q=0.01',
  'X-Requested-With': 'XMLHttpRequest',
}

export interface Page {
  /** Where the answer came from, after redirects. */
  url: string
  contentType: string
  bytes: Uint8Array
}

/** A page with status 2xx, or why there is none; `status` is the HTTP status, if there was one. */
export type Reply = { page: Page } | { page: null; unknown: Unknown; status: number | null }

export interface Call {
  url: string
  /** Present for a POST: sent urlencoded. */
  form?: URLSearchParams
  /** Present for a POST of JSON: the text. */
  json?: string
  headers?: Record<string, string>
  /** The most bytes of the answer, if the usual limit is too small. */
  maxBytes?: number
  /** For an answer that is too large to keep: gets each piece as it arrives; the page then has no bytes. */
  take?: (piece: Uint8Array) => void
}

/**
 * One conversation with one origin: a cookie jar, and each request made with care. It waits for the budget before every
 * request, including redirects. The time limit covers the whole answer with body and redirects. Redirects are followed
 * manually within the origin, so that no cookie is lost or leaked. After "too many requests" nothing is sent until the
 * school's own time is over. Throws only what the budget throws, and the caller's abort.
 */
export class Conversation {
  readonly #tools: Tools
  readonly #cookies = new CookieJar()
  #limitedUntil = 0
  #renewals = 0

  constructor(tools: Tools) {
    this.#tools = tools
  }

  /** Forgets every cookie, so that the next request opens a new session, on any node. */
  clearCookies(): void {
    this.#cookies.clear()
  }

  /** Makes a request and reads its page. */
  async read<Value>(
    call: Call,
    readPage: (page: Page) => Answer<Value>,
    sessionLostStatuses: ReadonlySet<number> = NO_STATUSES,
  ): Promise<Answer<Value>> {
    const reply = await this.request(call)
    return reply.page === null ? whyNoPage(reply, sessionLostStatuses) : readPage(reply.page)
  }

  /** Repeats an attempt once if it failed for one of these reasons, which a new session may fix. */
  async renewing<Value>(
    attempt: () => Promise<Answer<Value>>,
    worthIt: ReadonlySet<UnknownReason>,
  ): Promise<Answer<Value>> {
    const first = await attempt()
    if (first.known || !worthIt.has(first.reason) || this.#renewals >= MAX_RENEWALS) return first
    this.#renewals++
    return attempt()
  }

  async request(call: Call): Promise<Reply> {
    let url = new URL(call.url)
    let body = call.json ?? call.form
    let left = this.#tools.timeout_ms
    for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
      const refusal = refuseTarget(url)
      if (refusal !== null) return failed(unknown('not_the_protocol', refusal), null)
      const wait = Math.ceil((this.#limitedUntil - this.#tools.now()) / 1000)
      if (wait > 0) return failed(unknown('limited', `The school asked us to wait; ${wait} s are left.`, wait), 429)
      await this.#tools.budget()
      const startedAt = this.#tools.now()
      const hop = await this.#hop(url, body, call, Math.max(left, 1))
      left -= this.#tools.now() - startedAt
      if (!('location' in hop)) return hop
      const target = URL.parse(hop.location, url.href)
      if (target === null || target.origin !== url.origin) {
        const why = `The school sends us to another address, ${target?.origin ?? hop.location}.`
        return failed(unknown('not_the_protocol', why), hop.status)
      }
      // As in browsers, only 307 and 308 repeat the body.
      if (hop.status !== 307 && hop.status !== 308) body = undefined
      url = target
    }
    return failed(unknown('not_the_protocol', `The school redirected us more than ${MAX_REDIRECTS} times.`), null)
  }

  async #hop(
    url: URL,
    body: URLSearchParams | string | undefined,
    { headers = {}, maxBytes, take }: Call,
    ms: number,
  ): Promise<Reply | { location: string; status: number }> {
    // Detached, because the Workers runtime refuses `fetch` called as a method of another object.
    const { fetch, now, signal: outer } = this.#tools
    const cookie = this.#cookies.header(url, now())
    const init: RequestInit = {
      method: body === undefined ? 'GET' : 'POST',
      redirect: 'manual',
      headers: {
        'User-Agent': USER_AGENT,
        ...headers,
        ...(typeof body === 'string' ? { 'Content-Type': 'application/json; charset=utf-8' } : {}),
        ...(cookie === null ? {} : { Cookie: cookie }),
      },
      ...(body === undefined ? {} : { body }),
    }
    let hasAnswered = false
    try {
      return await within(ms, outer, async (signal) => {
        const response = await fetch(url.href, { ...init, signal })
        hasAnswered = true
        for (const line of response.headers.getSetCookie()) this.#cookies.store(line, url, now())
        const { status } = response
        const location = response.headers.get('location')
        if (status >= 300 && status < 400 && location !== null) {
          await discard(response)
          return { location, status }
        }
        if (status < 200 || status >= 300) {
          await discard(response)
          return failed(this.#refusal(status, response.headers), status)
        }
        const bytes = await readBody(response, maxBytes, take)
        return { page: { url: url.href, contentType: response.headers.get('content-type') ?? '', bytes } }
      })
    } catch (error) {
      if (outer?.aborted) throw outer.reason
      return failed(this.#failure(error, hasAnswered), null)
    }
  }

  #refusal(status: number, headers: Headers): Unknown {
    // What Cloudflare answers itself when it cannot reach a host (Cloudflare, "Error 521" to "530").
    if (status >= 521 && status <= 530 && status !== 529)
      return unknown('unreachable', `The school could not be reached (Cloudflare status ${status}).`)
    const seconds = requestedWait(status, headers, this.#tools.now())
    if (seconds === null) return unknown('http_error', `The school returned status ${status}.`)
    this.#limitedUntil = this.#tools.now() + seconds * 1000
    return unknown('limited', `The school returned status ${status}: ask again in ${seconds} s.`, seconds)
  }

  #failure(error: unknown, hasAnswered: boolean): Unknown {
    const part = hasAnswered ? 'whole answer' : 'answer'
    if (error instanceof TimedOut) return timedOut(part, `${this.#tools.timeout_ms} ms`)
    if (error instanceof BodyTooLarge) return unknown('too_large', error.message)
    if (error instanceof BodyError) return unknown('incomplete', error.message)
    const detail = describe(error)
    return hasAnswered
      ? unknown('incomplete', `The answer broke off${detail}.`)
      : unknown('unreachable', `The school could not be reached${detail}.`)
  }
}

/** Whether an answer is a web page, regardless of its headers: in place of JSON, it is not part of the protocol. */
export function isHtml({ bytes }: Page): boolean {
  return bytes[skipBlanks(bytes, afterMark(bytes))] === 0x3c
}

/** Why a request has no page. */
export function whyNoPage(
  { unknown: why, status }: Extract<Reply, { page: null }>,
  sessionLostStatuses: ReadonlySet<number>,
): Unknown {
  return status !== null && sessionLostStatuses.has(status) ? unknown('session_lost', why.why) : why
}

function failed(why: Unknown, status: number | null): Reply {
  return { page: null, unknown: why, status }
}

async function discard(response: Response): Promise<void> {
  await response.body?.cancel().catch(() => undefined)
}

/**
 * ": Network connection lost", the end of a sentence of ours; '' if the runtime says only that its own network failed,
 * as it does for a host name without an address.
 */
function describe(error: unknown): string {
  if (!(error instanceof Error)) return `: ${withoutStop(String(error))}`
  if (error.message.startsWith('internal error')) return ''
  const cause = error.cause
  const code = cause instanceof Error && 'code' in cause && typeof cause.code === 'string' ? cause.code : null
  const message = withoutStop(error.message)
  return code === null ? `: ${message}` : `: ${message} (${code})`
}

function withoutStop(text: string): string {
  return text.replace(/(?<![.\s])[.\s]+$/, '')
}

class TimedOut extends Error {}

/**
 * Runs `work` for at most `ms`; rejects with {@link TimedOut} then, or with the caller's reason when the caller aborts.
 * Work that ignores its signal is abandoned, so that a request that hangs never blocks us.
 */
async function within<Value>(
  ms: number,
  outer: AbortSignal | undefined,
  work: (signal: AbortSignal) => Promise<Value>,
): Promise<Value> {
  outer?.throwIfAborted()
  const controller = new AbortController()
  const { promise: stopped, reject } = Promise.withResolvers<never>()
  const stop = (reason: unknown) => {
    reject(reason)
    controller.abort(reason)
  }
  const giveUp = () => stop(outer?.reason)
  const timer = setTimeout(() => stop(new TimedOut(`no answer within ${ms} ms`)), ms)
  outer?.addEventListener('abort', giveUp, { once: true })
  try {
    const running = work(controller.signal)
    running.catch(() => undefined)
    return await Promise.race([running, stopped])
  } finally {
    clearTimeout(timer)
    outer?.removeEventListener('abort', giveUp)
  }
}
