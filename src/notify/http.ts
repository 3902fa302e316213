import { DEFAULT_TIMEOUT_MS, type Tools } from './channel.ts'

const MAX_ANSWER_BYTES = 1_048_576

/** An answer whose status was read. `text` is null if its body broke off, did not end in time or was too long. */
export interface Answer {
  kind: 'answer'
  status: number
  headers: Headers
  text: string | null
}

/**
 * `no_answer`: the request may have arrived, even if the connection failed: the Workers runtime does not distinguish a
 * refused connection from one lost half-way, and a proxy can fail after the request was delivered.
 */
type Asked = Answer | { kind: 'no_answer'; reason: string }

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
    const response = await fetch(url, { ...init, redirect: 'manual', signal: either })
    const text = await readText(response).catch(() => null)
    return { kind: 'answer', status: response.status, headers: response.headers, text }
  } catch {
    if (timeout.aborted) return { kind: 'no_answer', reason: `no answer within ${timeoutMs / 1000} s` }
    if (either.aborted) return { kind: 'no_answer', reason: 'no time was left' }
    return { kind: 'no_answer', reason: 'the connection failed' }
  }
}

/** The text as JSON; null for anything else, so that a web page with status 200 never counts as an answer. */
export function parseJson(text: string | null): unknown {
  if (text === null) return null
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

async function readText(response: Response): Promise<string | null> {
  if (response.body === null) return ''
  const reader = response.body.getReader()
  const decoder = new TextDecoder()
  let bytes = 0
  let text = ''
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return text + decoder.decode()
    bytes += value.byteLength
    if (bytes > MAX_ANSWER_BYTES) {
      await reader.cancel()
      return null
    }
    text += decoder.decode(value, { stream: true })
  }
}
