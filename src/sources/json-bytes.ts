/** Thrown if the bytes are not complete JSON; the message says where they are wrong. */
export class MalformedJson extends Error {}

export const brokenJson = (): MalformedJson => new MalformedJson('The response is cut off or is not JSON.')

const QUOTE = 0x22
export const COMMA = 0x2c
export const COLON = 0x3a
const BACKSLASH = 0x5c
export const OPEN_BRACKET = 0x5b
export const CLOSE_BRACKET = 0x5d
export const OPEN_BRACE = 0x7b
export const CLOSE_BRACE = 0x7d
/** Brackets and braces differ only in this bit, so one comparison finds either. */
const BRACE_BIT = 0x20

/** How many bytes of rows are parsed together: strings of this size stay in the young generation and are cheap. */
export const WINDOW_BYTES = 32 * 1024

/** Where the text in `bytes` begins: after the UTF-8 byte order mark, if there is one. */
export function afterMark(bytes: Uint8Array): number {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0
}

/** Rows that contain their own beginning (an object in an object) are not worth guessing. */
export const MAX_MISSES = 3

/** The first position from `at` on that is not JSON white space; `end` if there is none. */
export function skipBlanks(bytes: Uint8Array, at: number, end = bytes.length): number {
  while (at < end) {
    const code = bytes[at]
    if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) break
    at++
  }
  return at
}

/**
 * The position just after the value that begins at `at`, or -1 when the bytes end before the value does. It follows
 * only strings, escapes and nesting; `JSON.parse` decides whether the value is valid. No byte of a multi-byte UTF-8
 * character looks like one of these.
 */
export function afterValue(bytes: Uint8Array, at: number, end = bytes.length): number {
  const first = bytes[at]
  if (first === QUOTE) return afterString(bytes, at, end)
  if (first === OPEN_BRACE || first === OPEN_BRACKET) return afterNested(bytes, at, end)
  while (at < end) {
    const code = bytes[at] ?? 0
    if (code === COMMA || code === CLOSE_BRACKET || code === CLOSE_BRACE || code <= 0x20) return at
    at++
  }
  return -1
}

function afterString(bytes: Uint8Array, from: number, end: number): number {
  let at = from + 1
  while (at < end) {
    const code = bytes[at]
    if (code === QUOTE) return at + 1
    at += code === BACKSLASH ? 2 : 1
  }
  return -1
}

function afterNested(bytes: Uint8Array, from: number, end: number): number {
  let depth = 0
  let at = from
  while (at < end) {
    const code = bytes[at] ?? 0
    if (code === QUOTE) {
      at = afterString(bytes, at, end)
      if (at < 0) return -1
      continue
    }
    const folded = code | BRACE_BIT
    if (folded === OPEN_BRACE) depth++
    else if (folded === CLOSE_BRACE && --depth === 0) return at + 1
    at++
  }
  return -1
}

/** The last position of `part`, at or after `from` and complete before `end`; -1 if there is none. */
export function findLast(bytes: Uint8Array, part: Uint8Array, from: number, end: number): number {
  for (let at = end - part.length; at >= from; at--) {
    let same = 0
    while (same < part.length && bytes[at + same] === part[same]) same++
    if (same === part.length) return at
  }
  return -1
}

const STRICT = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
const TOLERANT = new TextDecoder('utf-8', { fatal: false, ignoreBOM: true })
const REPLACEMENT = '\uFFFD'

/** For the values that are parsed together; only longer ones need room of their own. */
const room = new Uint8Array(WINDOW_BYTES + 2)

/** Parses parts of an answer, and records whether all of them were valid text. */
export class JsonParts {
  #bracketed = room
  /** False if some character could not be read and became U+FFFD. */
  isReadable = true

  text(bytes: Uint8Array): string {
    const text = TOLERANT.decode(bytes)
    // A school may have written this character itself.
    if (text.includes(REPLACEMENT) && !isValid(bytes)) this.isReadable = false
    return text
  }

  /** @throws MalformedJson if it is not a JSON value */
  value(bytes: Uint8Array): unknown {
    return parseText(this.text(bytes))
  }

  /** Comma-separated values, which cost less to parse together; null if they are not complete. */
  values(bytes: Uint8Array): unknown[] | null {
    const length = bytes.length + 2
    if (this.#bracketed.length < length) this.#bracketed = new Uint8Array(length)
    // Bytes are copied several times faster than strings are joined.
    this.#bracketed[0] = OPEN_BRACKET
    this.#bracketed.set(bytes, 1)
    this.#bracketed[length - 1] = CLOSE_BRACKET
    try {
      const values: unknown = JSON.parse(this.text(this.#bracketed.subarray(0, length)))
      return Array.isArray(values) ? values : null
    } catch {
      return null
    }
  }
}

function isValid(bytes: Uint8Array): boolean {
  try {
    STRICT.decode(bytes)
    return true
  } catch {
    return false
  }
}

/** `JSON.parse`, throwing {@link MalformedJson}. */
export function parseText(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new MalformedJson(`${error instanceof Error ? error.message : String(error)}.`)
  }
}
