import { expect } from 'vitest'
import { journey } from './journey.ts'
import { axeFindings } from './look.ts'
import { seedTables } from './seed-tables.ts'
import type { Visit } from './visit.ts'

/** The tables as listed on the front page, so that new ones are tested as well. */
async function tablesOf({ page }: Visit): Promise<string[]> {
  const data: { props: { tables: { name: string }[] } } = JSON.parse(
    (await page.locator('#page-data').textContent()) ?? '',
  )
  return data.props.tables.map(({ name }) => name)
}

/**
 * A table's list, or the row it names first: nothing is wider than a desktop's or a phone's window, and axe finds nothing
 * in this visit's theme. What their forms do is tested without a browser.
 */
async function open(visit: Visit, name: string, what: 'list' | 'row'): Promise<void> {
  await visit.open(`/admin/${name}/`)
  const row = visit.page.locator('.admin-table tbody .row-name a').first()
  await row.waitFor()
  if (what === 'row') await visit.open((await row.getAttribute('href')) ?? '')
  const state = `a ${what} of ${name}`
  await visit.measure(state)
  expect(await axeFindings(visit.page), state).toEqual([])
}

/**
 * Two visitors share the work, so that each table is seen on a desktop in light and on a phone in dark: its list by
 * one, its row by the other.
 */
journey('a superuser opens every table of the admin', seedTables, async (scene) => {
  const visits = await Promise.all([scene.staff('/admin/'), scene.staff('/admin/', { width: 390, isDark: true })])
  const names = await tablesOf(visits[0])
  expect(names.length).toBeGreaterThan(20)
  await Promise.all(
    visits.map(async (visit, turn) => {
      for (const [index, name] of names.entries()) await open(visit, name, (index + turn) % 2 === 0 ? 'list' : 'row')
    }),
  )
})

journey('a list of the admin is searched, filtered and sorted', seedTables, async ({ staff }) => {
  const visit = await staff('/admin/sections/')
  const { page } = visit
  const search = page.getByRole('searchbox', { name: /^Search/ })
  await search.fill('no such text anywhere')
  await Promise.all([page.waitForEvent('domcontentloaded'), search.press('Enter')])
  await page.getByText('No matches').waitFor()
  expect(await search.inputValue()).toBe('no such text anywhere')
  await visit.follow(page.getByRole('link', { name: 'Clear' }))
  await page.locator('.admin-filters summary').click()
  const [filter, order] = [page.locator('.admin-filters select:not(#order)').first(), page.locator('#order')]
  await filter.selectOption({ index: 1 })
  await order.selectOption({ index: 2 })
  await visit.follow(page.getByRole('button', { name: 'Apply', exact: true }))
  await page.getByRole('list', { name: 'Filters in use' }).getByRole('link', { name: 'Remove' }).waitFor()
  // The address can be bookmarked.
  const { searchParams } = new URL(page.url())
  expect(searchParams.get((await filter.getAttribute('name')) ?? '')).toBe(await filter.inputValue())
  expect(searchParams.get('sort')).toMatch(/^-/)
  expect(await order.inputValue()).toBe(searchParams.get('sort'))
})
