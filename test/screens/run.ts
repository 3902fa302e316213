import { startApp } from '../browser/app.ts'
import { launchChromium } from '../browser/chromium.ts'
import { parseOptions } from '../command-options.ts'
import { allScreens } from './all-screens.ts'
import { afternoonZone } from './gallery/afternoon-zone.ts'
import { takePictures } from './pictures.ts'
import type { Scene } from './screen.ts'
import { makeSheets } from './sheet.ts'
import { Stage } from './stage.ts'
import { askedLooks, galleryLooks, looks, take, type Taken, zoomedLooks } from './take.ts'

/**
 * `npm run screens`: every screen at three widths, light and dark, into .build/screens. Exits with 1 if anything is
 * wider than its window, if axe finds anything, or if the browser reports an error.
 */
const { values } = parseOptions(
  {
    options: {
      only: { type: 'string', default: '' },
      quick: { type: 'boolean', default: false },
      zoomed: { type: 'boolean', default: false },
      sheet: { type: 'boolean', default: false },
      pictures: { type: 'boolean', default: false },
      gallery: { type: 'boolean', default: false },
    },
  },
  `npm run screens -- [--only TEXT,...] [--quick] [--zoomed] [--sheet] [--gallery] [--pictures]
Takes every screen at 390, 768 and 1280 px, light and dark, into .build/screens.

  --only TEXT,...  the screens whose name holds one of the texts, such as scheduler,admin
  --quick          two looks of each
  --zoomed         a phone and a desk at 200 % instead
  --sheet          puts the looks side by side
  --gallery        an ordinary day instead of difficult names, at 390 x 844 and 1280 x 860
  --pictures       takes the README's pictures instead`,
)

const folder = '.build/screens'
const those = values.gallery ? galleryLooks : values.zoomed ? zoomedLooks : values.quick ? askedLooks : looks

function print({ screen, pictures, axe, wide, problems }: Taken): void {
  const findings = [...axe, ...wide, ...problems]
  const figures = [pictures, axe.length, wide.length, problems.length].map((figure) => String(figure).padStart(8))
  console.log(`${findings.length === 0 ? '✓' : '✗'} ${screen.name.padEnd(36)}${figures.join('')}`)
  for (const finding of findings) console.log(`    ${finding}`)
}

process.env['WRANGLER_LOG'] ??= 'warn'
const browser = await launchChromium()
const app = await startApp({ gallery: { timeZone: afternoonZone(Date.now()) } })
let code = 1
try {
  const stage = new Stage(app, browser)
  if (values.pictures) {
    await takePictures(stage)
    code = 0
  } else {
    console.log(`  ${'screen'.padEnd(36)}${['looks', 'axe', 'wide', 'other'].map((word) => word.padStart(8)).join('')}`)
    const all: Taken[] = []
    for (const [place, screens] of allScreens) {
      const scene: Scene = values.gallery ? `${place} gallery` : place
      const chosen = screens.filter(({ name }) => values.only.split(',').some((text) => name.includes(text)))
      if (chosen.length === 0) continue
      await stage.set(scene)
      for (const one of chosen) {
        await stage.renew()
        // The preparation of other pictures would change the day that a gallery shows.
        const screen = values.gallery ? { ...one, prepare: undefined } : one
        const taken = await take(screen, await stage.visitOf(screen.role), app, {
          folder,
          those,
        })
        print(taken)
        all.push(taken)
      }
    }
    await stage.clear()
    const good = all.filter(({ axe, wide, problems }) => axe.length + wide.length + problems.length === 0).length
    console.log(
      `${good} of ${all.length} screens without a finding, ${all.reduce((sum, one) => sum + one.pictures, 0)} pictures`,
    )
    if (values.sheet)
      for (const sheet of await makeSheets(
        browser,
        all.map(({ screen }) => screen),
        { folder, looks: those },
      ))
        console.log(sheet)
    code = all.length > 0 && good === all.length ? 0 : 1
  }
} catch (error) {
  console.error(error, ...app.failures())
}
await Promise.all([browser.close(), app.close()])
process.exit(code)
