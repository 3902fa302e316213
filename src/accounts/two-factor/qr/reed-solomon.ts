/** Reed-Solomon codewords over GF(256) with the polynomial x^8+x^4+x^3+x^2+1, as ISO/IEC 18004 §7.5 has them. */

const [powers, logarithms] = makeTables()

function makeTables(): [Uint8Array, Uint8Array] {
  const power = new Uint8Array(255)
  const logarithm = new Uint8Array(256)
  let value = 1
  for (let n = 0; n < 255; n += 1) {
    power[n] = value
    logarithm[value] = n
    value = (value << 1) ^ (value & 0x80 ? 0x11d : 0)
  }
  return [power, logarithm]
}

function product(a: number, b: number): number {
  return a === 0 || b === 0 ? 0 : (powers[((logarithms[a] ?? 0) + (logarithms[b] ?? 0)) % 255] ?? 0)
}

/** Coefficients of (x - 2^0)(x - 2^1)…, highest first, without the leading 1. */
function generator(degree: number): Uint8Array {
  const polynomial = new Uint8Array(degree)
  polynomial[degree - 1] = 1
  for (let n = 0; n < degree; n += 1) {
    const root = powers[n] ?? 0
    for (let at = 0; at < degree; at += 1)
      polynomial[at] = product(polynomial[at] ?? 0, root) ^ (at + 1 < degree ? (polynomial[at + 1] ?? 0) : 0)
  }
  return polynomial
}

/** The `count` error correction codewords of a block: the remainder of dividing it by the generator. */
export function errorCorrection(block: Uint8Array, count: number): Uint8Array {
  const divisor = generator(count)
  const remainder = new Uint8Array(count)
  for (const codeword of block) {
    const factor = codeword ^ (remainder[0] ?? 0)
    remainder.copyWithin(0, 1)
    remainder[count - 1] = 0
    for (let at = 0; at < count; at += 1) remainder[at] = (remainder[at] ?? 0) ^ product(divisor[at] ?? 0, factor)
  }
  return remainder
}
