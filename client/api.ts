import type { PageData } from '../src/web/contract.ts'
import { CallError, messagesInBody, unexpected } from './errors.ts'

export interface CallOptions {
  method?: 'GET' | 'POST' | 'PUT'
  /** Sent as `X-CSRFToken`. */
  csrfToken: string
  form?: FormData
  /** How long to wait for the whole answer, ms. */
  timeout?: number
  /** Statuses besides 2xx whose body is an answer, not an error. */
  accept?: readonly number[]
  signal?: AbortSignal
}

const offlineMessage = 'You seem to be offline. Check the connection and try again.'
const slowMessage = 'The server did not answer in time. It may still finish what you asked for.'
const signedOutMessage =
  'You are signed out. Log in again in another tab, then come back and try again: what you typed is still here.'
/** The event sent to the document when a call is refused because its session has ended. */
export const signedOutEvent = 'signed-out'
const awayMessage = 'The server could not be reached. Check the connection and try again.'

async function ask(
  path: string,
  options: CallOptions,
  signal: AbortSignal,
): Promise<{ response: Response; text: string }> {
  const { method = 'GET', csrfToken, form } = options
  const response = await fetch(path, {
    method,
    headers: { Accept: 'application/json', 'X-CSRFToken': csrfToken },
    body: form ?? null,
    credentials: 'same-origin',
    signal,
  })
  return { response, text: await response.text() }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function signedOut(): CallError {
  document.dispatchEvent(new Event(signedOutEvent))
  return new CallError([signedOutMessage], 401)
}

/** Tokens whose session has ended, and their replacements. */
const renewed = new Map<string, string>()

/**
 * A page may be older than its session: the person may have signed out in another tab, and perhaps in again. The page's
 * own address returns the current token.
 * @returns null if the token is not the reason for the refusal
 */
async function tokenOfNow(former: string, signal: AbortSignal): Promise<string | null> {
  const path = `${location.pathname}${location.search}`
  const { response, text } = await ask(path, { csrfToken: former }, signal)
  if (response.status === 401) throw signedOut()
  const page = parsed(text) as PageData<unknown> | undefined
  return response.ok && page !== undefined && page.context.csrf_token !== former ? page.context.csrf_token : null
}

async function askWithToken(path: string, options: CallOptions, signal: AbortSignal): ReturnType<typeof ask> {
  const csrfToken = renewed.get(options.csrfToken) ?? options.csrfToken
  const answer = await ask(path, { ...options, csrfToken }, signal)
  if (answer.response.status !== 403 || (options.method ?? 'GET') === 'GET') return answer
  const fresh = await tokenOfNow(csrfToken, signal)
  if (fresh === null) return answer
  renewed.set(options.csrfToken, fresh)
  return ask(path, { ...options, csrfToken: fresh }, signal)
}

/** An abort is passed on to the caller; everything else becomes a sentence. */
function unanswered(error: unknown, signal: AbortSignal | undefined): unknown {
  if (signal?.aborted) return error
  if (error instanceof DOMException && error.name === 'TimeoutError') return new CallError([slowMessage], 0)
  if (!navigator.onLine) return new CallError([offlineMessage], 0)
  if (error instanceof TypeError) return new CallError([awayMessage], 0)
  return error
}

/**
 * Makes every call of the pages. Resolves to the JSON of the answer, as the call's contract promises; rejects with a
 * {@link CallError} whose messages can be shown. Rejects with an AbortError if `signal` was used.
 */
export async function call<Answer>(path: string, options: CallOptions): Promise<Answer> {
  const limit = AbortSignal.timeout(options.timeout ?? 30_000)
  const signal = options.signal ? AbortSignal.any([options.signal, limit]) : limit
  let answer: { response: Response; text: string }
  try {
    answer = await askWithToken(path, options, signal)
  } catch (error) {
    throw unanswered(error, options.signal)
  }
  const { response, text } = answer
  const body = parsed(text)
  if (response.ok || options.accept?.includes(response.status)) {
    if (body === undefined) throw new CallError([unexpected], response.status)
    return body as Answer
  }
  // For a call that sends something, a refusal can only mean that a login ended; a page may also request data that its
  // visitor cannot see.
  if (response.status === 401 && (options.method ?? 'GET') !== 'GET') throw signedOut()
  throw new CallError(messagesInBody(body), response.status)
}
