import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { ROOT } from '../world/start/settings.ts'
import { launchChromium } from '../browser/chromium.ts'

/*
 * `npm run icons`: draws the app's icons from client/favicon.svg into client/icons. A maskable one fills its square, its picture
 * within the middle four fifths that every shape leaves; the badge is the picture alone, white on nothing.
 */

const mark = await readFile(join(ROOT, 'client/favicon.svg'), 'utf8')
const ground = /<rect[^>]*fill="(#\w+)"[^>]*\/>/.exec(mark)?.[1] ?? '#000'
const picture = mark.replace(/<rect[^>]*\/>/, '')

interface Icon {
  name: string
  size: number
  svg: string
  background: string
}

const bare = (size: number, svg: string, background: string, name: string): Icon => ({ name, size, svg, background })
const icons: Icon[] = [
  bare(192, mark, 'transparent', 'icon-192'),
  bare(512, mark, 'transparent', 'icon-512'),
  bare(192, picture, ground, 'icon-maskable-192'),
  bare(512, picture, ground, 'icon-maskable-512'),
  bare(180, picture, ground, 'apple-touch-icon'),
  bare(96, picture.replaceAll(/fill="#\w+"/g, 'fill="#fff"'), 'transparent', 'badge-96'),
]

const browser = await launchChromium()
for (const { name, size, svg, background } of icons) {
  const page = await browser.newPage({ viewport: { width: size, height: size } })
  const inner = background === 'transparent' ? '100%' : '80%'
  await page.setContent(
    `<style>body{margin:0;height:${size}px;display:grid;place-items:center;background:${background}}svg{width:${inner};height:${inner}}</style>${svg}`,
  )
  const png = await page.screenshot({ omitBackground: true })
  await writeFile(join(ROOT, 'client/icons', `${name}.png`), png)
  console.log(`${name}.png ${png.length} bytes`)
  await page.close()
}
await browser.close()
