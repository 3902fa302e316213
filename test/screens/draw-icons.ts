import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { launchChromium } from '../browser/chromium.ts'
import { ROOT } from '../world/start/settings.ts'

/* `npm run icons`: draws the app's icons from client/favicon.svg, in its dark variant, into client/icons. A maskable
   one fills its square, with the logo in the middle area that every shape keeps; the badge is only the logo, white
   on transparent. */

const mark = await readFile(join(ROOT, 'client/favicon.svg'), 'utf8')
/** The ink of client/styles/tokens.css, which is darker than a phone's background pictures. */
const ground = '#16161f'

interface Icon {
  name: string
  size: number
  /** The logo's share of the square. */
  part: number
  /** CSS of the square. */
  square: string
  /** CSS of the logo. */
  mark?: string
}

const rounded = `background:${ground};border-radius:22%`
const whole = `background:${ground}`
const icons: readonly Icon[] = [
  { name: 'icon-192', size: 192, part: 0.7, square: rounded },
  { name: 'icon-512', size: 512, part: 0.7, square: rounded },
  { name: 'icon-maskable-192', size: 192, part: 0.56, square: whole },
  { name: 'icon-maskable-512', size: 512, part: 0.56, square: whole },
  { name: 'apple-touch-icon', size: 180, part: 0.66, square: whole },
  { name: 'badge-96', size: 96, part: 1, square: '', mark: 'svg path{stroke:#fff}svg circle{fill:#fff}' },
]

const browser = await launchChromium()
for (const { name, size, part, square, mark: paint = '' } of icons) {
  const page = await browser.newPage({ viewport: { width: size, height: size }, colorScheme: 'dark' })
  const style = `html,body{margin:0;background:transparent}div{height:${size}px;display:grid;place-items:center;${square}}svg{width:${part * 100}%;height:${part * 100}%}${paint}`
  await page.setContent(`<meta name="color-scheme" content="light"><style>${style}</style><div>${mark}</div>`)
  const png = await page.screenshot({ omitBackground: true })
  await writeFile(join(ROOT, 'client/icons', `${name}.png`), png)
  console.log(`${name}.png ${png.length} bytes`)
  await page.close()
}
await browser.close()
