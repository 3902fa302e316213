import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { journey } from './journey.ts'
import { settledStyle } from './look.ts'
import { seedAlerts } from './seed-alerts.ts'

/** A4 upright without its margins, in CSS pixels. */
const paper = 718

/** Controls whose edges are visible only by their background, which forced colors remove. */
function withoutEdge(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const hasEdge = (one: Element): boolean => {
      const { borderTopWidth, borderTopStyle, borderTopColor, outlineStyle, backgroundColor } = getComputedStyle(one)
      const isDrawn = borderTopWidth !== '0px' && borderTopStyle !== 'none' && borderTopColor !== backgroundColor
      return isDrawn || outlineStyle !== 'none'
    }
    return [...document.querySelectorAll('.button:not(.button-quiet), .input, select, textarea')]
      .filter((one) => one.checkVisibility({ opacityProperty: true, visibilityProperty: true }))
      .filter((one) => one.getBoundingClientRect().width > 4 && !hasEdge(one) && !hasEdge(one.parentElement ?? one))
      .map((one) => `${one.tagName} ${one.className}`)
  })
}

journey(
  'printed pages are dark on white and as wide as the paper, and forced colors keep edges',
  seedAlerts,
  async ({ staff }) => {
    const visit = await staff('/class_tracker/', { width: paper, isDark: true })
    const { page } = visit
    const pages = [
      '/scheduler/queues/',
      '/admin/sections/',
      '/admin/alerts/',
      '/class_tracker/add_classes/',
      '/class_tracker/class_alerts/',
      '/class_tracker/manage_course_list/',
    ]
    for (const path of pages) {
      await visit.open(path)
      await page.emulateMedia({ media: 'print' })
      await settledStyle(page)
      const printed = await page.evaluate(() => {
        const cellsOf = (row: Element | null | undefined) =>
          [...(row?.children ?? [])].filter((cell) => cell.checkVisibility()).length
        return {
          scheme: getComputedStyle(document.body).colorScheme,
          wider: [...document.querySelectorAll('body *')]
            .filter((one) => one.checkVisibility() && one.getBoundingClientRect().right > innerWidth + 1)
            .map((one) => `${one.tagName} ${one.className} ${one.textContent.slice(0, 30)}`),
          buttons: [...document.querySelectorAll('.navbar, .button')].filter((one) => one.checkVisibility()).length,
          uneven: [...document.querySelectorAll('main table')].filter((table) => {
            const row = table.querySelector('tbody tr')
            return row !== null && cellsOf(row) !== cellsOf(table.querySelector('thead tr'))
          }).length,
        }
      })
      expect(printed, path).toEqual({ scheme: 'light', wider: [], buttons: 0, uneven: 0 })
      await page.emulateMedia({ media: 'screen', forcedColors: 'active' })
      expect(await withoutEdge(page), path).toEqual([])
      await page.emulateMedia({ forcedColors: 'none' })
    }
  },
)
