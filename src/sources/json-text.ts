/** Thrown when the bytes are not one whole JSON object; the message says where they stop making sense. */
export class MalformedJson extends Error {}

const QUOTE = 0x22
const COMMA = 0x2c
const BACKSLASH = 0x5c
const OPEN_BRACKET = 0x5b
const CLOSE_BRACKET = 0x5d
const OPEN_BRACE = 0x7b
const CLOSE_BRACE = 0x7d
/** Brackets and braces differ in this bit alone, so one comparison finds either. */
const BRACE_BIT = 0x20

/** Short-lived strings of this size stay among the young: measured three times as cheap as windows of 256 KB. */
const WINDOW_BYTES = 32 * 1024

/**
 * UTF-8 bytes seen as text through a window that moves forward, so that the whole is never one string. Positions are
 * indexes into `text`; {@link TextWindow.keepFrom} moves the window and with it every position.
 */
export class TextWindow {
  readonly #bytes: Uint8Array
  readonly #decoder = new TextDecoder('utf-8', { fatal: false, ignoreBOM: true })
  #next: number
  text = ''
  /** False when some character could not be read and became U+FFFD. */
  isReadable = true

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes
    const [first, second, third] = bytes
    this.#next = first === 0xef && second === 0xbb && third === 0xbf ? 3 : 0
  }

  /** Drops the text before `from` and adds more behind; false when there is no more (then nothing changed). */
  keepFrom(from: number): boolean {
    const bytes = this.#bytes
    if (this.#next >= bytes.length) return false
    // Growing with what is kept keeps one very long value from being read over and over.
    let end = Math.min(bytes.length, this.#next + Math.max(WINDOW_BYTES, this.text.length - from))
    // A character of several bytes stays whole: its later bytes are the ones that begin with the bits 10.
    while (end > this.#next + 1 && end < bytes.length && ((bytes[end] ?? 0) & 0xc0) === 0x80) end--
    const more = this.#decoder.decode(bytes.subarray(this.#next, end))
    if (more.includes('\ufffd')) this.isReadable = false
    this.#next = end
    this.text = this.text.slice(from) + more
    return true
  }
}

/** The first position from `at` on that is not a JSON blank; the length of the text when there is none. */
export function skipBlanks(text: string, at: number): number {
  while (at < text.length) {
    const code = text.charCodeAt(at)
    if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) break
    at++
  }
  return at
}

/**
 * The position just after the value that begins at `at`, or -1 when the text ends before the value does. It follows
 * strings, escapes and nesting only: whether the value is valid is for `JSON.parse` to say.
 */
export function afterValue(text: string, at: number): number {
  const first = text.charCodeAt(at)
  if (first === QUOTE) return afterString(text, at)
  if (first === OPEN_BRACE || first === OPEN_BRACKET) return afterNested(text, at)
  while (at < text.length) {
    const code = text.charCodeAt(at)
    if (code === COMMA || code === CLOSE_BRACKET || code === CLOSE_BRACE || code <= 0x20) return at
    at++
  }
  return -1
}

function afterString(text: string, from: number): number {
  let at = from + 1
  while (at < text.length) {
    const code = text.charCodeAt(at)
    if (code === QUOTE) return at + 1
    at += code === BACKSLASH ? 2 : 1
  }
  return -1
}

function afterNested(text: string, from: number): number {
  let depth = 0
  let at = from
  while (at < text.length) {
    const code = text.charCodeAt(at)
    if (code === QUOTE) {
      at = afterString(text, at)
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

/** `JSON.parse`, throwing {@link MalformedJson}. */
export function parseText(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new MalformedJson(error instanceof Error ? error.message : String(error))
  }
}
