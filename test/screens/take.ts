import { mkdir } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { App } from '../browser/app.ts'
import { axeFindings, layoutShift, mostShift, whatIsTooWide, zoomedSizes } from '../browser/look.ts'
import type { Visit } from '../browser/visit.ts'
import type { Screen } from './screen.ts'

export interface Look {
  width: number
  height: number
  theme: 'light' | 'dark'
}

const sizes = [
  { width: 390, height: 844 },
  { width: 768, height: 1024 },
  { width: 1280, height: 800 },
]
export const looks: readonly Look[] = sizes.flatMap((size) =>
  (['light', 'dark'] as const).map((theme) => ({ ...size, theme })),
)
/** An ordinary day on a phone and on a desktop. */
export const galleryLooks: readonly Look[] = [
  { width: 390, height: 844 },
  { width: 1280, height: 860 },
].flatMap((size) => (['light', 'dark'] as const).map((theme) => ({ ...size, theme })))
/** The variants in which axe runs: a desktop in light and a phone in dark. */
export const askedLooks = looks.filter(({ width, theme }) => width === (theme === 'light' ? 1280 : 390))
/** A phone and a desktop at 200 % zoom. */
export const zoomedLooks: readonly Look[] = zoomedSizes.map((size) => ({ ...size, theme: 'light' }))
/** What `zoom` measures: a desktop and a phone, and both at 200 % zoom. */
export const measuredLooks: readonly Look[] = [
  ...looks.filter(({ width, theme }) => width !== 768 && theme === 'light').toReversed(),
  ...zoomedLooks,
]
/** The maximum height of a long page, px. */
const tallest = 2400

export const lookName = ({ width, theme }: Look): string => `${width}-${theme}`
export const pictureOf = (folder: string, { name }: Screen, look: Look): string =>
  `${folder}/${name.replaceAll(' ', '-')}-${lookName(look)}.png`

export interface Taken {
  screen: Screen
  pictures: number
  /** The findings of axe. */
  axe: string[]
  /** Variants in which something is too wide, and what. */
  wide: string[]
  /** Other errors: the console, the policy, a status, an action that failed. */
  problems: string[]
}

/** Opens the screen and performs its actions. @returns how much of the page moved during hydration */
async function open(screen: Screen, visit: Visit, app: App): Promise<number> {
  await screen.prepare?.(app)
  const path = typeof screen.path === 'string' ? screen.path : await screen.path(app)
  if (screen.status !== undefined) visit.expectStatus(screen.status)
  await visit.open(path)
  let shift = await layoutShift(visit.page)
  if (shift > mostShift) {
    // Live data may have changed at that moment. What hydration moves, it moves again.
    await visit.open(path)
    shift = await layoutShift(visit.page)
  }
  await screen.act?.(visit, app)
  return shift
}

/** One screen in some variants: its pictures, unless there is no folder for them, and its errors. */
export async function take(
  screen: Screen,
  visit: Visit,
  app: App,
  { folder, those }: { folder: string | null; those: readonly Look[] },
): Promise<Taken> {
  const taken: Taken = { screen, pictures: 0, axe: [], wide: [], problems: [] }
  const before = new Set(visit.problems())
  try {
    for (const [theme, ofTheme] of Map.groupBy(those, (look) => look.theme)) {
      // A page changes its theme in place; an open dialog is not always redrawn, so it is opened again.
      if (taken.pictures === 0 || screen.isDialog) {
        await visit.show({ isDark: theme === 'dark' })
        const shift = await open(screen, visit, app)
        if (shift > mostShift) taken.problems.push(`a layout shift of ${shift.toFixed(3)}`)
      }
      for (const look of ofTheme)
        await takeLook(taken, look, visit, folder === null ? null : pictureOf(folder, screen, look))
    }
  } catch (error) {
    taken.problems.push(String(error))
  }
  taken.problems.push(...visit.problems().filter((problem) => !before.has(problem)))
  return taken
}

async function takeLook(taken: Taken, look: Look, visit: Visit, path: string | null): Promise<void> {
  const { width, height, theme } = look
  const { page } = visit
  await visit.show({ width, height, isDark: theme === 'dark' })
  await page.evaluate(() => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn))))
  const wide = await whatIsTooWide(page)
  if (wide !== null) taken.wide.push(`${lookName(look)}: ${wide}`)
  if (path === null) return
  await mkdir(dirname(path), { recursive: true })
  if (taken.screen.isDialog) await page.screenshot({ path })
  else {
    const pageHeight = await page.evaluate(() => document.documentElement.scrollHeight)
    const clip = { x: 0, y: 0, width, height: Math.min(pageHeight, tallest) }
    await page.screenshot({ path, fullPage: true, clip })
  }
  taken.pictures += 1
  if (!askedLooks.includes(look)) return
  for (const finding of await axeFindings(page)) taken.axe.push(`${lookName(look)}: ${finding}`)
}
