import { joinedBytes } from './bytes.ts'

/** The largest answers are about 3 MB. More is a mistake or an attack, and an isolate has 128 MB for everything. */
export const MAX_BODY_BYTES = 8 * 1024 * 1024

/** Thrown if an answer is longer than allowed or shorter than its Content-Length. */
export class BodyError extends Error {}
export class BodyTooLarge extends BodyError {}

/**
 * Reads a whole body as bytes, never as one string, and at most `maxBytes`; with `take` it passes on each piece as it
 * arrives and keeps none. Rejects with {@link BodyError} or with the stream's error.
 */
export async function readBody(
  response: Response,
  maxBytes: number = MAX_BODY_BYTES,
  take?: (piece: Uint8Array) => void,
): Promise<Uint8Array> {
  const stated = statedLength(response.headers)
  if (response.body === null) return complete(new Uint8Array(0), 0, stated)
  if (stated !== null && stated > maxBytes) {
    await response.body.cancel().catch(() => undefined)
    throw tooLarge(maxBytes)
  }
  const reader = response.body.getReader()
  const chunks: Uint8Array[] = []
  let length = 0
  for (;;) {
    const { done, value } = await reader.read()
    if (done) break
    const chunk: Uint8Array = value
    length += chunk.byteLength
    if (length > maxBytes) {
      await reader.cancel().catch(() => undefined)
      throw tooLarge(maxBytes)
    }
    if (take === undefined) chunks.push(chunk)
    else take(chunk)
  }
  return complete(joinedBytes(chunks), length, stated)
}

/** Null if the header is absent or counts compressed bytes. */
function statedLength(headers: Headers): number | null {
  const length = headers.get('content-length')
  if (length === null || !/^\d+$/.test(length) || headers.has('content-encoding')) return null
  return Number(length)
}

function tooLarge(maxBytes: number): BodyError {
  return new BodyTooLarge(`The answer is larger than ${maxBytes / 1024 / 1024} MB.`)
}

function complete(bytes: Uint8Array, length: number, stated: number | null): Uint8Array {
  if (stated !== null && length < stated) {
    throw new BodyError(`The answer broke off after ${length} of ${stated} bytes.`)
  }
  return bytes
}
