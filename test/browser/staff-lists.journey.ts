import { expect } from 'vitest'
import { journey } from './journey.ts'
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

journey('one box selects all rows of a page of the admin', seedExtremes, async ({ superuser }) => {
  const visit = await superuser('/admin/recipients/')
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
