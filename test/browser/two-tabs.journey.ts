import { expect } from 'vitest'
import { journey } from './journey.ts'
import { chooseInMenu } from './row-menu.ts'
import { sectionWithStatus } from './sections.ts'
import { knownSubject, seedCatalog, seedPeople } from './seed.ts'

const path = '/class_tracker/add_classes/'
const untilNews = 16_000

journey('logging out in one tab shows in the other, and nothing typed is lost', seedPeople, async ({ app, staff }) => {
  const visit = await staff('/class_tracker/')
  const { page, clock } = visit
  await clock.install()
  await visit.open(path)
  await page.getByRole('button', { name: 'Add recipient' }).click()
  const dialog = page.getByRole('dialog', { name: 'Add recipient' })
  await dialog.getByLabel('Name', { exact: true }).fill('Sam Okafor')

  const other = await visit.tab()
  await other.open('/class_tracker/logout_view/')
  await other.follow(other.page.getByRole('main').getByRole('button', { name: 'Log Out' }))
  await other.page.getByText('You have signed out.').waitFor()
  await other.page.close()

  visit.expectStatus(403)
  visit.expectStatus(401)
  const save = dialog.getByRole('button', { name: 'Add recipient' })
  await save.click()
  await dialog.getByRole('alert').getByText('You are logged out. Log in again in another tab').waitFor()
  expect(await dialog.getByLabel('Name', { exact: true }).inputValue()).toBe('Sam Okafor')
  await visit.inspect('a form of somebody who is logged out')
  await clock.fastForward(untilNews)
  const inNewTab = dialog.getByRole('link', { name: 'Log in again (opens a new tab)' })
  const logInPage = `/class_tracker/login_view/?${new URLSearchParams({ next: path })}`
  expect(await inNewTab.getAttribute('href')).toBe(logInPage)
  const logIn = page.getByRole('link', { name: 'Log in again', exact: true, includeHidden: true })
  await logIn.waitFor({ state: 'attached' })
  expect(await logIn.getAttribute('href')).toBe(logInPage)

  const again = await visit.tab()
  await again.logIn('admin')
  await again.page.close()
  await save.click()
  await dialog.waitFor({ state: 'detached' })
  await page.getByRole('article', { name: 'Sam Okafor' }).waitFor()
  await clock.fastForward(untilNews)
  await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')))
  await page.getByText('Live', { exact: true }).waitFor()

  await app.sql('DELETE FROM session')
  await chooseInMenu(page.getByRole('article', { name: 'Sam Okafor' }), 'Remove')
  const question = page.getByRole('alertdialog', { name: 'Remove Sam Okafor?' })
  await question.getByRole('button', { name: 'Remove recipient' }).click()
  await question.getByRole('link', { name: 'Log in again (opens a new tab)' }).waitFor()
})

journey('pressing twice adds once', seedCatalog, async ({ app, staff }) => {
  const section = await sectionWithStatus(app, 'closed')
  const known = knownSubject(app)
  const visit = await staff(path)
  const { page } = visit
  const posted: string[] = []
  page.on('request', (request) => {
    if (request.method() === 'POST') posted.push(new URL(request.url()).pathname)
  })
  await page.getByRole('button', { name: 'Add recipient' }).click()
  const adding = page.getByRole('dialog', { name: 'Add recipient' })
  await adding.getByLabel('Name', { exact: true }).fill('Sam Okafor')
  await adding.getByRole('button', { name: 'Add recipient' }).dblclick()
  await adding.waitFor({ state: 'detached' })
  expect(await page.getByRole('article', { name: 'Sam Okafor' }).count()).toBe(1)

  // And one press is enough, even if an open list collapses under the pointer.
  const dialog = page.getByRole('dialog', { name: 'Watch a section' })
  await page.getByRole('button', { name: 'Add section for Sam Okafor' }).click()
  await dialog.getByRole('option').first().waitFor()
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await dialog.waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Add section for Sam Okafor' }).click()
  await dialog.getByText('Sam Okafor has no contact info, so no one will be notified').waitFor()
  for (const [level, chosen] of [
    ['School', known.school],
    ['Term', known.term],
    ['Subject', known.subject],
    ['Section', section.number],
  ] as const) {
    await dialog.getByRole('combobox', { name: level }).fill(chosen)
    await dialog.getByRole('option').filter({ hasText: chosen }).click()
  }
  await dialog.getByRole('button', { name: 'Add section' }).dblclick()
  await dialog.waitFor({ state: 'detached' })
  await page.getByRole('article', { name: 'Sam Okafor' }).getByText(section.number).waitFor()
  expect(posted).toHaveLength(2)
  expect(await app.sql('SELECT 1 FROM watch')).toHaveLength(1)
  expect(await app.sql("SELECT 1 FROM recipient WHERE name = 'Sam Okafor'")).toHaveLength(1)
})
