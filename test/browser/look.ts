import type { Page } from 'playwright-core'
import { loadAxe } from './axe-script.ts'

const wcag = ['wcag2a', 'wcag2aa', 'wcag21aa', 'wcag22aa']

/** A phone and a desktop at 200 % zoom. */
export const zoomedSizes = [
  { width: 195, height: 422 },
  { width: 640, height: 400 },
]

/** What in an open dialog is wider than it, or on the page wider than its window; null if everything fits. */
export function whatIsTooWide(page: Page): Promise<string | null> {
  return page.evaluate(() => {
    const isScrolled = (element: Element): boolean =>
      element.scrollWidth > element.clientWidth + 1 && getComputedStyle(element).overflowX === 'auto'
    const scrolled = [...document.querySelectorAll('dialog[open], dialog[open] *')].find(isScrolled)
    if (scrolled) return `a dialog whose ${scrolled.tagName.toLowerCase()}.${scrolled.className} is scrolled sideways`
    const { scrollWidth = 0 } = document.scrollingElement ?? {}
    if (scrollWidth <= innerWidth) return null
    const isOver = (element: Element): boolean => element.getBoundingClientRect().right > innerWidth
    const over = [...document.body.querySelectorAll('*')].filter((element) => isOver(element))
    const names = over.map(({ tagName, className }) => `${tagName.toLowerCase()}.${String(className)}`)
    return `${scrollWidth} px wide: ${[...new Set(names)].slice(0, 12).join(', ')}`
  })
}

/**
 * Waits until no color, size or position on the page is changing; endless animations (a spinner) and those without a
 * duration are not waited for. Returns how many changes there were to wait for.
 */
export function settledStyle(page: Page): Promise<number> {
  return page.evaluate(async () => {
    const changing = (): Animation[] =>
      document.getAnimations().filter(({ playState, effect }) => {
        const { endTime, duration } = effect?.getComputedTiming() ?? {}
        return playState === 'running' && endTime !== Infinity && duration !== 0
      })
    let count = 0
    // The end of one change may start the next, and an interrupted one ends with an error.
    for (let present = changing(); present.length > 0; present = changing()) {
      count += present.length
      await Promise.allSettled(present.map(({ finished }) => finished))
    }
    return count
  })
}

/**
 * What axe finds on the page once it is still, one text per broken rule with its first three places. Nobody can reach
 * what is behind modal dialogs, so it is not searched again for each of them.
 */
export async function axeFindings(page: Page): Promise<string[]> {
  await settledStyle(page)
  await loadAxe(page)
  const violations = await page.evaluate(async (tags) => {
    const modals = [...document.querySelectorAll<HTMLElement>('dialog[open]:modal')]
    // What passed is neither described nor transferred.
    const found = await window.axe.run(modals.length > 0 ? { include: modals } : document, {
      runOnly: tags,
      resultTypes: ['violations'],
    })
    return found.violations
  }, wcag)
  return violations.map(({ id, help, nodes }) => {
    const places = nodes.map(({ target, any }) => `${target.join(' ')} (${any.map((one) => one.message).join('; ')})`)
    return `${id}: ${help}\n    ${places.slice(0, 3).join('\n    ')}`
  })
}

/** A shift of more than this is visible. */
export const mostShift = 0.01

/** How much of the page's content has moved since it was opened, without user input: the sum of its layout shifts. */
export function layoutShift(page: Page): Promise<number> {
  return page.evaluate(() => {
    const observer = new PerformanceObserver(() => undefined)
    observer.observe({ type: 'layout-shift', buffered: true })
    // Buffered entries are in its queue at once.
    const entries = observer.takeRecords()
    observer.disconnect()
    return entries.reduce((sum, entry) => {
      const { value = 0, hadRecentInput = false } = entry as { value?: number; hadRecentInput?: boolean }
      return hadRecentInput ? sum : sum + value
    }, 0)
  })
}
