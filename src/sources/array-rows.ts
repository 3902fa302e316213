import { afterValue, MalformedJson, parseText, skipBlanks } from './json-text.ts'

/** As much is read at once, whatever arrives at once: short-lived strings of this size stay among the young. */
const WINDOW_BYTES = 32 * 1024
/** Rows that hold their own beginning inside (an object in an object) are not worth guessing at. */
const MOST_MISSES = 3

/**
 * Reads a large JSON array while it arrives: rows are parsed a few at a time and handed over, and neither the bytes nor the
 * text nor the rows are kept.
 *
 * Rows before a fault have been visited when {@link ArrayRows.end} throws: believe none of them until it returns.
 */
export class ArrayRows {
  readonly #visit: (row: unknown) => void
  readonly #decoder = new TextDecoder('utf-8')
  #text = ''
  #count = 0
  #hasBegun = false
  #isOver = false
  #isLast = false
  #fault: MalformedJson | null = null
  /** How every row but the first begins, its comma included, learned from the second: `,{"id":`. */
  #beginning: string | null = null
  #misses = 0
  /** False when some character could not be read and became U+FFFD. */
  isReadable = true

  constructor(visit: (row: unknown) => void) {
    this.#visit = visit
  }

  /** Takes the next piece. What is no array shows at the end. */
  take(piece: Uint8Array): void {
    for (let at = 0; at < piece.byteLength && this.#fault === null; at += WINDOW_BYTES) {
      this.#grow(this.#decoder.decode(piece.subarray(at, at + WINDOW_BYTES), { stream: true }))
    }
  }

  /** How many rows there were. @throws MalformedJson where it was not one whole array */
  end(): number {
    this.#isLast = true
    this.#grow(this.#decoder.decode())
    if (this.#fault !== null) throw this.#fault
    if (!this.#isOver) throw broken()
    return this.#count
  }

  #grow(more: string): void {
    if (more.includes('\ufffd')) this.isReadable = false
    this.#text += more
    try {
      this.#advance()
    } catch (error) {
      if (!(error instanceof MalformedJson)) throw error
      this.#fault = error
      this.#text = ''
    }
  }

  #advance(): void {
    if (!this.#hasBegun) {
      const at = skipBlanks(this.#text, 0)
      if (at === this.#text.length) return
      if (this.#text[at] !== '[') throw new MalformedJson('The answer is not a JSON array.')
      this.#hasBegun = true
      this.#text = this.#text.slice(at + 1)
    }
    // What is left then is most often part of a row: to follow its brackets is worth it when no more comes.
    if (this.#quickRows() && !this.#isLast) return
    while (!this.#isOver && this.#exactRow());
    if (this.#isOver && skipBlanks(this.#text, 0) < this.#text.length) throw broken()
  }

  /**
   * The rows up to where the last one seems to begin, parsed together, which is several times faster than following every
   * string. They cannot be wrong: the text begins where a row does, and only between two elements of this very array do its
   * brackets close, so if it parses it is whole rows. False where there were none.
   */
  #quickRows(): boolean {
    if (this.#beginning === null || this.#misses >= MOST_MISSES) return false
    const next = this.#text.lastIndexOf(this.#beginning)
    const comma = skipBlanks(this.#text, 0)
    if (next <= comma || this.#text[comma] !== ',') return false
    const rows = parseRows(this.#text.slice(comma + 1, next))
    if (rows === null) {
      this.#misses++
      return false
    }
    for (const row of rows) this.#hand(row)
    this.#text = this.#text.slice(next)
    return true
  }

  /** The next row by following its brackets, or the end; false where the text ends before it does. */
  #exactRow(): boolean {
    let at = skipBlanks(this.#text, 0)
    if (this.#text[at] === ']') {
      this.#isOver = true
      this.#text = this.#text.slice(at + 1)
      return true
    }
    if (this.#count > 0 && at < this.#text.length) {
      if (this.#text[at] !== ',') throw broken()
      at = skipBlanks(this.#text, at + 1)
    }
    const end = afterValue(this.#text, at)
    if (end < 0) return false
    this.#learn(at)
    this.#hand(parseText(this.#text.slice(at, end)))
    this.#text = this.#text.slice(end)
    return true
  }

  #learn(at: number): void {
    const colon = this.#text.indexOf('":', at)
    if (this.#count === 1 && this.#text[at] === '{' && colon > 0) this.#beginning = this.#text.slice(0, colon + 2)
  }

  #hand(row: unknown): void {
    this.#count++
    this.#visit(row)
  }
}

/** Null where the text is not some whole rows. */
function parseRows(text: string): unknown[] | null {
  try {
    const rows: unknown = JSON.parse(`[${text}]`)
    return Array.isArray(rows) ? rows : null
  } catch {
    return null
  }
}

function broken(): MalformedJson {
  return new MalformedJson('The answer breaks off or is not JSON.')
}
