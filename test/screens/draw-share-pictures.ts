import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { launchChromium } from '../browser/chromium.ts'
import { ROOT } from '../world/start/settings.ts'
import { withPalette } from './palette-png.ts'

/* `npm run share-pictures`: draws the pictures of link previews, 1200 × 630, into client/share: one of the site, one
   of an invitation, and one of a server and of a school in each hue. Names and numbers are in a page's title and
   description. */

const hues = [25, 60, 110, 165, 210, 250, 300, 345]
const ink = 'oklch(22% .03 275)'
const paper = 'oklch(98.5% .006 85)'
const green = 'oklch(78% .19 150)'

/** The blocks of seats of every row, in degrees. */
const blocks = [
  [168, 126],
  [115, 65],
  [54, 12],
] as const

interface Hall {
  x: number
  y: number
  /** Of the first row, and between rows. */
  radius: number
  step: number
  rows: number
  seat: number
  color: string
  ground: string
  /** Which row, and which seat of its middle block, is open. */
  open: readonly [row: number, seat: number]
}

/** A lecture hall from above: rows of seats in three blocks, one of them open. */
function hall({ x, y, radius, step, rows, seat, color, ground, open }: Hall): string {
  const at = (r: number, degrees: number) => {
    const angle = (degrees * Math.PI) / 180
    return `${(x + r * Math.cos(angle)).toFixed(1)} ${(y - r * Math.sin(angle)).toFixed(1)}`
  }
  const gapOf = (r: number, from: number, to: number) => {
    const length = ((from - to) / 180) * Math.PI * r
    const gaps = Math.max(1, Math.round(length / (seat * 3.8)) - 1)
    return (length - seat * (gaps + 1)) / gaps
  }
  const arcs = Array.from({ length: rows }, (_unused, row) => radius + row * step).flatMap((r) =>
    blocks.map(
      ([from, to]) =>
        `<path stroke-dasharray="${seat} ${gapOf(r, from, to).toFixed(2)}" d="M${at(r, from)}A${r} ${r} 0 0 1 ${at(r, to)}"/>`,
    ),
  )
  const openRadius = radius + open[0] * step
  const [first, last] = blocks[1]
  const along = seat / 2 + open[1] * (seat + gapOf(openRadius, first, last))
  const [cx = '', cy = ''] = at(openRadius, first - ((along / openRadius) * 180) / Math.PI).split(' ')
  return `<g fill="none" stroke="${color}" stroke-width="${seat * 1.7}" stroke-linecap="round">${arcs.join('')}</g>
    <circle cx="${cx}" cy="${cy}" r="${seat * 2.2}" fill="${ground}"/><circle cx="${cx}" cy="${cy}" r="${seat * 1.3}" fill="${green}"/>`
}

/** The chair with its dot, in a square of 48. */
const mark = (x: number, y: number, size: number) =>
  `<svg x="${x}" y="${y}" width="${size}" height="${size}" viewBox="0 0 48 48"><path d="M13.2 5.5 16 26.5h16.5a4 4 0 0 1 4 3.4l2 12.6M16 26.5l-2.8 16M15 33.8h22"
    fill="none" stroke="${ink}" stroke-width="3.4" stroke-linecap="round" stroke-linejoin="round"/><circle cx="30.4" cy="14.2" r="6.2" fill="oklch(72% .19 150)"/></svg>`

/** A picture in one hue, with its kind on a label. */
function labeled(label: string, hue: number): string {
  const ground = `oklch(44% .12 ${hue})`
  const width = 190 + label.length * 21
  const left = (1200 - width) / 2
  return `<path fill="${ground}" d="M0 0h1200v630H0z"/>
    ${hall({ x: 600, y: 900, radius: 360, step: 62, rows: 9, seat: 16, color: `oklch(58% .12 ${hue})`, ground, open: [3, 5] })}
    <rect x="${left}" y="452" width="${width}" height="104" rx="52" fill="#fff"/>${mark(left + 30, 470, 68)}
    <text x="${left + 112}" y="520" class="word" fill="${ink}">${label}</text>`
}

/** The site's own picture: a sentence of two lines. */
function spoken(first: string, second: string): string {
  const rainbow = hues.map((hue, at) => `<stop offset="${at / 7}" stop-color="oklch(86% .07 ${hue})"/>`).join('')
  return `<path fill="${paper}" d="M0 0h1200v630H0z"/>
    <linearGradient id="g" gradientUnits="userSpaceOnUse" x1="600" x2="1300" y1="0" y2="0">${rainbow}</linearGradient>
    ${hall({ x: 950, y: 650, radius: 121, step: 31, rows: 8, seat: 8, color: 'url(#g)', ground: paper, open: [6, 3] })}
    ${mark(70, 66, 92)}<text x="172" y="130" class="word" fill="${ink}">Class Cords</text>
    <text x="80" y="290" class="title" fill="${ink}">${first}</text><text x="80" y="384" class="title" fill="${ink}">${second}</text>`
}

const pictures: readonly [name: string, drawing: string][] = [
  ['site', spoken('Find the Discord', 'for your class.')],
  ['invitation', spoken('You are invited', 'to your class.')],
  ...hues.flatMap((hue, at): [string, string][] => [
    [`server-${at + 1}`, labeled('Class server on Discord', hue)],
    [`school-${at + 1}`, labeled('Class servers of a school', hue)],
  ]),
]

const folder = join(ROOT, 'client/share')
const font = await readFile(
  join(ROOT, 'node_modules/@fontsource-variable/inter/files/inter-latin-wght-normal.woff2'),
  'base64',
)
await mkdir(folder, { recursive: true })
const browser = await launchChromium()
const page = await browser.newPage({ viewport: { width: 1200, height: 630 } })
for (const [name, drawing] of pictures) {
  await page.setContent(
    `<style>@font-face{font-family:Inter;font-weight:100 900;src:url(data:font/woff2;base64,${font})}body{margin:0}svg{display:block}
      .word{font:680 46px Inter;letter-spacing:-.02em}.title{font:720 84px Inter;letter-spacing:-.03em}</style>
      <svg viewBox="0 0 1200 630" width="1200" height="630">${drawing}</svg>`,
  )
  await page.evaluate(() => document.fonts.ready)
  const png = withPalette(await page.screenshot(), 48)
  await writeFile(join(folder, `${name}.png`), png)
  console.log(`${name}.png ${png.length} bytes`)
}
await browser.close()
