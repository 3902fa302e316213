/** How large a symbol is and how its codewords are split, for error correction level M: ISO/IEC 18004, tables 1 and 9. */
export interface Version {
  number: number
  /** Modules a side. */
  size: number
  /** Error correction codewords of each block. */
  checkLength: number
  blocks: number
  codewords: number
  dataCodewords: number
}

/** By version, from 1. Twenty are enough for 666 bytes. */
const checkLengths = [10, 16, 26, 18, 24, 16, 18, 22, 22, 26, 30, 22, 22, 24, 24, 28, 28, 26, 26, 26]
const blockCounts = [1, 1, 1, 2, 2, 4, 4, 4, 5, 5, 5, 8, 9, 9, 10, 10, 11, 13, 14, 16]

/** Bits of the length field in byte mode. */
export const lengthBits = (version: number): number => (version < 10 ? 8 : 16)

/** The smallest version that holds so many bytes in byte mode. @throws when none does */
export function versionFor(bytes: number): Version {
  for (const [index, checkLength] of checkLengths.entries()) {
    const number = index + 1
    const blocks = blockCounts[index] ?? 0
    const codewords = Math.floor(dataModules(number) / 8)
    const dataCodewords = codewords - checkLength * blocks
    if (4 + lengthBits(number) + bytes * 8 <= dataCodewords * 8)
      return { number, size: number * 4 + 17, checkLength, blocks, codewords, dataCodewords }
  }
  throw new Error(`${bytes} bytes are too many for a QR code.`)
}

/** Modules that are left once the patterns, format and version information have theirs. */
function dataModules(version: number): number {
  const size = version * 4 + 17
  const finders = 3 * 64
  const timing = 2 * (size - 16)
  const format = 31
  const rows = alignmentCentres(version).length
  // Two lie on each timing pattern's line except at the corners, where five modules are shared.
  const alignment = rows === 0 ? 0 : (rows * rows - 3) * 25 - (rows - 2) * 2 * 5
  const information = version < 7 ? 0 : 36
  return size * size - finders - timing - format - alignment - information
}

/** Rows and columns at whose crossings the alignment patterns stand. */
export function alignmentCentres(version: number): number[] {
  if (version === 1) return []
  const count = Math.floor(version / 7) + 2
  const step = Math.ceil((version * 4 + 4) / (count * 2 - 2)) * 2
  const last = version * 4 + 10
  return [6, ...Array.from({ length: count - 1 }, (_, n) => last - (count - 2 - n) * step)]
}
