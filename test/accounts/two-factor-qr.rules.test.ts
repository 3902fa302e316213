import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { dataCodewords } from '../../src/accounts/two-factor/qr/codewords.ts'
import { gridWithPatterns } from '../../src/accounts/two-factor/qr/grid.ts'
import { qrCode } from '../../src/accounts/two-factor/qr/qr-code.ts'
import { errorCorrection } from '../../src/accounts/two-factor/qr/reed-solomon.ts'
import { alignmentCentres, versionFor } from '../../src/accounts/two-factor/qr/version.ts'

/** Reads a symbol as a scanner does once it sees the modules straight; every block must be free of errors. */
function read(symbol: ReturnType<typeof qrCode>): string {
  const bits = (cells: [number, number][]) =>
    cells.reduce((value, [x, y]) => (value << 1) | Number(symbol.isBlack(x, y)), 0)
  const row = [0, 1, 2, 3, 4, 5, 7, 8, symbol.size - 7, symbol.size - 6, symbol.size - 5, symbol.size - 4]
  const format =
    bits([...row.slice(0, 8), ...row.slice(8), symbol.size - 3, symbol.size - 2, symbol.size - 1].map((x) => [x, 8])) ^
    0b101010000010010
  expect(format >>> 13).toBe(0)
  const mask = (format >>> 10) & 7
  const turned = [
    (i: number, j: number) => (i + j) % 2,
    (i: number) => i % 2,
    (_i: number, j: number) => j % 3,
    (i: number, j: number) => (i + j) % 3,
    (i: number, j: number) => ((i >> 1) + Math.floor(j / 3)) % 2,
    (i: number, j: number) => ((i * j) % 2) + ((i * j) % 3),
    (i: number, j: number) => (((i * j) % 2) + ((i * j) % 3)) % 2,
    (i: number, j: number) => (((i * j) % 3) + ((i + j) % 2)) % 2,
  ][mask]
  const { blocks, checkLength, codewords, dataCodewords: dataLength } = versionOfSize(symbol.size)
  const grid = gridWithPatterns(versionOfSize(symbol.size))
  const stream: number[] = []
  let isUp = true
  for (let pair = symbol.size - 1; pair > 0; pair -= pair === 8 ? 3 : 2) {
    const order = Array.from({ length: symbol.size }, (_, n) => (isUp ? symbol.size - 1 - n : n))
    for (const y of order)
      for (const x of [pair, pair - 1])
        if (!grid.isTaken(x, y)) stream.push(Number(symbol.isBlack(x, y)) ^ Number(turned?.(y, x) === 0))
    isUp = !isUp
  }
  const words = Array.from({ length: codewords }, (_, n) =>
    stream.slice(n * 8, n * 8 + 8).reduce((word, bit) => (word << 1) | bit, 0),
  )
  const lengths = Array.from(
    { length: blocks },
    (_, n) => Math.floor(dataLength / blocks) + (n >= blocks - (dataLength % blocks) ? 1 : 0),
  )
  const split: number[][] = lengths.map(() => [])
  let at = 0
  for (let n = 0; n < Math.max(...lengths); n += 1)
    for (const [block, length] of lengths.entries()) if (n < length) split[block]?.push(words[at++] ?? 0)
  const checks: number[][] = lengths.map(() => [])
  for (let n = 0; n < checkLength; n += 1) for (const block of lengths.keys()) checks[block]?.push(words[at++] ?? 0)
  for (const [n, block] of split.entries())
    expect([...errorCorrection(Uint8Array.from(block), checkLength)]).toEqual(checks[n])
  const data = split.flat().flatMap((word) => Array.from({ length: 8 }, (_, n) => (word >>> (7 - n)) & 1))
  const number = (from: number, length: number) =>
    data.slice(from, from + length).reduce((sum, bit) => sum * 2 + bit, 0)
  expect(number(0, 4)).toBe(4)
  const field = symbol.size < 57 ? 8 : 16
  const bytes = Array.from({ length: number(4, field) }, (_, n) => number(4 + field + n * 8, 8))
  return new TextDecoder().decode(Uint8Array.from(bytes))
}

/** By the number of bytes that just fill it: what a scanner knows from the size alone. */
function versionOfSize(size: number) {
  for (let bytes = 1; ; bytes += 1) {
    const version = versionFor(bytes)
    if (version.size === size) return version
  }
}

describe('a QR code', () => {
  it('has the error correction of the standard’s worked example', () => {
    const block = [32, 91, 11, 120, 209, 114, 220, 77, 67, 64, 236, 17, 236, 17, 236, 17]
    expect([...errorCorrection(Uint8Array.from(block), 10)]).toEqual([196, 35, 39, 119, 235, 215, 231, 226, 93, 23])
  })

  it('is as large as its text needs, by the capacities of the standard at level M', () => {
    const capacities = [14, 26, 42, 62, 84, 106, 122, 152, 180, 213, 251, 287, 331, 362, 412, 450, 504, 560, 624, 666]
    for (const [index, bytes] of capacities.entries()) {
      expect(versionFor(bytes).number).toBe(index + 1)
      if (index + 1 < capacities.length) expect(versionFor(bytes + 1).number).toBe(index + 2)
    }
    expect(() => versionFor(667)).toThrow('too many')
  })

  it('has its alignment patterns where the standard’s table has them', () => {
    expect(alignmentCentres(1)).toEqual([])
    expect(alignmentCentres(2)).toEqual([6, 18])
    expect(alignmentCentres(7)).toEqual([6, 22, 38])
    expect(alignmentCentres(16)).toEqual([6, 26, 50, 74])
    expect(alignmentCentres(20)).toEqual([6, 34, 62, 90])
  })

  it('fills what is left with the two padding codewords in turn', () => {
    const codewords = dataCodewords(new TextEncoder().encode('a'), versionFor(1))
    expect([...codewords]).toEqual([64, 22, 16, 236, 17, 236, 17, 236, 17, 236, 17, 236, 17, 236, 17, 236])
  })

  it('is read back, whatever the text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 150 }), (text) => {
        fc.pre(new TextEncoder().encode(text).length <= 666)
        expect(read(qrCode(text))).toBe(new TextDecoder().decode(new TextEncoder().encode(text)))
      }),
      { numRuns: 40 },
    )
    for (const length of [1, 106, 107, 180, 181, 666]) expect(read(qrCode('q'.repeat(length)))).toBe('q'.repeat(length))
  })

  it('has its finders in three corners, with light around them', () => {
    const symbol = qrCode('hello')
    for (const [x, y] of [
      [0, 0],
      [symbol.size - 7, 0],
      [0, symbol.size - 7],
    ] as const)
      expect(Array.from({ length: 7 }, (_, n) => symbol.isBlack(x + n, y + 3))).toEqual([
        true,
        false,
        true,
        true,
        true,
        false,
        true,
      ])
    expect(Array.from({ length: 8 }, (_, n) => symbol.isBlack(n, 7))).toEqual(Array<boolean>(8).fill(false))
  })
})
