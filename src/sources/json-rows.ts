import { afterValue, MalformedJson, parseText, skipBlanks, TextWindow } from './json-text.ts'

export { MalformedJson } from './json-text.ts'

interface JsonRows {
  /** The object without its rows: under their key is [] where an array was, else what was there (null, say). */
  envelope: Record<string, unknown>
  /** Rows handed to `visit`; null where the key holds no array or is absent. */
  count: number | null
  /** False when some character was not valid UTF-8 and became U+FFFD. */
  isReadable: boolean
}

/**
 * Reads a large JSON object whose bulk is an array under `key`, or with null a bare array (the envelope is {} then; where
 * another object or value stands instead, `count` is null and the envelope holds the object): the bytes are cut between rows, a few rows at a time are
 * read by `JSON.parse` of their slice, and so is what is left, the envelope. At no time is the whole answer one string or
 * one tree.
 *
 * Rows before a fault have been visited when {@link MalformedJson} is thrown: believe none of them until this returns.
 */
export function readJsonRows(bytes: Uint8Array, key: string | null, visit: (row: unknown) => void): JsonRows {
  const reader = new RowReader(bytes)
  if (key === null) return readBareArray(reader, visit)
  const head = reader.headBefore(key)
  if (head === null) return { envelope: asObject(parseText(reader.rest())), count: null, isReadable: reader.isReadable }
  const count = reader.eachRow(visit)
  const marker = '"\\u0000rows"'
  const envelope = asObject(parseText(`${head}${marker}${reader.rest()}`))
  // A key given twice would have hidden the rows just read, or others.
  if (envelope[key] !== parseText(marker)) throw new MalformedJson(`The key "${key}" is there twice.`)
  envelope[key] = []
  return { envelope, count, isReadable: reader.isReadable }
}

function readBareArray(reader: RowReader, visit: (row: unknown) => void): JsonRows {
  if (!reader.isAtArray())
    return { envelope: asObject(parseText(reader.rest())), count: null, isReadable: reader.isReadable }
  const count = reader.eachRow(visit)
  if (reader.rest().trim() !== '') throw new MalformedJson('The answer goes on after its end.')
  return { envelope: {}, count, isReadable: reader.isReadable }
}

/** How rows follow each other, learned from the first two: `gap` between them (a comma), and how each begins: `{"id":`. */
interface Pattern {
  gap: string
  beginning: string
}

/** Rows that hold their own beginning inside (an object in an object) are not worth guessing at. */
const MOST_MISSES = 3

class RowReader {
  readonly #window: TextWindow
  #at = 0

  constructor(bytes: Uint8Array) {
    this.#window = new TextWindow(bytes)
  }

  get isReadable(): boolean {
    return this.#window.isReadable
  }

  /** All text up to the array under `key` of the outermost object, and stands before it; null, standing at the start, without one. */
  headBefore(key: string): string | null {
    this.#window.keepFrom(0)
    const at = this.#findArray(key)
    if (at === null) return null
    this.#at = at
    return this.#window.text.slice(0, at)
  }

  /** Whether the answer is an array, which it then stands before. */
  isAtArray(): boolean {
    return this.#peek() === '['
  }

