/** What a school answered, in the order of the requests. */
export interface Recorded {
  url: string
  headers: Headers
  status: number
  bytes: Uint8Array<ArrayBuffer>
}

/** As much as a network brings at a time. */
const PIECE_BYTES = 64 * 1024

/** Asks the network, and keeps what came. */
export function recorderOf(recorded: Recorded[]): typeof fetch {
  return async (input, init) => {
    const response = await fetch(input, init)
    const bytes = await response.clone().bytes()
    const headers = new Headers(response.headers)
    headers.delete('content-encoding')
    headers.delete('content-length')
    recorded.push({ url: String(input), headers, status: response.status, bytes })
    return response
  }
}

/** The recorded answers once more, in their order. */
export function replayOf(recorded: readonly Recorded[]): typeof fetch {
  let next = 0
  return (input) => {
    const answer = recorded[next++]
    if (answer === undefined || answer.url !== String(input)) throw new Error(`There is no answer of ${String(input)}.`)
    return Promise.resolve(responseOf(answer))
  }
}

/** As much of a response as adapters use, without the streams of Node: a Worker's are not JavaScript, and not ours to measure. */
function responseOf({ headers, status, bytes }: Recorded): Response {
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
