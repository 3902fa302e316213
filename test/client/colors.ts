import { readFileSync } from 'node:fs'

type Rgb = [red: number, green: number, blue: number]

/**
 * OKLCH (lightness 0 to 1, chroma, degrees) as linear sRGB, by Björn Ottosson's matrices
 * (https://bottosson.github.io/posts/oklab/).
 */
function linearOf(lightness: number, chroma: number, hue: number): Rgb {
  const a = chroma * Math.cos((hue * Math.PI) / 180)
  const b = chroma * Math.sin((hue * Math.PI) / 180)
  const l = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3
  const m = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3
  const s = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3
  const clamped = (part: number): number => Math.min(1, Math.max(0, part))
  return [
    clamped(4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s),
    clamped(-1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s),
    clamped(-0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s),
  ]
}

function linear(color: string): Rgb {
  const polar = /^oklch\(([\d.]+)% ([\d.]+) ([\d.]+)\)$/.exec(color)
  if (polar) return linearOf(Number(polar[1]) / 100, Number(polar[2]), Number(polar[3]))
  const hex = /^#([\da-f]{3}|[\da-f]{6})$/.exec(color)?.[1]
  if (hex === undefined) throw new Error(`Not a color of ours: ${color}`)
  const digits = hex.length === 3 ? [...hex].map((digit) => digit + digit) : (hex.match(/../g) ?? [])
  const [red = 0, green = 0, blue = 0] = digits.map((pair) => {
    const part = parseInt(pair, 16) / 255
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
  })
  return [red, green, blue]
}

/** The contrast of two colors, 1 to 21 (WCAG 2.2, https://www.w3.org/TR/WCAG22/#dfn-contrast-ratio). */
export function contrast(one: string, other: string): number {
  const luminance = (color: string): number => {
    const [red, green, blue] = linear(color)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
  }
  const [light = 0, dark = 0] = [luminance(one), luminance(other)].toSorted((a, b) => b - a)
  return (light + 0.05) / (dark + 0.05)
}

export type Theme = 'light' | 'dark'

/** The value of a custom property of the style in one theme. `hue` replaces `var(--h)`. */
export function colorIn(style: string, name: string, theme: Theme, hue = 0): string {
  const value = new RegExp(`${name}: ([^;]+);`).exec(style)?.[1]?.replaceAll('var(--h)', String(hue))
  if (value === undefined) throw new Error(`No ${name}`)
  const named = /^var\((--[\w-]+)\)$/.exec(value)?.[1]
  if (named !== undefined) return colorIn(style, named, theme, hue)
  const both = /^light-dark\((.+\)), (.+)\)$/.exec(value)
  if (both === null) return value
  return (theme === 'light' ? both[1] : both[2]) ?? ''
}

export const styleFile = (name: string): string =>
  readFileSync(new URL(`../../client/styles/${name}`, import.meta.url), 'utf8')
