import { readBody } from '../lib/body.ts'
import { DEFAULT_TIMEOUT_MS, type Tools } from './channel.ts'

const MAX_ANSWER_BYTES = 1_048_576

/**
 * Workers send no name of their own, and Resend rejects requests without one (Resend, "User-Agent"), as Discord's
 * firewall may.
 */
const USER_AGENT = 'Class Cords'

/** An answer whose status was read. `text` is null if its body broke off, did not end in time or was too long. */
export interface HttpAnswer {
  kind: 'answer'
  status: number
  headers: Headers
  text: string | null
}

/**
 * `no_answer`: the request may have arrived, even if the connection failed: the Workers runtime does not distinguish a
 * refused connection from one lost half-way, and a proxy can fail after the request was delivered.
 */
type Asked = HttpAnswer | { kind: 'no_answer'; reason: string }

/** One request and its body within the tools' timeout, or until `signal`. Never throws or follows a redirect. */
export async function ask(
  tools: Tools,
  url: string,
  init: { method: 'GET' | 'POST'; headers: Record<string, string>; body?: string | Uint8Array },
  signal?: AbortSignal,
): Promise<Asked> {
  // Detached, because the Workers runtime refuses `fetch` called as a method of another object.
  const { fetch, timeoutMs = DEFAULT_TIMEOUT_MS } = tools
  const timeout = AbortSignal.timeout(timeoutMs)
  const either = signal === undefined ? timeout : AbortSignal.any([timeout, signal])
  try {
    const headers = { 'user-agent': USER_AGENT, ...init.headers }
    const response = await fetch(url, { ...init, headers, redirect: 'manual', signal: either })
    const text = await readBody(response, MAX_ANSWER_BYTES)
      .then((bytes) => new TextDecoder().decode(bytes))
      .catch(() => null)
    return { kind: 'answer', status: response.status, headers: response.headers, text }
  } catch {
    if (timeout.aborted) return { kind: 'no_answer', reason: `no answer within ${timeoutMs / 1000} s` }
    if (either.aborted) return { kind: 'no_answer', reason: 'no time was left' }
    return { kind: 'no_answer', reason: 'the connection failed' }
  }
}
