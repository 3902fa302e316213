import { renderToStaticMarkup } from 'react-dom/server'
import { encode } from 'uqr'
import { describe, expect, it } from 'vitest'
import { QrImage } from '../../src/accounts/two-factor/qr-image.tsx'

const text = 'otpauth://totp/Class%20Cords:ada?issuer=Class+Cords&secret=ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'
const svg = renderToStaticMarkup(<QrImage text={text} label="A code" />)

/** The black modules as drawn, by row and column. */
function drawn(): Set<string> {
  const bars = [...svg.matchAll(/M(\d+) (\d+)h(\d+)v1h-(\d+)z/g)].map((bar) => bar.slice(1).map(Number))
  return new Set(
    bars.flatMap(([x = 0, y = 0, length = 0, back]) => {
      expect(back).toBe(length)
      return Array.from({ length }, (_, n) => `${y} ${x + n}`)
    }),
  )
}

describe('QR code', () => {
  it('is drawn module by module, with a margin of four', () => {
    const { size, data } = encode(text, { ecc: 'M', boostEcc: false, border: 0 })
    const black = data.flatMap((row, y) => row.flatMap((isBlack, x) => (isBlack ? [`${y + 4} ${x + 4}`] : [])))
    expect(drawn()).toEqual(new Set(black))
    expect(svg).toContain(`viewBox="0 0 ${size + 8} ${size + 8}"`)
  })

  it('has finder patterns in three corners', () => {
    const modules = drawn()
    const { size } = encode(text, { ecc: 'M', boostEcc: false, border: 0 })
    const corners = [
      [4, 4],
      [4, size - 3],
      [size - 3, 4],
    ] as const
    for (const [y, x] of corners) {
      const middle = Array.from({ length: 7 }, (_, n) => modules.has(`${y + 3} ${x + n}`))
      expect(middle).toEqual([true, false, true, true, true, false, true])
    }
  })

  it('has a label for screen readers', () => {
    expect(svg).toMatch(/^<svg [^>]*role="img" aria-label="A code"/)
  })
})
