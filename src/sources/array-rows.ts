import {
  afterMark,
  afterValue,
  brokenJson,
  CLOSE_BRACKET,
  COLON,
  COMMA,
  findLast,
  JsonParts,
  MalformedJson,
  MAX_MISSES,
  OPEN_BRACE,
  OPEN_BRACKET,
  skipBlanks,
  WINDOW_BYTES,
} from './json-bytes.ts'

/** The longest row seen was 224 KB. A much longer one is a mistake or an attack. */
const MAX_ROW_BYTES = 4 * 1024 * 1024

/**
 * Reads a large JSON array while it arrives: parses rows a few at a time, passes them on, and keeps neither bytes nor
 * text nor rows.
 *
 * Rows before an error have already been visited when {@link ArrayRows.end} throws, so believe none of them until it
 * returns.
 */
export class ArrayRows {
  readonly #visit: (row: unknown) => void
  readonly #isAlone: boolean
  readonly #parts = new JsonParts()
  /** The bytes that have arrived but are not read yet are between `#at` and `#end`. */
  #bytes = new Uint8Array(0)
  #at = 0
  #end = 0
  #arrived = 0
  /** How many bytes must be there before it is worth looking for rows again. */
  #enough = 0
  #count = 0
  #hasBegun = false
  #isOver = false
  #isLast = false
  #error: MalformedJson | null = null
  /** From the end of the first row to the name of the second one's first value: `,{"id":`. */
  #between: Uint8Array | null = null
  #misses = 0

  /** @param isAlone false if other bytes may follow the array; they are not read */
  constructor(visit: (row: unknown) => void, isAlone = true) {
    this.#visit = visit
    this.#isAlone = isAlone
  }

  /** False if some character could not be read and became U+FFFD. */
  get isReadable(): boolean {
    return this.#parts.isReadable
  }

  /** The number of bytes that were read: at the end, those of the array. */
  get length(): number {
    return this.#arrived - (this.#end - this.#at)
  }

  /** Adds the next piece. {@link ArrayRows.end} reports input that is not an array. */
  take(piece: Uint8Array): void {
    for (let at = 0; at < piece.byteLength && this.#error === null; at += WINDOW_BYTES) {
      if (this.#isOver && !this.#isAlone) return
      this.#append(piece.subarray(at, at + WINDOW_BYTES))
      this.#read()
    }
  }

  /** The number of rows. @throws MalformedJson if the input was not one complete array */
  end(): number {
    this.#isLast = true
    if (this.#error === null) this.#read()
    if (this.#error !== null) throw this.#error
    if (!this.#isOver) throw brokenJson()
    return this.#count
  }

  #append(piece: Uint8Array): void {
    const left = this.#end - this.#at
    if (left + piece.length > this.#bytes.length) {
      const larger = new Uint8Array(2 * (left + piece.length))
      larger.set(this.#bytes.subarray(this.#at, this.#end))
      this.#bytes = larger
    } else {
      this.#bytes.copyWithin(0, this.#at, this.#end)
    }
    this.#bytes.set(piece, left)
    this.#at = 0
    this.#end = left + piece.length
    this.#arrived += piece.length
  }

  #read(): void {
    if (this.#end - this.#at < this.#enough && !this.#isLast) return
    const count = this.#count
    try {
      this.#advance()
      const left = this.#end - this.#at
      if (left > MAX_ROW_BYTES) throw new MalformedJson('A row of the answer is too long.')
      // Looks again only when there is twice as much, so that one very long row is not read again and again.
      this.#enough = this.#count === count ? 2 * left : 0
    } catch (error) {
      if (!(error instanceof MalformedJson)) throw error
      this.#error = error
      this.#end = this.#at
    }
  }

  #advance(): void {
    if (!this.#hasBegun) {
      // The UTF-8 byte order mark may arrive in parts.
      if (this.#bytes[0] === 0xef && this.#end < 3 && !this.#isLast) return
      this.#at = skipBlanks(this.#bytes, afterMark(this.#bytes), this.#end)
      if (this.#at === this.#end) return
      if (this.#bytes[this.#at] !== OPEN_BRACKET) throw new MalformedJson('The answer is not a JSON array.')
      this.#hasBegun = true
      this.#at++
    }
    // What is left is usually part of a row, so following its brackets is worth it only once no more data comes.
    if (this.#quickRows() && !this.#isLast) return
    while (!this.#isOver && this.#exactRow()) {
      // What is between rows has just been learned.
      if (this.#count === 2 && this.#quickRows() && !this.#isLast) return
    }
    if (!this.#isOver || !this.#isAlone) return
    if (skipBlanks(this.#bytes, this.#at, this.#end) < this.#end) throw brokenJson()
  }

  /**
   * The rows up to where the last one seems to begin, parsed together, which is several times faster than following
   * every string. This is safe: the bytes begin at a row, and brackets balance only between two elements of this very
   * array, so if they parse, they are complete rows. Returns false if there were none.
   */
  #quickRows(): boolean {
    if (this.#between === null || this.#misses >= MAX_MISSES) return false
    const comma = skipBlanks(this.#bytes, this.#at, this.#end)
    const next = findLast(this.#bytes, this.#between, comma + 1, this.#end)
    if (next < 0 || this.#bytes[comma] !== COMMA) return false
    const rows = this.#parts.values(this.#bytes.subarray(comma + 1, next))
    // Nothing between two commas parses as an empty list, but is no row.
    if (rows === null || rows.length === 0) {
      this.#misses++
      return false
    }
    for (const row of rows) this.#hand(row)
    this.#at = next
    return true
  }

  /** Reads the next row by following its brackets, or the end; false if the bytes end before it does. */
  #exactRow(): boolean {
    let at = skipBlanks(this.#bytes, this.#at, this.#end)
    if (at === this.#end) return false
    if (this.#bytes[at] === CLOSE_BRACKET) {
      this.#isOver = true
      this.#at = at + 1
      return true
    }
    if (this.#count > 0) {
      if (this.#bytes[at] !== COMMA) throw brokenJson()
      at = skipBlanks(this.#bytes, at + 1, this.#end)
    }
    const end = afterValue(this.#bytes, at, this.#end)
    if (end < 0) return false
    if (this.#count === 1 && this.#bytes[at] === OPEN_BRACE) this.#learn(at, end)
    this.#hand(this.#parts.value(this.#bytes.subarray(at, end)))
    this.#at = end
    return true
  }

  #learn(start: number, end: number): void {
    const colon = this.#bytes.subarray(start, end).indexOf(COLON)
    if (colon > 0) this.#between = this.#bytes.slice(this.#at, start + colon + 1)
  }

  #hand(row: unknown): void {
    this.#count++
    this.#visit(row)
  }
}
