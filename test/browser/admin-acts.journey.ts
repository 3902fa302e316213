import { expect } from 'vitest'
import { DEMO_PHONE, SIGN_INS } from '../world/start/seed.ts'
import { journey } from './journey.ts'
import { sectionWithStatus, textsTo, watch } from './sections.ts'
import { seedDirectory } from './seed-directory.ts'
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

  await visit.open(`/admin/sections/${section.id}/delete/`)
  await page.getByText(/^Alerts:/).waitFor()
  await page.getByText(/^Watches:/).waitFor()
  await visit.inspect('what is deleted together with a section')
  await visit.open('/admin/audit/?table_name=section&act=changed')
  await page.getByText('1 audit entry', { exact: true }).waitFor()
})

journey('a disabled user is logged out at once, in every tab', seedPeople, async (scene) => {
  const student = await scene.visit()
  await student.signIn('student', '/accounts/login/')
  const tab = await student.tab()
  await tab.open('/accounts/')
  expect(new URL(tab.page.url()).pathname).toBe('/accounts/')

  const staff = await scene.staff('/admin/users/?q=student')
  const { page } = staff
  await page.getByRole('checkbox', { name: 'Select student' }).check()
  await staff.follow(page.getByRole('button', { name: 'Disable', exact: true }))
  await staff.inspect('the question before disabling')
  await staff.follow(page.getByRole('button', { name: 'Disable', exact: true }))
  await page.getByText('1 user disabled and logged out everywhere.').waitFor()

  for (const visit of [student, tab]) {
    await visit.open('/accounts/')
    expect(new URL(visit.page.url()).pathname).toBe('/accounts/login/')
  }
  await staff.open('/admin/users/?q=admin')
  await page.getByRole('checkbox', { name: 'Select admin' }).check()
  await staff.follow(page.getByRole('button', { name: 'Disable', exact: true }))
  await staff.follow(page.getByRole('button', { name: 'Disable', exact: true }))
  await page.getByText('You cannot disable your own account. Ask another superuser.').waitFor()
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

journey('a superuser approves an invite once', seedDirectory, async (scene) => {
  const [invite] = await scene.app.sql<{ id: number; code: string }>(
    "SELECT id, code FROM invite WHERE state = 'pending' ORDER BY id DESC LIMIT 1",
  )
  const visit = await scene.staff('/admin/invites/?state=pending')
  const { page } = visit
  const row = page.getByRole('row').filter({ has: page.locator(`a[href="/admin/invites/${invite?.id}/"]`) })
  const late = await visit.tab()
  await late.open(`/admin/invites/${invite?.id}/`)
  await row.getByRole('checkbox').check()
  await visit.follow(page.getByRole('button', { name: 'Approve' }))
  await page.getByText('1 invite approved.').waitFor()
  expect(await row.count()).toBe(0)
  await visit.open(`/admin/invites/${invite?.id}/`)
  await page.getByText('Approved', { exact: true }).first().waitFor()
  expect(await page.getByRole('button', { name: 'Approve' }).count()).toBe(0)
  await late.follow(late.page.getByRole('button', { name: 'Approve' }))
  await late.page
    .getByText(/already/i)
    .first()
    .waitFor()
  await late.inspect('an invite that was approved before')
  expect(await scene.app.sql('SELECT state FROM invite WHERE id = ?', invite?.id)).toEqual([{ state: 'approved' }])
})
