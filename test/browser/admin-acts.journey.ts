import { expect } from 'vitest'
import { DEMO_PHONE, SIGN_INS } from '../world/start/seed.ts'
import { journey } from './journey.ts'
import { sectionWithStatus, textsTo, watch } from './sections.ts'
import { seedCatalog, seedPeople } from './seed.ts'

journey('a superuser marks a section open, and its watchers are messaged', seedCatalog, async (scene) => {
  const { app } = scene
  const section = await sectionWithStatus(app, 'closed')
  await watch(app, 1, section)
  const visit = await scene.staff(`/admin/sections/${section.id}/`)
  const { page } = visit
  await visit.follow(page.getByRole('button', { name: 'Set status' }))
  await page.getByText('This is treated like an update from the school').waitFor()
  await page.getByLabel('Status').selectOption('open')
  await page.getByLabel('Free seats').fill('many')
  visit.expectStatus(422)
  await visit.follow(page.getByRole('button', { name: 'Set status' }))
  await page.getByRole('alert').getByText('Enter a whole number.').waitFor()
  await visit.inspect('a refused status')
  await page.getByLabel('Free seats').fill('3')
  await visit.follow(page.getByRole('button', { name: 'Set status' }))
  await page.getByText('1 section changed.').waitFor()
  await page.getByText('Seats over time').waitFor()
  await expect.poll(() => textsTo(app, DEMO_PHONE)).toHaveLength(1)
  const [text] = await textsTo(app, DEMO_PHONE)
  expect(text).toContain(` ${section.number}, 3 left.`)
})

journey('an older session confirms who it is before it makes a superuser', seedPeople, async (scene) => {
  const staff = await scene.staff('/admin/users/?q=student')
  const { page } = staff
  await scene.app.sql('UPDATE session SET authenticated_at = authenticated_at - 301000')
  await page.getByRole('link', { name: 'student', exact: true }).first().click()
  await page.getByLabel('Superuser').check()
  await page.getByLabel('Username').fill('student-two')
  await staff.follow(page.getByRole('button', { name: 'Save', exact: true }))
  await page.getByRole('heading', { name: 'Confirm access' }).waitFor()
  await staff.inspect('the question before a guarded change')
  await page.getByLabel('Password').fill(SIGN_INS[0].password)
  await staff.follow(page.getByRole('button', { name: 'Confirm' }))
  await page.getByText('student was saved.').waitFor()
  expect(await scene.app.sql("SELECT is_superuser FROM user WHERE username = 'student-two'")).toEqual([
    { is_superuser: 1 },
  ])
  const kinds = () => scene.app.sql("SELECT kind FROM mail WHERE kind = 'admin_change'")
  await expect.poll(async () => (await kinds()).length).toBeGreaterThan(0)
})
