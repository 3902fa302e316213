import { expect } from 'vitest'
import { member } from './directory.ts'
import { journey } from './journey.ts'
import { tabTo } from './keyboard.ts'
import { seedAlerts } from './seed-alerts.ts'
import { seedDirectory } from './seed-directory.ts'
import { seedPeople } from './seed.ts'

journey('staff reach everything with the keyboard alone', seedAlerts, async ({ app, staff }) => {
  const visit = await staff('/class_tracker/class_alerts/')
  const { page } = visit
  const where = (): string => page.url().slice(app.url.length)
  const palette = page.getByRole('dialog', { name: 'Search or jump to' })

  await page.getByRole('button', { name: 'Search or jump to' }).waitFor()
  await page.keyboard.press('/')
  expect(await page.evaluate(() => document.activeElement?.getAttribute('type'))).toBe('search')
  await page.keyboard.press('j')
  expect(await page.getByRole('searchbox', { name: 'Search' }).inputValue()).toBe('j')
  await page.getByRole('searchbox', { name: 'Search' }).fill('')
  await page.evaluate(() => (document.activeElement as HTMLElement).blur())

  await page.keyboard.press('?')
  await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor()
  await visit.inspect('the list of keys')
  await page.keyboard.press('Escape')

  await page.keyboard.press('Control+k')
  await palette.waitFor()
  await palette.getByRole('option', { name: /^Sections/ }).waitFor()
  await visit.inspect('the palette before anything is typed')
  await page.keyboard.type('robin')
  await palette.getByRole('option', { name: 'Robin Example' }).waitFor()
  await visit.inspect('the palette with a recipient')
  await page.keyboard.press('Enter')
  await page.waitForURL(/add_classes/)
  expect(where()).toBe('/class_tracker/add_classes/?q=Robin+Example')
  await page.getByRole('article', { name: 'Robin Example' }).waitFor()

  await page.getByRole('button', { name: 'Search or jump to' }).waitFor()
  await page.keyboard.press('g')
  await page.keyboard.press('s')
  await page.waitForURL(/scheduler\/queues/)
  await page.getByRole('button', { name: 'Search or jump to' }).waitFor()
  await page.keyboard.press('j')
  const first = await page.evaluate(() => document.activeElement?.textContent)
  await page.keyboard.press('j')
  expect(await page.evaluate(() => document.activeElement?.textContent)).not.toBe(first)
  await page.keyboard.press('k')
  expect(await page.evaluate(() => document.activeElement?.textContent)).toBe(first)

  await visit.open('/admin/recipients/')
  await page.keyboard.press('j')
  await page.keyboard.press('x')
  expect(await page.locator('tbody').getByRole('checkbox').first().isChecked()).toBe(true)
  await page.locator('.bulk-bar').waitFor()
  await visit.open('/class_tracker/class_alerts/')
  await visit.settle()
  await page.keyboard.press('j')
  await page.keyboard.press('.')
  await page.getByRole('link', { name: 'All alerts of this recipient' }).waitFor()
  await visit.open('/class_tracker/add_classes/')
  await visit.settle()
  await page.keyboard.press('n')
  const dialog = page.getByRole('dialog', { name: 'Add recipient' })
  await expect.poll(() => visit.focused()).toBe('Name')
  await page.keyboard.type('מיכל לוי')
  await tabTo(visit, dialog.locator('input[name="contact-new-number"]'))
  await page.keyboard.type('+1 202 555 0177')
  await page.keyboard.press('Enter')
  await dialog.waitFor({ state: 'detached' })
  await page.getByRole('article', { name: 'מיכל לוי' }).getByText('•••• 0177').waitFor()
})

journey(
  'the palette opens from its button, says if nothing matches, and returns the focus',
  seedPeople,
  async (scene) => {
    const visit = await scene.staff('/', { width: 390, isDark: true })
    const { page } = visit
    const button = page.getByRole('button', { name: 'Search or jump to' })
    await button.click()
    const palette = page.getByRole('dialog', { name: 'Search or jump to' })
    await palette.waitFor()
    await page.keyboard.type('zzzz')
    await palette.getByText('Nothing begins with “zzzz”.').waitFor()
    await visit.inspect('the palette on a phone')
    await page.keyboard.press('Escape')
    await palette.waitFor({ state: 'detached' })
    expect(await button.evaluate((element) => element === document.activeElement)).toBe(true)
  },
)

journey('keys that lead elsewhere decide no invite', seedDirectory, async (scene) => {
  await scene.app.sql(
    "UPDATE user SET is_superuser = 1 WHERE id IN (SELECT user_id FROM discord_user WHERE role = 'manager')",
  )
  const visit = await member(scene, 'manager', '/classcords/unapproved-invites/')
  const { page } = visit
  const pending = () => scene.app.sql("SELECT id FROM invite WHERE state = 'pending'")
  const before = await pending()
  await page.getByRole('button', { name: 'Search or jump to' }).waitFor()
  await page.keyboard.press('g')
  await page.keyboard.press('a')
  await page.waitForURL(/add_classes/)
  expect(await pending()).toEqual(before)
})
