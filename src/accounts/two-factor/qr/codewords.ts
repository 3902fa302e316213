import { errorCorrection } from './reed-solomon.ts'
import { lengthBits, type Version } from './version.ts'

/** The bytes in byte mode: mode, length, bytes, end, and filling up to the version's size. */
export function dataCodewords(bytes: Uint8Array, version: Version): Uint8Array {
  const bits: number[] = []
  const push = (value: number, length: number) => {
    for (let at = length - 1; at >= 0; at -= 1) bits.push((value >>> at) & 1)
  }
  push(0b0100, 4)
  push(bytes.length, lengthBits(version.number))
  for (const byte of bytes) push(byte, 8)
  push(0, Math.min(4, version.dataCodewords * 8 - bits.length))
  push(0, (8 - (bits.length % 8)) % 8)
  for (let n = 0; bits.length < version.dataCodewords * 8; n += 1) push(n % 2 === 0 ? 0xec : 0x11, 8)
  return Uint8Array.from({ length: version.dataCodewords }, (_, n) =>
    bits.slice(n * 8, n * 8 + 8).reduce((byte, bit) => (byte << 1) | bit, 0),
  )
}

/** All codewords in the order they are drawn: the blocks' data codeword by codeword, then their error correction. */
export function interleaved(data: Uint8Array, version: Version): Uint8Array {
  const blocks = splitIntoBlocks(data, version)
  const checks = blocks.map((block) => errorCorrection(block, version.checkLength))
  return Uint8Array.from([...turns(blocks), ...turns(checks)])
}

/** Shorter blocks first; each of the others has one codeword more. */
function splitIntoBlocks(data: Uint8Array, { blocks }: Version): Uint8Array[] {
  const short = Math.floor(data.length / blocks)
  const shorter = blocks - (data.length % blocks)
  let at = 0
  return Array.from({ length: blocks }, (_, n) => {
    const block = data.subarray(at, at + short + (n < shorter ? 0 : 1))
    at += block.length
    return block
  })
}

function turns(blocks: readonly Uint8Array[]): number[] {
  const longest = Math.max(...blocks.map(({ length }) => length))
  return Array.from({ length: longest }, (_, n) => n).flatMap((n) =>
    blocks.flatMap((block) => {
      const codeword = block[n]
      return codeword === undefined ? [] : [codeword]
    }),
  )
}
