import { expect } from 'vitest'
import { journey } from './journey.ts'
import { chooseInMenu } from './row-menu.ts'
import { names, seedExtremes } from './seed-extremes.ts'

// At 200 % zoom these screens are among those of `zoom`.
journey('unusual names fit on every screen', seedExtremes, async ({ staff }) => {
  const visit = await staff('/class_tracker/add_classes/')
  const { page } = visit
  const dialog = page.locator('dialog[open]:not(.message)')
  expect(await page.getByRole('article').count()).toBe(25)
  await page.getByText('Page 1 of 3').waitFor()
  await visit.measure('25 recipients')
  // Those with unusual names were added first.
  await visit.open('/class_tracker/add_classes/?page=2')
  await visit.measure('recipients with difficult names')
  for (const name of Object.values(names)) {
    const card = page.getByRole('article', { name, exact: true })
    await card.scrollIntoViewIfNeeded()
    expect(await card.getByRole('heading').innerText()).toBe(name.trim().replaceAll(/\s+/g, ' '))
  }

  const card = page.getByRole('article', { name: names.endless, exact: true })
  await chooseInMenu(card, 'Edit')
  await dialog.getByLabel('Name', { exact: true }).waitFor()
  await visit.measure('the form of a difficult name')
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'detached' })
  await chooseInMenu(card, 'Remove')
  await dialog.waitFor()
  await visit.measure('the question about a difficult name')
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'detached' })
  await card.getByRole('button', { name: /^\d+ watched for/ }).click()
  await card.getByRole('listitem').getByRole('button', { name: names.endless }).first().click()
  await dialog.getByText('Free seats, last 7 days').waitFor()
  await visit.measure('the details of a difficult section')
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'detached' })

  await page.getByRole('searchbox').fill('recipient 2')
  await expect.poll(() => page.getByRole('article').count()).toBe(13)
  await page.getByRole('searchbox').fill('nobody at all')
  await page.getByText('Nothing matches “nobody at all”.').waitFor()
  await visit.open('/class_tracker/add_classes/?page=3')
  await page.getByRole('article', { name: 'Robin Example' }).waitFor()

  await visit.open('/class_tracker/class_alerts/')
  await visit.measure('alerts with difficult names')
  await visit.open('/class_tracker/manage_course_list/')
  await visit.measure('sources with difficult names')
})
