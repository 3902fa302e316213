import { dataCodewords, interleaved } from './codewords.ts'
import { drawFormat, type Grid, gridWithPatterns } from './grid.ts'
import { penaltyOf } from './penalty.ts'
import { versionFor } from './version.ts'

/** Which modules a mask turns over (ISO/IEC 18004 §7.8.2). */
const masks: readonly ((x: number, y: number) => boolean)[] = [
  (x, y) => (x + y) % 2 === 0,
  (_x, y) => y % 2 === 0,
  (x) => x % 3 === 0,
  (x, y) => (x + y) % 3 === 0,
  (x, y) => (Math.floor(x / 3) + Math.floor(y / 2)) % 2 === 0,
  (x, y) => ((x * y) % 2) + ((x * y) % 3) === 0,
  (x, y) => (((x * y) % 2) + ((x * y) % 3)) % 2 === 0,
  (x, y) => (((x + y) % 2) + ((x * y) % 3)) % 2 === 0,
]

/**
 * A text as a QR code of level M, in byte mode (UTF-8). @throws when it is longer than 666 bytes
 * @returns the symbol without its quiet zone
 */
export function qrCode(text: string): Pick<Grid, 'size' | 'isBlack'> {
  const bytes = new TextEncoder().encode(text)
  const version = versionFor(bytes.length)
  const grid = gridWithPatterns(version)
  drawData(grid, interleaved(dataCodewords(bytes, version), version))
  const masked = masks.map((mask, number) => withMask(grid, mask, number))
  return masked.reduce((best, other) => (penaltyOf(other) < penaltyOf(best) ? other : best))
}

/** Two columns at a time from the right, upwards and downwards in turn; the vertical timing pattern is no column. */
function drawData(grid: Grid, codewords: Uint8Array): void {
  let bit = 0
  for (let right = grid.size - 1; right > 0; right -= 2) {
    if (right === 6) right = 5
    const isUpwards = ((right + 1) & 2) === 0
    for (let n = 0; n < grid.size; n += 1) {
      const y = isUpwards ? grid.size - 1 - n : n
      for (const x of [right, right - 1]) {
        if (grid.isTaken(x, y)) continue
        grid.set(x, y, (((codewords[bit >>> 3] ?? 0) >>> (7 - (bit & 7))) & 1) === 1)
        bit += 1
      }
    }
  }
}

function withMask(grid: Grid, mask: (x: number, y: number) => boolean, number: number): Grid {
  const masked = grid.copy()
  for (let y = 0; y < grid.size; y += 1)
    for (let x = 0; x < grid.size; x += 1) if (!grid.isTaken(x, y)) masked.set(x, y, grid.isBlack(x, y) !== mask(x, y))
  drawFormat(masked, number)
  return masked
}
