import type { Locator } from 'playwright-core'
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

const texts = 'input.input:not([type]):not([name$="-search"]), textarea'
const isThere = async (locator: Locator): Promise<boolean> => (await locator.count()) > 0

/** Search, order and filter, each in an address that can be bookmarked. */
async function narrow({ page, follow }: Hands): Promise<void> {
  const search = page.getByRole('searchbox', { name: /^Search/ })
  if (await isThere(search)) {
    await search.fill('no such text anywhere')
    await Promise.all([page.waitForEvent('domcontentloaded'), search.press('Enter')])
    await page.getByText('No matches').waitFor()
    expect(await search.inputValue()).toBe('no such text anywhere')
    await follow(page.getByRole('link', { name: 'Clear' }))
  }
  const filter = page.locator('.admin-filters select:not(#order)').first()
  const order = page.locator('#order')
  const [isFiltered, isSorted] = [await isThere(filter), await isThere(order)]
  if (!isFiltered && !isSorted) return
  await page.locator('.admin-filters summary').click()
  if (isFiltered) await filter.selectOption({ index: 1 })
  if (isSorted) await order.selectOption({ index: 2 })
  await follow(page.getByRole('button', { name: 'Apply', exact: true }))
  const { searchParams } = new URL(page.url())
  if (isFiltered) {
    await page.getByRole('list', { name: 'Filters in use' }).getByRole('link', { name: 'Remove' }).waitFor()
    expect(searchParams.get((await filter.getAttribute('name')) ?? '')).toBe(await filter.inputValue())
  }
  if (isSorted) {
    expect(searchParams.get('sort')).toMatch(/^-/)
    expect(await order.inputValue()).toBe(searchParams.get('sort'))
  }
}

/** A number minus one, the next phone number, or a text with one more letter: as valid as before. */
function another(value: string): string {
  if (/^\d+$/.test(value)) return String(Number(value) - 1)
  const [, beginning = '', digit] = /^(\+\d+)(\d)$/.exec(value) ?? []
  return digit === undefined ? `${value}a` : `${beginning}${(Number(digit) + 1) % 10}`
}

/** Changes the first field that can be changed: a text, otherwise a checkbox, otherwise a select. */
async function touch({ page }: Hands): Promise<void> {
  const text = page.locator(`.admin-form :is(${texts})`).first()
  const box = page.locator('.admin-form input[type="checkbox"]').first()
  if (await isThere(text)) {
    await text.fill(another(await text.inputValue()))
  } else if (await isThere(box)) {
    await box.click()
  } else {
    await page.locator('.admin-form .field > select').first().selectOption({ index: 1 })
  }
}

/** A row: changed and saved if allowed, its history, and what a delete would include. */
async function look(hands: Hands, row: string): Promise<void> {
  const { page, follow, open } = hands
  const save = page.getByRole('button', { name: 'Save', exact: true })
  const mayChange = await isThere(save)
  if (mayChange) {
    await touch(hands)
    await follow(save)
    await page.getByText(/ was saved\.$/).waitFor()
    expect(new URL(page.url()).pathname).toBe(row)
  }
  const mayDelete = await isThere(page.locator('.admin-head a[href$="/delete/"]'))
  await follow(page.getByRole('link', { name: 'History', exact: true }))
  await page
    .getByText(mayChange ? 'Changed' : 'No changes yet')
    .first()
    .waitFor()
  if (!mayDelete) return
  await open(`${row}delete/`)
  await page.getByText('This cannot be undone').waitFor()
}

/** A form without a required value is refused with the reasons, and returned as typed. */
async function addNothing({ page, visit, follow, open }: Hands, list: string): Promise<void> {
  await open(`${list}add/`)
  const last = page.locator(`.admin-form :is(${texts})`).last()
  const hasText = await isThere(last)
  if (hasText) await last.fill('kept & <i>')
  visit.expectStatus(422)
  await follow(page.getByRole('button', { name: /^Add / }).last())
  await page.getByRole('alert').getByText('This was not saved.').waitFor()
  await page.getByText('This field is required.').first().waitFor()
  if (hasText) expect(await last.inputValue()).toBe('kept & <i>')
}

interface Hands {
  visit: Visit
  page: Visit['page']
  follow: (link: Locator) => Promise<void>
  open: (path: string) => Promise<void>
}

/** Nothing is wider than a desktop's or a phone's window, and axe finds nothing in this visit's theme. */
async function inspect(visit: Visit, state: string): Promise<void> {
  await visit.measure(state)
  expect(await axeFindings(visit.page), state).toEqual([])
}

const handsOf = (visit: Visit): Hands => ({
  visit,
  page: visit.page,
  follow: (link) => visit.follow(link),
  open: (path) => visit.open(path),
})

async function walkList(visit: Visit, name: string): Promise<void> {
  await visit.open(`/admin/${name}/`)
  await visit.page.locator('.admin-table tbody .row-name a').first().waitFor()
  await inspect(visit, `the list of ${name}`)
  await narrow(handsOf(visit))
}

async function walkRow(visit: Visit, name: string): Promise<void> {
  const list = `/admin/${name}/`
  await visit.open(list)
  const mayAdd = await isThere(visit.page.getByRole('main').getByRole('link', { name: /^Add / }))
  const first = visit.page.locator('.admin-table tbody .row-name a').first()
  const row = (await first.getAttribute('href')) ?? ''
  await visit.open(row)
  await inspect(visit, `a row of ${name}`)
  await look(handsOf(visit), row)
  if (mayAdd) await addNothing(handsOf(visit), list)
}

/**
 * Two visitors share the work, so that each table is seen on a desktop in light and on a phone in dark: its list by
 * one, its row by the other.
 */
const shares = 3
for (let share = 0; share < shares; share += 1) {
  journey(`a superuser uses every table of the admin, ${share + 1} of ${shares}`, seedTables, async (scene) => {
    const visits = await Promise.all([scene.staff('/admin/'), scene.staff('/admin/', { width: 390, isDark: true })])
    const names = (await tablesOf(visits[0])).filter((_, index) => index % shares === share)
    expect(names.length).toBeGreaterThan(0)
    await Promise.all(
      visits.map(async (visit, turn) => {
        for (const [index, name] of names.entries()) {
          await ((index + turn) % 2 === 0 ? walkList : walkRow)(visit, name)
        }
      }),
    )
  })
}
