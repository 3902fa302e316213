import type { PageContext, PageData } from '../src/web/contract.ts'
import { CallError, messagesInBody, unexpected } from './errors.ts'

export interface CallOptions {
  method?: 'GET' | 'POST' | 'PUT'
  form?: FormData
  /** How long to wait for the whole answer, in ms. */
  timeout?: number | undefined
  /** Statuses besides 2xx whose body is an answer, not an error. */
  accept?: readonly number[]
  signal?: AbortSignal | undefined
}

const offlineMessage = 'You seem to be offline. Check the connection and try again.'
const slowMessage = 'The server did not respond in time. It may still finish what you asked for.'
const loggedOutMessage =
  'You are logged out. Log in again in another tab, then come back and try again: what you typed is still here.'
/** The event sent to the document when a call is refused because its session has ended. */
export const loggedOutEvent = 'logged-out'
const awayMessage = 'The server could not be reached. Check the connection and try again.'

/** Sent with every call as `X-CSRFToken`. */
let csrfToken = ''
/** Whose page this is; '' for a visitor's. */
let pageUser = ''

/** Who makes the calls: the user whose page this is. */
export function callAs({ csrf_token, user }: Pick<PageContext, 'csrf_token' | 'user'>): void {
  csrfToken = csrf_token
  pageUser = identityOf(user)
}

/** Discord's id, because the names of two people there may be the same; else the username, '' for a visitor. */
const identityOf = ({ name, discord_user }: PageContext['user']) => discord_user?.discord_id ?? name

async function ask(
  path: string,
  { method = 'GET', form }: CallOptions,
  signal: AbortSignal,
): Promise<{ response: Response; text: string }> {
  const response = await fetch(path, {
    method,
    headers: { Accept: 'application/json', 'X-CSRFToken': csrfToken },
    body: form ?? null,
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

function loggedOut(): CallError {
  document.dispatchEvent(new Event(loggedOutEvent))
  return new CallError([loggedOutMessage], 401)
}

/**
 * A page may be older than its session (logged out in another tab): its own address returns the current token. If someone
 * else has logged in since, the token is not taken, so that nothing is done in their name.
 */
async function renewToken(signal: AbortSignal): Promise<void> {
  const { response, text } = await ask(`${location.pathname}${location.search}`, {}, signal)
  if (response.status === 401) throw loggedOut()
  const page = parsed(text) as PageData<unknown> | undefined
  if (!response.ok || page === undefined) return
  const user = identityOf(page.context.user)
  if (user && pageUser && user !== pageUser) throw loggedOut()
  csrfToken = page.context.csrf_token
}

async function askWithToken(path: string, options: CallOptions, signal: AbortSignal): ReturnType<typeof ask> {
  const sent = csrfToken
  const answer = await ask(path, options, signal)
  if (answer.response.status !== 403 || (options.method ?? 'GET') === 'GET') return answer
  if (csrfToken === sent) await renewToken(signal)
  // With the same token, the answer would be the same.
  return csrfToken === sent ? answer : ask(path, options, signal)
}

/** An abort is passed on to the caller; everything else becomes a sentence. */
function unanswered(error: unknown, signal: AbortSignal | undefined, limit: AbortSignal): unknown {
  if (signal?.aborted) return error
  if (limit.aborted) return new CallError([slowMessage], 0)
  if (!navigator.onLine) return new CallError([offlineMessage], 0)
  if (error instanceof TypeError) return new CallError([awayMessage], 0)
  return error
}

/** Makes every call of the pages; rejects with a {@link CallError} whose messages can be shown, or an AbortError. */
export async function call<Answer>(path: string, options: CallOptions = {}): Promise<Answer> {
  const limit = AbortSignal.timeout(options.timeout ?? 30_000)
  const signal = options.signal ? AbortSignal.any([options.signal, limit]) : limit
  let answer: { response: Response; text: string }
  try {
    answer = await askWithToken(path, options, signal)
  } catch (error) {
    throw unanswered(error, options.signal, limit)
  }
  const { response, text } = answer
  const body = parsed(text)
  if (response.ok || options.accept?.includes(response.status)) {
    if (body === undefined) throw new CallError([unexpected], response.status)
    return body as Answer
  }
  // For a call that sends something, a refusal can only mean that a login ended; a page may also request data that its
  // visitor cannot see.
  if (response.status === 401 && (options.method ?? 'GET') !== 'GET') throw loggedOut()
  throw new CallError(messagesInBody(body), response.status)
}
