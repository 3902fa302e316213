import { crc32, deflateSync, inflateSync } from 'node:zlib'

/* Screenshots of flat drawings as PNG with a palette: a third of the bytes that a browser writes
   (https://www.w3.org/TR/png-3/). */

const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
const channels = 3

/** @param png as Chromium writes it: 8 bits per channel, not interlaced @param colors at most 256 */
export function withPalette(png: Buffer, colors: number): Buffer {
  const { width, height, data } = read(png)
  const pixels = unfiltered(data, width, height)
  const counts = new Map<number, number>()
  for (let at = 0; at < pixels.length; at += channels) {
    const color = pixels.readUIntBE(at, channels)
    counts.set(color, (counts.get(color) ?? 0) + 1)
  }
  const palette = [...counts]
    .toSorted(([, one], [, other]) => other - one)
    .slice(0, colors)
    .map(([color]) => color)
  const nearest = new Map(palette.map((color, index) => [color, index]))
  const rows = Buffer.alloc(height * (width + 1))
  for (let y = 0; y < height; y += 1)
    for (let x = 0; x < width; x += 1) {
      const color = pixels.readUIntBE((y * width + x) * channels, channels)
      const index = nearest.get(color) ?? closest(color, palette)
      nearest.set(color, index)
      rows[y * (width + 1) + 1 + x] = index
    }
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.set([8, 3, 0, 0, 0], 8)
  const list = Buffer.from(palette.flatMap((color) => [color >> 16, (color >> 8) & 255, color & 255]))
  return Buffer.concat([
    signature,
    chunk('IHDR', header),
    chunk('PLTE', list),
    chunk('IDAT', deflateSync(rows, { level: 9 })),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

function read(png: Buffer): { width: number; height: number; data: Buffer } {
  if (png[24] !== 8 || png[25] !== 2 || png[28] !== 0)
    throw new Error('Not a picture of 8 bits in red, green and blue.')
  const parts: Buffer[] = []
  for (let at = signature.length; at < png.length;) {
    const length = png.readUInt32BE(at)
    if (png.toString('latin1', at + 4, at + 8) === 'IDAT') parts.push(png.subarray(at + 8, at + 8 + length))
    at += 12 + length
  }
  return { width: png.readUInt32BE(16), height: png.readUInt32BE(20), data: inflateSync(Buffer.concat(parts)) }
}

/** The pixels of all rows, each of which names its own filter type. */
function unfiltered(data: Buffer, width: number, height: number): Buffer {
  const stride = width * channels
  const pixels = Buffer.alloc(stride * height)
  for (let y = 0; y < height; y += 1) {
    const filter = data[y * (stride + 1)]
    for (let x = 0; x < stride; x += 1) {
      const at = y * stride + x
      const left = x < channels ? 0 : (pixels[at - channels] ?? 0)
      const above = y === 0 ? 0 : (pixels[at - stride] ?? 0)
      const corner = x < channels || y === 0 ? 0 : (pixels[at - stride - channels] ?? 0)
      const guesses = [0, left, above, (left + above) >> 1, paeth(left, above, corner)]
      pixels[at] = ((data[y * (stride + 1) + 1 + x] ?? 0) + (guesses[filter ?? 0] ?? 0)) & 255
    }
  }
  return pixels
}

function paeth(left: number, above: number, corner: number): number {
  const guess = left + above - corner
  const [a, b, c] = [Math.abs(guess - left), Math.abs(guess - above), Math.abs(guess - corner)]
  if (a <= b && a <= c) return left
  return b <= c ? above : corner
}

function closest(color: number, palette: readonly number[]): number {
  const distance = (other: number) =>
    [16, 8, 0].reduce((sum, shift) => sum + (((color >> shift) & 255) - ((other >> shift) & 255)) ** 2, 0)
  return palette.reduce((best, other, index) => (distance(other) < distance(palette[best] ?? 0) ? index : best), 0)
}

function chunk(name: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(name, 'latin1'), data])
  const ends = Buffer.alloc(8)
  ends.writeUInt32BE(data.length, 0)
  ends.writeUInt32BE(crc32(body), 4)
  return Buffer.concat([ends.subarray(0, 4), body, ends.subarray(4)])
}
