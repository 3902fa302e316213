import { expect } from 'vitest'
import { journey } from './journey.ts'
import { chooseInMenu } from './row-menu.ts'
import { sectionWithStatus, watch } from './sections.ts'
import { seedCatalog } from './seed.ts'

journey('a recipient is edited, loses a contact, and is deleted', seedCatalog, async ({ app, staff }) => {
  await watch(app, 1, await sectionWithStatus(app, 'closed'))
  const visit = await staff('/class_tracker/add_classes/')
  const { page } = visit
  const dialog = page.getByRole('dialog', { name: 'Edit Robin Example' })
  const name = dialog.getByLabel('Name', { exact: true })
  const asking = page.getByRole('alertdialog')
  const edit = () => chooseInMenu(page, 'Edit')

  // A webhook's address is its password.
  await page.getByText(/^Discord webhook …\d{4}$/).waitFor()
  expect(await page.getByRole('main').getByText('/webhooks/').count()).toBe(0)

  // Nothing typed: Escape simply closes. The focus returns to where it was.
  await edit()
  await name.waitFor()
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'detached' })
  expect(await visit.focused()).toBe('More for Robin Example')

  // Something typed: it asks first, and Escape on the question discards nothing.
  await edit()
  await name.fill('Robin Renamed')
  await page.keyboard.press('Escape')
  await asking.getByText('Discard what you typed?').waitFor()
  await visit.inspect('the question before typed text is thrown away')
  await page.keyboard.press('Escape')
  await asking.waitFor({ state: 'detached' })
  expect(await name.inputValue()).toBe('Robin Renamed')
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await asking.getByRole('button', { name: 'Discard' }).click()
  await dialog.waitFor({ state: 'detached' })
  expect(await visit.focused()).toBe('More for Robin Example')
  expect(await app.sql('SELECT name FROM recipient')).toEqual([{ name: 'Robin Example' }])

  // A contact is removed after a confirmation, permanently.
  await edit()
  await dialog.getByRole('button', { name: 'Remove robin@example.com' }).click()
  await asking.getByRole('button', { name: 'Cancel' }).click()
  expect(await dialog.getByRole('button', { name: 'Remove robin@example.com' }).count()).toBe(1)
  await dialog.getByRole('button', { name: 'Remove robin@example.com' }).click()
  await asking.getByRole('button', { name: 'Remove contact' }).click()
  await asking.waitFor({ state: 'detached' })
  await dialog.getByRole('button', { name: 'Remove robin@example.com' }).waitFor({ state: 'detached' })
  expect(await visit.focused()).toBe('Contact info')

  await name.fill('Robin Renamed')
  await dialog.getByLabel('Allow Contact by Phone').uncheck()
  await dialog.getByRole('button', { name: 'Save changes' }).click()
  await dialog.waitFor({ state: 'detached' })
  const card = page.getByRole('article', { name: 'Robin Renamed' })
  await card.getByText('texts off').waitFor()
  await page.getByText('Robin Renamed was saved.').waitFor()
  expect(await card.getByText('robin@example.com').count()).toBe(0)
  await card.getByRole('list', { name: '2 contacts' }).waitFor()
  expect(await visit.focused()).toBe('More for Robin Renamed')
  await app.sql(`INSERT INTO recipient (name, created_at) VALUES ('Sam Example', 0)`)
  await page.reload()
  await visit.settle()
  await card.getByText('texts off').waitFor()

  // The recipient is deleted after a confirmation that counts what is deleted along with it.
  await chooseInMenu(card, 'Remove')
  await asking.getByText('Also deletes 1 watched section and 2 contacts.').waitFor()
  await asking.getByRole('button', { name: 'Cancel' }).click()
  await asking.waitFor({ state: 'detached' })
  expect(await visit.focused()).toBe('More for Robin Renamed')
  await chooseInMenu(card, 'Remove')
  await asking.getByRole('button', { name: 'Remove recipient' }).click()
  await page.getByText('Robin Renamed was removed.').waitFor()
  // The pressed button is gone, so the focus is on what is next to it or around it.
  await card.waitFor({ state: 'detached' })
  expect(await visit.focused()).toBe('Sam Example')
  await chooseInMenu(page, 'Remove')
  await asking.getByRole('button', { name: 'Remove recipient' }).click()
  await page.getByRole('heading', { name: 'No recipients found' }).waitFor()
  expect(await page.getByRole('main').getByRole('heading', { name: 'No recipients found' }).count()).toBe(1)
  expect(await visit.focused()).toBe('Add Classes')
  await visit.inspect('Add Classes without a recipient')
  expect(await app.sql('SELECT (SELECT count(*) FROM contact) + (SELECT count(*) FROM watch) AS left_over')).toEqual([
    { left_over: 0 },
  ])
})

journey(
  'an invitation that cannot be copied stays selected, and keeps the focus only once',
  seedCatalog,
  async ({ staff }) => {
    const path = '/class_tracker/add_classes/'
    const visit = await staff(path)
    const { page, clock } = visit
    await clock.install()
    await page.addInitScript(() => {
      navigator.clipboard.writeText = () => Promise.reject(new Error('not allowed'))
    })
    await visit.open(path)
    await chooseInMenu(page, 'Copy invitation')
    const dialog = page.getByRole('dialog', { name: 'Invite Robin Example' })
    await dialog.getByRole('button', { name: 'Copy the invitation' }).click()
    await expect.poll(() => visit.focused()).toBe('the invitation')
    expect(await page.evaluate(() => getSelection()?.toString())).toContain('/r/1.')

    // The page keeps up with the server meanwhile.
    await dialog.getByRole('button', { name: 'Done' }).focus()
    const news = page.waitForResponse((answer) => answer.url().endsWith(path))
    await clock.fastForward(16_000)
    await (await news).finished()
    await page.evaluate(() => new Promise(requestAnimationFrame))
    expect(await visit.focused()).toBe('Done')
  },
)
