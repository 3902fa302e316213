import { writeFile } from 'node:fs/promises'
import { relative, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Browser } from 'playwright-core'
import type { Screen } from './screen.ts'
import { type Look, lookName, pictureOf } from './take.ts'

/** How wide each size is on a sheet, px: a phone as large as can be read, a desktop as small as can be judged. */
const shownWidths: Readonly<Record<number, number>> = { 390: 230, 768: 300, 1280: 440 }
const screensPerSheet = 2

const styles = `body { margin: 16px; background: #888; font: 14px system-ui; }
h2 { margin: 8px 0; } div { display: flex; gap: 8px; align-items: flex-start; }
figure { margin: 0; height: 620px; overflow: hidden; } img { display: block; width: 100%; }
${Object.entries(shownWidths)
  .map(([width, shown]) => `.of-${width} { width: ${shown}px; }`)
  .join('\n')}`

/** Puts the pictures of some screens side by side, two screens per sheet. @returns the sheets' paths */
export async function makeSheets(
  browser: Browser,
  screens: readonly Screen[],
  { folder, looks }: { folder: string; looks: readonly Look[] },
): Promise<string[]> {
  const page = await browser.newPage({ viewport: { width: 2040, height: 800 } })
  const sheets: string[] = []
  const areas = Map.groupBy(screens, ({ name }) => name.split('/')[0] ?? '')
  for (const [area, those] of areas)
    for (let at = 0; at < those.length; at += screensPerSheet) {
      const path = `${folder}/sheet-${area}-${String(at / screensPerSheet + 1).padStart(2, '0')}`
      const rows = those.slice(at, at + screensPerSheet).map((screen) => rowOf(screen, looks, folder))
      await writeFile(`${path}.html`, `<!doctype html><meta charset="utf-8"><style>${styles}</style>${rows.join('')}`)
      await page.goto(pathToFileURL(resolve(`${path}.html`)).href)
      await page.screenshot({ path: `${path}.png`, fullPage: true })
      sheets.push(`${path}.png`)
    }
  await page.close()
  return sheets
}

function rowOf(screen: Screen, looks: readonly Look[], folder: string): string {
  const pictures = looks.map((look) => {
    const source = relative(folder, pictureOf(folder, screen, look))
    return `<figure class="of-${look.width}"><img src="${source}" alt="${lookName(look)}"></figure>`
  })
  return `<h2>${screen.name}</h2><div>${pictures.join('')}</div>`
}
