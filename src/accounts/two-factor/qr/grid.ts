import { alignmentCentres, type Version } from './version.ts'

/** Black and white modules, and which of them data may not touch. */
export class Grid {
  readonly size: number
  readonly #isBlack: Uint8Array
  readonly #isTaken: Uint8Array

  constructor(size: number) {
    this.size = size
    this.#isBlack = new Uint8Array(size * size)
    this.#isTaken = new Uint8Array(size * size)
  }

  isBlack(x: number, y: number): boolean {
    return this.#isBlack[y * this.size + x] === 1
  }

  isTaken(x: number, y: number): boolean {
    return this.#isTaken[y * this.size + x] === 1
  }

  set(x: number, y: number, isBlack: boolean): void {
    this.#isBlack[y * this.size + x] = isBlack ? 1 : 0
  }

  /** A module of a pattern. Those outside the symbol are left out. */
  take(x: number, y: number, isBlack: boolean): void {
    if (x < 0 || y < 0 || x >= this.size || y >= this.size) return
    this.set(x, y, isBlack)
    this.#isTaken[y * this.size + x] = 1
  }

  copy(): Grid {
    const copy = new Grid(this.size)
    copy.#isBlack.set(this.#isBlack)
    copy.#isTaken.set(this.#isTaken)
    return copy
  }
}

/** The grid with everything but data and format: ISO/IEC 18004 §6.3. */
export function gridWithPatterns({ number, size }: Version): Grid {
  const grid = new Grid(size)
  for (let n = 0; n < size; n += 1) {
    grid.take(6, n, n % 2 === 0)
    grid.take(n, 6, n % 2 === 0)
  }
  for (const [x, y] of [
    [3, 3],
    [size - 4, 3],
    [3, size - 4],
  ] as const)
    drawRings(grid, x, y, 4, [2, 4])
  const centres = alignmentCentres(number)
  const last = centres.length - 1
  for (const [row, y] of centres.entries())
    for (const [column, x] of centres.entries()) {
      const isInCorner = (row === 0 && (column === 0 || column === last)) || (row === last && column === 0)
      if (!isInCorner) drawRings(grid, x, y, 2, [1])
    }
  drawFormat(grid, 0)
  if (number >= 7) drawVersion(grid, number)
  return grid
}

/** Squares around a centre, all black but those at the `white` distances. */
function drawRings(grid: Grid, x: number, y: number, radius: number, white: readonly number[]): void {
  for (let dy = -radius; dy <= radius; dy += 1)
    for (let dx = -radius; dx <= radius; dx += 1)
      grid.take(x + dx, y + dy, !white.includes(Math.max(Math.abs(dx), Math.abs(dy))))
}

/** Both copies of the format information: level M and the mask, with BCH(15, 5) check bits (§7.9). */
export function drawFormat(grid: Grid, mask: number): void {
  const levelM = 0b00
  const data = (levelM << 3) | mask
  const bits = ((data << 10) | remainder(data << 10, 0b10100110111)) ^ 0b101010000010010
  const { size } = grid
  for (let n = 0; n < 15; n += 1) {
    const isBlack = ((bits >>> n) & 1) === 1
    grid.take(8, n < 6 ? n : n < 8 ? n + 1 : size - 15 + n, isBlack)
    grid.take(n < 8 ? size - 1 - n : n < 9 ? 7 : 14 - n, 8, isBlack)
  }
  grid.take(8, size - 8, true)
}

/** Both copies of the version, with BCH(18, 6) check bits (§7.10). */
function drawVersion(grid: Grid, number: number): void {
  const bits = (number << 12) | remainder(number << 12, 0b1111100100101)
  for (let n = 0; n < 18; n += 1) {
    const isBlack = ((bits >>> n) & 1) === 1
    const [near, far] = [Math.floor(n / 3), grid.size - 11 + (n % 3)]
    grid.take(far, near, isBlack)
    grid.take(near, far, isBlack)
  }
}

/** The remainder of a division of polynomials over GF(2). */
function remainder(value: number, divisor: number): number {
  const degree = 31 - Math.clz32(divisor)
  let rest = value
  while (rest >>> degree > 0) rest ^= divisor << (31 - Math.clz32(rest) - degree)
  return rest
}
