/** The default alphabet of 3GPP TS 23.038 §6.2.1, in its own order without the escape, and the extension table. */
const BASIC =
  '@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !"#¤%&\'()*+,-./0123456789:;<=>?¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà'
const EXTENSION = '\f^{}\\[~]|€'

/** How many septets each letter of the 7-bit alphabet takes. */
export const UNITS_OF: ReadonlyMap<string, 1 | 2> = new Map<string, 1 | 2>([
  ...Array.from(BASIC, (letter): [string, 1] => [letter, 1]),
  ...Array.from(EXTENSION, (letter): [string, 2] => [letter, 2]),
])

/** Units in a message of one segment, and in each segment of a longer one (the rest holds the joining header). */
const ROOM = { 'GSM-7': { single: 160, part: 153 }, 'UCS-2': { single: 70, part: 67 } }

interface SegmentCount {
  encoding: 'GSM-7' | 'UCS-2'
  /** Septets, or UTF-16 units. */
  units: number
  segments: number
}

/** How many segments a phone network splits a text into. A character of two units is never split between segments. */
export function countSegments(text: string): SegmentCount {
  const encoding = isGsm(text) ? 'GSM-7' : 'UCS-2'
  const sizes = Array.from(text, (letter) => (encoding === 'GSM-7' ? (UNITS_OF.get(letter) ?? 1) : letter.length))
  const units = sizes.reduce((sum, size) => sum + size, 0)
  const { single, part } = ROOM[encoding]
  if (units <= single) return { encoding, units, segments: 1 }
  let segments = 1
  let filled = 0
  for (const size of sizes) {
    if (filled + size > part) {
      segments += 1
      filled = 0
    }
    filled += size
  }
  return { encoding, units, segments }
}

export function isWrittenInGsm(text: string): boolean {
  return text !== '' && Array.from(text).every((letter) => UNITS_OF.get(letter) === 1 && letter >= ' ')
}

function isGsm(text: string): boolean {
  return Array.from(text).every((letter) => UNITS_OF.has(letter))
}
