import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import type { App } from './app.ts'
import { journey } from './journey.ts'
import { alertSections } from './seed-alerts.ts'
import { names, seedExtremes } from './seed-extremes.ts'

const addClasses = '/class_tracker/add_classes/?page=2'

journey('many recipients fold to a line each, and a search shows their sections', seedExtremes, async ({ staff }) => {
  const visit = await staff(addClasses)
  const { page } = visit
  const card = page.getByRole('article', { name: names.chinese, exact: true })
  const rows = () => card.locator('.watched:visible').count()
  const toggle = card.getByRole('button', { name: /^\d+ watched for/ })
  expect(await rows()).toBe(0)
  expect(await toggle.getAttribute('aria-expanded')).toBe('false')
  await toggle.click()
  await expect.poll(rows).toBe(2)
  expect(await toggle.getAttribute('aria-expanded')).toBe('true')
  await visit.inspect('recipients that are folded, and one that is not')
  await toggle.click()
  expect(await rows()).toBe(0)

  await page.getByRole('searchbox').fill(names.chinese.slice(0, 20))
  await expect.poll(rows).toBe(2)
  expect(await toggle.count()).toBe(0)
})

journey('without JavaScript no section is folded away', seedExtremes, async ({ staff }) => {
  const { page } = await staff(addClasses, { javaScriptEnabled: false })
  const card = page.getByRole('article', { name: names.chinese, exact: true })
  expect(await card.locator('.watched:visible').count()).toBe(2)
})

/** Makes everyone watch a section, so that filtered lists have several pages. @returns its school and term */
async function watchedByAll(app: App): Promise<{ school: string; term: string }> {
  const { even } = await alertSections(app)
  await app.sql(
    'INSERT INTO watch (recipient_id, section_id, created_at, is_new) SELECT id, ?, 0, 0 FROM recipient WHERE id > 8',
    even.id,
  )
  const [found] = await app.sql<{ school: string; term: string }>(
    `SELECT school.name AS school, term.full_term_name AS term FROM section
      JOIN school_term ON school_term.id = section.school_term_id JOIN school ON school.id = school_term.school_id
      JOIN term ON term.id = school_term.term_id WHERE section.id = ?`,
    even.id,
  )
  if (!found) throw new Error('The section has no school.')
  return found
}

const filterNames = ['q', 'status', 'school_id', 'term_id'] as const
const filtersOf = (address: string) => filterNames.map((name) => new URL(address).searchParams.get(name) ?? '')

journey('watched sections are filtered without JavaScript, on every page', seedExtremes, async ({ app, staff }) => {
  const { school, term } = await watchedByAll(app)
  const visit = await staff('/class_tracker/add_classes/', { javaScriptEnabled: false })
  const { page } = visit
  const search = page.getByRole('button', { name: 'Search', exact: true })
  await page.getByRole('searchbox', { name: 'Search' }).fill('recipient')
  await page.getByRole('combobox', { name: 'School' }).selectOption(school)
  await page.getByRole('combobox', { name: 'Term' }).selectOption(term)
  await visit.follow(search)
  const asked = filtersOf(page.url())
  expect(asked).toEqual(['recipient', '', expect.stringMatching(/^\d+$/), expect.stringMatching(/^\d+$/)])
  await visit.inspect('filtered watched sections without JavaScript')
  await visit.follow(page.getByRole('link', { name: 'Next' }))
  await page.getByText('Page 2 of 2').waitFor()
  expect(filtersOf(page.url())).toEqual(asked)
  await page.getByRole('combobox', { name: 'Status' }).selectOption('Waitlisted')
  await visit.follow(search)
  await page.getByText('Nothing matches “recipient”.').waitFor()
  await visit.follow(page.getByRole('link', { name: 'Show all recipients' }))
  expect(filtersOf(page.url())).toEqual(['', '', '', ''])
})

journey('a filter narrows watched sections at once and stays in the address', seedExtremes, async ({ app, staff }) => {
  const { school } = await watchedByAll(app)
  const visit = await staff('/class_tracker/add_classes/')
  const { page } = visit
  const chosen = page.getByRole('combobox', { name: 'School' })
  await chosen.selectOption(school)
  await expect.poll(() => filtersOf(page.url())[2]).toMatch(/^\d+$/)
  await page.getByRole('combobox', { name: 'Status' }).selectOption('Waitlisted')
  await page.getByText('Nothing matches these filters.').waitFor()
  await visit.inspect('filters that nothing matches')
  await page.getByRole('combobox', { name: 'Status' }).selectOption('any')
  await page.getByRole('article').first().waitFor()
  await visit.open(new URL(page.url()).pathname + new URL(page.url()).search)
  expect(await chosen.locator(':checked').textContent()).toBe(school)
})

journey('one box selects all rows of a page of the admin', seedExtremes, async ({ staff }) => {
  const visit = await staff('/admin/recipients/')
  const { page } = visit
  const all = page.getByRole('checkbox', { name: 'Select all on this page' })
  const first = page.locator('tbody').getByRole('checkbox').first()
  const chosen = () => page.locator('tbody :checked').count()
  await all.check()
  expect(await chosen()).toBe(50)
  await first.uncheck()
  expect(await chosen()).toBe(49)
  expect(await all.evaluate((box) => box.matches(':indeterminate'))).toBe(true)
  await first.check()
  expect(await all.isChecked()).toBe(true)
  await visit.inspect('all rows of a page selected')
  await all.uncheck()
  expect(await chosen()).toBe(0)
})

journey('times are whole on pages whose scripts do not load', seedExtremes, async ({ staff }) => {
  const { page, context } = await staff(addClasses)
  await context.route('**/*.js', (route) => route.fulfill({ contentType: 'text/javascript', body: '' }))
  const cutOff = (of: Page) =>
    of
      .locator('time:visible, .watched-age:visible')
      .evaluateAll((times) => times.filter((time) => time.scrollWidth > time.clientWidth).map((time) => time.outerHTML))
  const paths = [addClasses, '/class_tracker/manage_course_list/', '/scheduler/queues/']
  await Promise.all(
    paths.map(async (path) => {
      const tab = await context.newPage()
      await tab.goto(new URL(path, page.url()).href)
      await tab.locator('time').first().waitFor()
      await expect.poll(() => cutOff(tab), { message: path }).toEqual([])
    }),
  )
})
