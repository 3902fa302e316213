import { expect } from 'vitest'
import type { App } from './app.ts'
import { journey } from './journey.ts'
import { alertSections } from './seed-alerts.ts'
import { names, seedExtremes } from './seed-extremes.ts'
import type { Visit } from './visit.ts'

const addClasses = '/class_tracker/add_classes/?page=2'

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

/** Names are shown as people have them. */
async function readNames({ page }: Visit): Promise<void> {
  for (const name of Object.values(names)) {
    const card = page.getByRole('article', { name, exact: true })
    expect(await card.getByRole('heading').innerText()).toBe(name.trim().replaceAll(/\s+/g, ' '))
  }
}

async function filterAtOnce(app: App, visit: Visit): Promise<void> {
  const { school } = await watchedByAll(app)
  const { page } = visit
  await visit.open('/class_tracker/add_classes/')
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
}

journey('many recipients fold to a line each, are searched and filtered', seedExtremes, async ({ app, staff }) => {
  const visit = await staff(addClasses)
  const { page } = visit
  await readNames(visit)
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
  await filterAtOnce(app, visit)
})

journey('an update that began before a search does not replace its result', seedExtremes, async ({ staff }) => {
  const path = '/class_tracker/add_classes/'
  const { page } = await staff(path)
  let release = (): void => undefined
  const held = new Promise<void>((resolve) => (release = resolve))
  await page.route(`**${path}`, (route) => held.then(() => route.continue()))
  // The update begins while the search waits for more letters.
  await page.evaluate(() => {
    document.addEventListener('input', () => window.dispatchEvent(new Event('online')), { once: true })
  })
  const update = page.waitForResponse((response) => new URL(response.url()).search === '')
  await page.getByRole('searchbox').fill(names.chinese.slice(0, 20))
  const shown = () => page.getByRole('article').count()
  await expect.poll(shown).toBe(1)
  release()
  await (await update).finished()
  await page.evaluate(() => new Promise(requestAnimationFrame))
  expect(await shown()).toBe(1)
})

journey('watched sections are filtered without JavaScript, on every page', seedExtremes, async ({ app, staff }) => {
  const { school, term } = await watchedByAll(app)
  const visit = await staff('/class_tracker/add_classes/', { javaScriptEnabled: false })
  const { page } = visit
  // No section is folded away.
  const watched = page.locator('.watched')
  expect(await watched.count()).toBeGreaterThan(24)
  expect(await watched.filter({ visible: false }).count()).toBe(0)
  // Only what works is shown.
  expect(await page.getByRole('button', { name: /Add recipient|Add section|^More/ }).count()).toBe(0)
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

/** Of a page whose scripts do not load. */
async function readTimes({ page }: Visit, path: string): Promise<void> {
  await page.goto(path)
  await page.locator('time').first().waitFor()
  // They wrap five seconds later, which need not pass.
  const waits = await page.evaluate(() =>
    document
      .getAnimations()
      .filter((one) => one instanceof CSSAnimation && one.animationName === 'wrap')
      .map((one) => {
        one.finish()
        return one.effect?.getTiming().delay
      }),
  )
  expect(new Set(waits), path).toEqual(new Set([5000]))
  const cutOff = () =>
    page
      .locator('time:visible, .watched-age:visible')
      .evaluateAll((times) => times.filter((time) => time.scrollWidth > time.clientWidth).map((time) => time.outerHTML))
  await expect.poll(cutOff, { message: path }).toEqual([])
}

journey(
  'one box selects all rows of a page, and times are whole before any script',
  seedExtremes,
  async ({ staff }) => {
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
    await all.uncheck()
    expect(await chosen()).toBe(0)

    await page.route('**/*.js', (route) => route.fulfill({ contentType: 'text/javascript', body: '' }))
    for (const path of [addClasses, '/class_tracker/manage_course_list/', '/scheduler/queues/'])
      await readTimes(visit, path)
  },
)
