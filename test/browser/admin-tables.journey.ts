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
 * Nothing is wider than a desktop's or a phone's window, and axe finds nothing in this visit's theme. What their forms do
 * is tested without a browser.
 */
async function inspect(visit: Visit, state: string): Promise<void> {
  await visit.measure(state)
  expect(await axeFindings(visit.page), state).toEqual([])
}

/** @returns the address of the row that the list names first */
async function inspectList(visit: Visit, name: string): Promise<string> {
  await visit.open(`/admin/${name}/`)
  const row = visit.page.locator('.admin-table tbody .row-name a').first()
  await row.waitFor()
  await inspect(visit, `a list of ${name}`)
  return (await row.getAttribute('href')) ?? ''
}

async function searchAndFilter(visit: Visit): Promise<void> {
  const { page } = visit
  await visit.open('/admin/sections/')
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
}

/**
 * Two visitors share the work, so that each table is seen on a desktop in light and on a phone in dark: its list by
 * one, its row by the other.
 */
journey('a superuser opens every table of the admin, searches, filters and sorts', seedTables, async (scene) => {
  const visits = await Promise.all([scene.staff('/admin/'), scene.staff('/admin/', { width: 390, isDark: true })])
  const [desk] = visits
  const names = await tablesOf(desk)
  expect(names.length).toBeGreaterThan(20)
  const rows = await Promise.all(
    visits.map(async (visit, turn) => {
      const found = new Map<string, string>()
      for (const name of names.filter((_, index) => index % 2 === turn)) found.set(name, await inspectList(visit, name))
      return found
    }),
  )
  await Promise.all(
    visits.toReversed().map(async (visit, turn) => {
      for (const [name, address] of rows[turn] ?? []) {
        await visit.open(address)
        await inspect(visit, `a row of ${name}`)
      }
    }),
  )
  await searchAndFilter(desk)
})