  /** Everything from where it stands. */
  rest(): string {
    let rest = this.#window.text.slice(this.#at)
    while (this.#window.keepFrom(this.#window.text.length)) rest += this.#window.text
    return rest
  }

  /** Parses and hands over each element of the array that opens here, and stands after its closing bracket. */
  eachRow(visit: (row: unknown) => void): number {
    this.#at++
    if (this.#peek() === ']') {
      this.#at++
      return 0
    }
    let pattern: Pattern | null = null
    let misses = 0
    for (let count = 0; ;) {
      let rows = pattern === null ? null : this.#quickRows(pattern)
      if (rows === null) {
        if (pattern !== null) misses++
        rows = [this.#exactRow()]
        pattern = misses < MOST_MISSES ? this.#learnPattern() : null
      }
      for (const row of rows) visit(row)
      count += rows.length
      const next = this.#peek()
      if (next === ']') {
        this.#at++
        return count
      }
      if (next !== ',') throw this.#broken()
      this.#at++
      this.#peek()
    }
  }

  /**
   * The rows up to where the last row within the window seems to begin; null when none ends there. They cannot be wrong:
   * the slice begins where a row does, and only between two elements of this very array do its brackets close, so if it
   * parses it is whole rows. Searching is several times faster than following every string, which is what the exact way
   * does, and rows parsed together cost less than each by itself.
   */
  #quickRows({ beginning, gap }: Pattern): unknown[] | null {
    let next = this.#window.text.lastIndexOf(beginning)
    while (next <= this.#at) {
      if (!this.#move()) return null
      next = this.#window.text.lastIndexOf(beginning)
    }
    const end = next - gap.length
    if (!this.#window.text.startsWith(gap, end)) return null
    try {
      const rows: unknown = JSON.parse(`[${this.#window.text.slice(this.#at, end)}]`)
      if (!Array.isArray(rows)) return null
      this.#at = end
      return rows
    } catch {
      return null
    }
  }

  /** Standing after a row. Null where no other follows within the window, or rows are not objects. */
  #learnPattern(): Pattern | null {
    const text = this.#window.text
    const comma = skipBlanks(text, this.#at)
    const start = skipBlanks(text, comma + 1)
    if (text[comma] !== ',' || text[start] !== '{') return null
    const colon = text.indexOf('":', start)
    return colon < 0 ? null : { gap: text.slice(this.#at, start), beginning: text.slice(start, colon + 2) }
  }

  #exactRow(): unknown {
    const end = this.#afterValue()
    if (end === this.#at) throw this.#broken()
    const row = parseText(this.#window.text.slice(this.#at, end))
    this.#at = end
    return row
  }

  #afterValue(): number {
    for (;;) {
      const end = afterValue(this.#window.text, this.#at)
      if (end >= 0) return end
      if (!this.#move()) throw this.#broken()
    }
  }

  /** Skips blanks; the character it then stands on, '' at the end. */
  #peek(): string {
    for (;;) {
      this.#at = skipBlanks(this.#window.text, this.#at)
      if (this.#at < this.#window.text.length) return this.#window.text.charAt(this.#at)
      if (!this.#move()) return ''
    }
  }

  #move(): boolean {
    if (!this.#window.keepFrom(this.#at)) return false
    this.#at = 0
    return true
  }

  /** Keeps the window's start, because what is before the array is wanted whole; such a head is short. */
  #findArray(key: string): number | null {
    let at = this.#from(0)
    if (this.#window.text[at] !== '{') throw new MalformedJson('The answer is not a JSON object.')
    at++
    for (;;) {
      at = this.#from(at)
      if (this.#window.text[at] === '}') return null
      if (this.#window.text[at] !== '"') throw this.#broken()
      const nameEnd = this.#ending(at)
      const name = parseText(this.#window.text.slice(at, nameEnd))
      at = this.#from(nameEnd)
      if (this.#window.text[at] !== ':') throw this.#broken()
      at = this.#from(at + 1)
      if (name === key) return this.#window.text[at] === '[' ? at : null
      at = this.#from(this.#ending(at))
      if (this.#window.text[at] === ',') at++
      else if (this.#window.text[at] !== '}') throw this.#broken()
    }
  }

  #from(start: number): number {
    for (;;) {
      const at = skipBlanks(this.#window.text, start)
      if (at < this.#window.text.length || !this.#window.keepFrom(0)) return at
    }
  }

  #ending(at: number): number {
    for (;;) {
      const end = afterValue(this.#window.text, at)
      if (end >= 0) return end
      if (!this.#window.keepFrom(0)) throw this.#broken()
    }
  }

  #broken(): MalformedJson {
    return new MalformedJson('The answer breaks off or is not JSON.')
  }
}

function asObject(value: unknown): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new MalformedJson('The answer is not a JSON object.')
  }
  return { ...value }
}
