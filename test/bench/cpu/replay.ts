import type { Call } from '../../../src/sources/http.ts'

/** A request and a school's answer, in a form that can be sent between processes. */
export interface Recorded {
  url: string
  /** Text of a POST; null for a GET. */
  body: { kind: 'json' | 'form'; text: string } | null
  headers: [name: string, value: string][]
  status: number
  bytes: Uint8Array<ArrayBuffer>
}

/** The same, ready to be replayed. */
export interface Replayed {
  call: Call
  headers: Headers
  status: number
  bytes: Uint8Array<ArrayBuffer>
}

/** As much as a network delivers at a time. */
const PIECE_BYTES = 64 * 1024

/** Sends requests to the network, and records the answers. */
export function recorderOf(recorded: Recorded[]): typeof fetch {
  return async (input, init) => {
    const response = await fetch(input, init)
    const bytes = await response.clone().bytes()
    const headers = new Headers(response.headers)
    headers.delete('content-encoding')
    headers.delete('content-length')
    const { status } = response
    recorded.push({ url: String(input), body: textOf(init?.body), headers: [...headers], status, bytes })
    return response
  }
}

function textOf(body: unknown): Recorded['body'] {
  if (typeof body === 'string') return { kind: 'json', text: body }
  return body instanceof URLSearchParams ? { kind: 'form', text: body.toString() } : null
}

/** What was recorded, with the requests as they were except for their headers. */
export function replayed(recorded: readonly Recorded[]): Replayed[] {
  return recorded.map(({ url, body, headers, status, bytes }) => ({
    call: {
      url,
      ...(body?.kind === 'json' && { json: body.text }),
      ...(body?.kind === 'form' && { form: new URLSearchParams(body.text) }),
    },
    headers: new Headers(headers),
    status,
    bytes,
  }))
}

/** The answers again, in their order. */
export function replayOf(answers: readonly Replayed[]): typeof fetch {
  let next = 0
  return (input) => {
    const answer = answers[next++]
    if (answer === undefined || answer.call.url !== String(input))
      throw new Error(`There is no answer of ${String(input)}.`)
    return Promise.resolve(responseOf(answer))
  }
}

/**
 * As much of a response as adapters use, without the streams of Node: a Worker's are not JavaScript, and not ours to
 * measure.
 */
function responseOf({ headers, status, bytes }: Replayed): Response {
  const body = {
    getReader: () => {
      let at = 0
      return {
        read: () => {
          const value = bytes.subarray(at, (at += PIECE_BYTES))
          return Promise.resolve(value.length === 0 ? { done: true } : { done: false, value })
        },
      }
    },
    cancel: () => Promise.resolve(),
  }
  return { headers, status, body } as unknown as Response
}
