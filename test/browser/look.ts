import AxeBuilder from '@axe-core/playwright'
import type { Page } from 'playwright-core'

const wcag = ['wcag2a', 'wcag2aa', 'wcag21aa', 'wcag22aa']

/** What of the page is wider than its window, in words; null when all of it fits. */
export function widerThanWindow(page: Page): Promise<string | null> {
  return page.evaluate(() => {
    const { scrollWidth = 0 } = document.scrollingElement ?? {}
    if (scrollWidth <= innerWidth) return null
    const isOver = (element: Element): boolean => element.getBoundingClientRect().right > innerWidth
    const over = [...document.body.querySelectorAll('*')].filter((element) => isOver(element))
    const names = over.map(({ tagName, className }) => `${tagName.toLowerCase()}.${String(className)}`)
    return `${scrollWidth} px wide: ${[...new Set(names)].slice(0, 12).join(', ')}`
  })
}

/** What axe finds on the page as it is now, one text for each broken rule with its first three places. */
export async function axeFindings(page: Page): Promise<string[]> {
  const { violations } = await new AxeBuilder({ page }).withTags(wcag).setLegacyMode(true).analyze()
  return violations.map(({ id, help, nodes }) => {
    const places = nodes.map(({ target, any }) => `${target.join(' ')} (${any.map((one) => one.message).join('; ')})`)
    return `${id}: ${help}\n    ${places.slice(0, 3).join('\n    ')}`
  })
}
