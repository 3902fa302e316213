/** No answer of a school is near this; one that is, is a mistake or an attack. */
export const LARGEST_BODY_BYTES = 64 * 1024 * 1024

/** Thrown when an answer is longer than {@link LARGEST_BODY_BYTES} or shorter than its own Content-Length. */
export class BodyError extends Error {}

/** Reads a whole body as bytes, never as one string. Rejects with {@link BodyError} or with what broke the stream. */
export async function readBody(response: Response): Promise<Uint8Array> {
  const stated = statedLength(response.headers)
  if (response.body === null) return complete(new Uint8Array(0), stated)
  const reader = response.body.getReader()
  const chunks: Uint8Array[] = []
  let length = 0
  for (;;) {
    const { done, value } = await reader.read()
    if (done) break
    const chunk: Uint8Array = value
    length += chunk.byteLength
    if (length > LARGEST_BODY_BYTES) {
      await reader.cancel().catch(() => undefined)
      throw new BodyError(`The answer is larger than ${LARGEST_BODY_BYTES} bytes.`)
    }
    chunks.push(chunk)
  }
  return complete(joined(chunks, length), stated)
}

/** Null where the header is absent or counts compressed bytes. */
function statedLength(headers: Headers): number | null {
  const length = headers.get('content-length')
  if (length === null || !/^\d+$/.test(length) || headers.has('content-encoding')) return null
  return Number(length)
}

function complete(bytes: Uint8Array, stated: number | null): Uint8Array {
  if (stated !== null && bytes.byteLength < stated) {
    throw new BodyError(`The answer broke off after ${bytes.byteLength} of ${stated} bytes.`)
  }
  return bytes
}

function joined(chunks: Uint8Array[], length: number): Uint8Array {
  const [first] = chunks
  if (chunks.length === 1 && first !== undefined) return first
  const bytes = new Uint8Array(length)
  let at = 0
  for (const chunk of chunks) {
    bytes.set(chunk, at)
    at += chunk.byteLength
  }
  return bytes
}
