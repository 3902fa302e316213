import { ArrayRows } from './array-rows.ts'
import {
  afterMark,
  afterValue,
  brokenJson,
  CLOSE_BRACE,
  COLON,
  COMMA,
  JsonParts,
  MalformedJson,
  OPEN_BRACE,
  OPEN_BRACKET,
  parseText,
  skipBlanks,
} from './json-bytes.ts'

export interface JsonRows {
  /** The object with [] in place of the rows, or with the original value (such as null) if that is no array. */
  envelope: Record<string, unknown>
  /** The number of rows; null if the key has no array or is absent. */
  count: number | null
  /** False if some character was not valid UTF-8 and became U+FFFD. */
  isReadable: boolean
}

/** Stands for the rows while the rest of the object is parsed. */
const MARKER = '\u0000rows'

/**
 * Reads a large JSON object whose bulk is an array under `key`: its rows by {@link ArrayRows}, and what is left, the
 * envelope, by `JSON.parse`. The whole answer is never one string or one tree.
 *
 * Rows before an error have already been visited when {@link MalformedJson} is thrown, so believe none of them until
 * this returns.
 */
export function readJsonRows(bytes: Uint8Array, key: string, visit: (row: unknown) => void): JsonRows {
  const parts = new JsonParts()
  const start = afterMark(bytes)
  const at = findArray(bytes, start, key, parts)
  if (at === null) {
    const envelope = asObject(parseText(parts.text(bytes.subarray(start))))
    return { envelope, count: null, isReadable: parts.isReadable }
  }
  const rows = new ArrayRows(visit, false)
  rows.take(bytes.subarray(at))
  const count = rows.end()
  const [before, after] = [bytes.subarray(start, at), bytes.subarray(at + rows.length)]
  const envelope = asObject(parseText(parts.text(before) + JSON.stringify(MARKER) + parts.text(after)))
  // A key given twice would have hidden the rows just read, or others.
  if (envelope[key] !== MARKER) throw new MalformedJson(`The key "${key}" is there twice.`)
  envelope[key] = []
  return { envelope, count, isReadable: parts.isReadable && rows.isReadable }
}

/** Where the array under `key` of the outermost object begins; null if there is none. */
function findArray(bytes: Uint8Array, start: number, key: string, parts: JsonParts): number | null {
  const ending = (from: number): number => {
    const end = afterValue(bytes, from)
    if (end < 0) throw brokenJson()
    return end
  }
  let at = skipBlanks(bytes, start)
  if (bytes[at] !== OPEN_BRACE) throw new MalformedJson('The answer is not a JSON object.')
  at++
  for (;;) {
    at = skipBlanks(bytes, at)
    if (bytes[at] === CLOSE_BRACE) return null
    const nameEnd = ending(at)
    const name = parts.value(bytes.subarray(at, nameEnd))
    at = skipBlanks(bytes, nameEnd)
    if (typeof name !== 'string' || bytes[at] !== COLON) throw brokenJson()
    at = skipBlanks(bytes, at + 1)
    if (name === key) return bytes[at] === OPEN_BRACKET ? at : null
    at = skipBlanks(bytes, ending(at))
    if (bytes[at] === COMMA) at++
    else if (bytes[at] !== CLOSE_BRACE) throw brokenJson()
  }
}

function asObject(value: unknown): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new MalformedJson('The answer is not a JSON object.')
  }
  return { ...value }
}
