import type { SendOptions, Tools } from './channel.ts'

const MAX_ANSWER_BYTES = 1_048_576

/** An answer whose status was read. `text` is null if its body broke off, did not end in time or was too long. */
export interface Answer {
  kind: 'answer'
  status: number
  headers: Headers
  text: string | null
}

/**
 * `not_sent`: the request was never sent. `no_answer`: it may have arrived. A failed connection is `no_answer` too: the
 * Workers runtime does not distinguish a refused connection from one lost half-way, and a proxy can fail after the
 * request was delivered.
 */
export type Asked = Answer | { kind: 'not_sent'; reason: string } | { kind: 'no_answer'; reason: string }

/** Makes one request, body included, within `timeoutMs`. Never throws, never follows a redirect. */
export async function ask(
  tools: Tools,
  url: string,
  init: { method: 'GET' | 'POST'; headers: Record<string, string>; body?: string | Uint8Array },
  timeoutMs: number,
  options: SendOptions = {},
): Promise<Asked> {
  if (options.signal?.aborted) return { kind: 'not_sent', reason: 'given up before sending' }
  // Detached, because the Workers runtime refuses `fetch` called as a method of another object.
  const { fetch } = tools
  const timeout = AbortSignal.timeout(timeoutMs)
  const signal = options.signal === undefined ? timeout : AbortSignal.any([timeout, options.signal])
  try {
    const response = await fetch(url, { ...init, redirect: 'manual', signal })
    const text = await readText(response).catch(() => null)
    return { kind: 'answer', status: response.status, headers: response.headers, text }
  } catch {
    if (timeout.aborted) return { kind: 'no_answer', reason: `no answer within ${timeoutMs / 1000} s` }
    if (signal.aborted) return { kind: 'no_answer', reason: 'given up while under way' }
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
