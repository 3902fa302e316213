import {
  afterMark,
  afterValue,
  brokenJson,
  CLOSE_BRACE,
  CLOSE_BRACKET,
  COLON,
  COMMA,
  findLast,
  JsonParts,
  MalformedJson,
  MAX_MISSES,
  OPEN_BRACE,
  OPEN_BRACKET,
  parseText,
  skipBlanks,
  WINDOW_BYTES,
} from './json-bytes.ts'

export { MalformedJson } from './json-bytes.ts'

export interface JsonRows {
  /**
   * The object without its rows: their key has [] if there was an array, otherwise the original value (such as null).
   */
  envelope: Record<string, unknown>
  /** The number of rows; null if the key has no array or is absent. */
  count: number | null
  /** False if some character was not valid UTF-8 and became U+FFFD. */
  isReadable: boolean
}

/**
 * Reads a large JSON object whose bulk is an array under `key`: the bytes are cut between rows, a few rows at a time are
 * read by `JSON.parse` of their slice, and so is what is left, the envelope. The whole answer is never one string or one
 * tree.
 *
 * Rows before an error have already been visited when {@link MalformedJson} is thrown, so believe none of them until
 * this returns.
 */
export function readJsonRows(bytes: Uint8Array, key: string, visit: (row: unknown) => void): JsonRows {
  const reader = new RowReader(bytes)
  const head = reader.headBefore(key)
  if (head === null) return { envelope: asObject(parseText(reader.rest())), count: null, isReadable: reader.isReadable }
  const count = reader.eachRow(visit)
  const envelope = asObject(parseText(`${head}${JSON.stringify(MARKER)}${reader.rest()}`))
  // A key given twice would have hidden the rows just read, or others.
  if (envelope[key] !== MARKER) throw new MalformedJson(`The key "${key}" is there twice.`)
  envelope[key] = []
  return { envelope, count, isReadable: reader.isReadable }
}

/** Stands for the rows while the rest of the object is parsed. */
const MARKER = '\u0000rows'

class RowReader {
  readonly #bytes: Uint8Array
  readonly #parts = new JsonParts()
  readonly #start: number
  #at: number

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes
    this.#start = afterMark(bytes)
    this.#at = this.#start
  }

  get isReadable(): boolean {
    return this.#parts.isReadable
  }

  /**
   * Reads up to the array under `key` of the outermost object and stops before it; null, staying at the start, if there
   * is none.
   */
  headBefore(key: string): string | null {
    const at = this.#findArray(key)
    if (at === null) return null
    this.#at = at
    return this.#parts.text(this.#bytes.subarray(this.#start, at))
  }

  /** Everything from the current position. */
  rest(): string {
    return this.#parts.text(this.#bytes.subarray(this.#at))
  }

  /** Parses and passes on each element of the array that opens here, and stops after its closing bracket. */
  eachRow(visit: (row: unknown) => void): number {
    this.#at++
    if (this.#next() === CLOSE_BRACKET) {
      this.#at++
      return 0
    }
    let between = this.#guessBetween()
    let misses = 0
    for (let count = 0; ;) {
      let rows = between === null ? null : this.#quickRows(between)
      if (rows === null) {
        if (between !== null) misses++
        rows = [this.#exactRow()]
        between = misses < MAX_MISSES ? this.#learnBetween() : null
      }
      for (const row of rows) visit(row)
      count += rows.length
      const next = this.#next()
      if (next === CLOSE_BRACKET) {
        this.#at++
        return count
      }
      if (next !== COMMA) throw brokenJson()
      this.#at++
      this.#next()
    }
  }

  /**
   * The rows up to where the last row within a window seems to begin, or up to its end if the window is the last; null
   * when none ends there. They cannot be wrong: the slice begins where a row does, and only between two elements of this
   * very array do its brackets close, so if it parses it is whole rows. Searching is several times faster than following
   * every string, which is what the exact way does, and rows parsed together cost less than each separately.
   * @param between from the end of one row to the name of the next one's first value: `,{"id":`
   */
  #quickRows(between: Uint8Array): unknown[] | null {
    const { length } = this.#bytes
    for (let size = WINDOW_BYTES; ; size *= 2) {
      const isLast = this.#at + size >= length
      const found = findLast(this.#bytes, between, this.#at + 1, isLast ? length : this.#at + size)
      if (found > 0) {
        const end = isLast ? afterValue(this.#bytes, found + between.indexOf(OPEN_BRACE)) : found
        const rows = end < 0 ? null : this.#parts.values(this.#bytes.subarray(this.#at, end))
        if (rows !== null) this.#at = end
        return rows
      }
      if (isLast) return null
    }
  }

  /** Called before the first row: rows usually follow one another without spaces. Null if rows are not objects. */
  #guessBetween(): Uint8Array | null {
    const colon = this.#bytes.indexOf(COLON, this.#at)
    if (this.#bytes[this.#at] !== OPEN_BRACE || colon < 0) return null
    const between = new Uint8Array(colon + 2 - this.#at)
    between[0] = COMMA
    between.set(this.#bytes.subarray(this.#at, colon + 1), 1)
    return between
  }

  /** Called after a row. Null if no other follows, or rows are not objects. */
  #learnBetween(): Uint8Array | null {
    const comma = skipBlanks(this.#bytes, this.#at)
    const start = skipBlanks(this.#bytes, comma + 1)
    if (this.#bytes[comma] !== COMMA || this.#bytes[start] !== OPEN_BRACE) return null
    const colon = this.#bytes.indexOf(COLON, start)
    return colon < 0 ? null : this.#bytes.subarray(this.#at, colon + 1)
  }

  #exactRow(): unknown {
    const end = afterValue(this.#bytes, this.#at)
    if (end <= this.#at) throw brokenJson()
    const row = this.#parts.value(this.#bytes.subarray(this.#at, end))
    this.#at = end
    return row
  }

  /** Skips white space; returns the next byte, undefined at the end. */
  #next(): number | undefined {
    this.#at = skipBlanks(this.#bytes, this.#at)
    return this.#bytes[this.#at]
  }

  /** Where the array under `key` of the outermost object begins. */
  #findArray(key: string): number | null {
    let at = this.#from(this.#start)
    if (this.#bytes[at] !== OPEN_BRACE) throw new MalformedJson('The answer is not a JSON object.')
    at++
    for (;;) {
      at = this.#from(at)
      if (this.#bytes[at] === CLOSE_BRACE) return null
      const nameEnd = this.#ending(at)
      const name = this.#parts.value(this.#bytes.subarray(at, nameEnd))
      at = this.#from(nameEnd)
      if (typeof name !== 'string' || this.#bytes[at] !== COLON) throw brokenJson()
      at = this.#from(at + 1)
      if (name === key) return this.#bytes[at] === OPEN_BRACKET ? at : null
      at = this.#from(this.#ending(at))
      if (this.#bytes[at] === COMMA) at++
      else if (this.#bytes[at] !== CLOSE_BRACE) throw brokenJson()
    }
  }

  #from(at: number): number {
    return skipBlanks(this.#bytes, at)
  }

  #ending(at: number): number {
    const end = afterValue(this.#bytes, at)
    if (end < 0) throw brokenJson()
    return end
  }
}

function asObject(value: unknown): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new MalformedJson('The answer is not a JSON object.')
  }
  return { ...value }
}
