import type { Locator, Page } from 'playwright-core'
import type { Visit } from './visit.ts'

/** More stops than any page of the journeys has. */
const MAX_STOPS = 120

/** What keyboard users cannot see about where they are; null if they see it. */
function unseenFocus(page: Page): Promise<string | null> {
  return page.evaluate(() => {
    const { activeElement: at } = document
    if (at === null || at === document.body) return null
    const { left, right, top, bottom, width, height } = at.getBoundingClientRect()
    const isThere = (x: number): boolean => {
      const shown = document.elementFromPoint(left + width * x, top + height / 2)
      // A control may be drawn by its label, and a link by the card around it.
      const labels = at instanceof HTMLInputElement ? [...(at.labels ?? [])] : []
      return shown !== null && [at, ...labels].some((one) => one.contains(shown) || shown.contains(one))
    }
    const drawn = [at, at.parentElement, at.parentElement?.parentElement, at.closest('article, li')]
      .filter((one) => one instanceof Element)
      .flatMap((one) => [getComputedStyle(one), getComputedStyle(one, '::after')])
    const hasRing = drawn.some(({ outlineStyle, outlineWidth, boxShadow }) => {
      return (outlineStyle !== 'none' && outlineWidth !== '0px') || boxShadow !== 'none'
    })
    const isInside = bottom > 0 && top < innerHeight && right > 0 && left < innerWidth
    const name = `${at.tagName.toLowerCase()} “${(at.getAttribute('aria-label') ?? at.textContent).trim()}”`
    if (!isInside) return `${name} has the focus outside of the window`
    if (![0.5, 0.1, 0.9].some(isThere)) return `${name} has the focus beneath something else`
    return hasRing ? null : `${name} has the focus without a ring`
  })
}

/**
 * Presses Tab until this has the focus, unless it has it already. Every stop on the way must be visible: in the window,
 * uncovered and with a focus ring.
 */
export async function tabTo(visit: Visit, goal: string | RegExp | Locator): Promise<void> {
  const isReached = async (): Promise<boolean> => {
    if (typeof goal === 'string') return (await visit.focused()) === goal
    if (goal instanceof RegExp) return goal.test(await visit.focused())
    return goal.evaluate((element) => element === document.activeElement)
  }
  for (let stops = 0; stops < MAX_STOPS; stops += 1) {
    if (await isReached()) return
    await visit.page.keyboard.press('Tab')
    const unseen = await unseenFocus(visit.page)
    if (unseen !== null) throw new Error(`At ${new URL(visit.page.url()).pathname} ${unseen}.`)
  }
  throw new Error(`The Tab key never reaches ${String(goal)}.`)
}

/** Tabs to something and presses Enter on it. */
export async function enter(visit: Visit, goal: string | RegExp | Locator): Promise<void> {
  await tabTo(visit, goal)
  await visit.page.keyboard.press('Enter')
}

/** The same for a link to another page, and waits for that page. */
export async function enterPage(visit: Visit, goal: string | RegExp | Locator): Promise<void> {
  await tabTo(visit, goal)
  await Promise.all([visit.page.waitForEvent('domcontentloaded'), visit.page.keyboard.press('Enter')])
  await visit.settle()
}
