import { expect } from 'vitest'
import { cardOf, closeDialog, dialogOf, member, placeOf, visitor } from './directory.ts'
import { journey } from './journey.ts'
import { enter, enterPage, tabTo } from './keyboard.ts'
import { names } from './seed-extremes.ts'
import { seedDifficultDirectory, seedDirectory } from './seed-directory.ts'
import type { Visit, VisitOptions } from './visit.ts'

journey('a superuser sees every server but reviews none; the keyboard is enough', seedDirectory, async (scene) => {
  const staff = await visitor(scene, { width: 390, isDark: true })
  await staff.signIn('admin', '/accounts/login/?next=/classcords/')
  expect(placeOf(staff)).toBe('/classcords/')
  expect(await staff.page.locator('.locked').count()).toBe(14)
  expect(await staff.page.getByText('awaiting approval').count()).toBe(0)
  expect(await staff.page.getByRole('button', { name: 'Add Discord Invite' }).count()).toBe(0)
  await staff.page.getByRole('button', { name: 'Account of admin' }).click()
  expect(await staff.page.locator('#profile-menu a').allInnerTexts()).toEqual(['Home', 'Admin'])
  await staff.page.keyboard.press('Escape')
  await staff.follow(staff.page.getByRole('link', { name: 'Explore All Class Servers' }).first())
  expect(await staff.page.getByText('You see public servers only.').count()).toBe(0)
  const [hidden] = await scene.app.sql<{ id: number }>("SELECT id FROM discord_server WHERE privacy_level = 'private'")
  await staff.open(`/classcords/server/${hidden?.id}/`)
  await staff.page.getByRole('link', { name: 'Join' }).waitFor()
  await staff.inspect('a private server as a superuser sees it')
  staff.expectStatus(403)
  staff.expectStatus(404)
  for (const path of ['unapproved-invites', 'referrals', 'notices', 'profile']) await staff.open(`/classcords/${path}/`)

  const student = await member(scene, 'regular', '/classcords/', { width: 390 })
  const { page } = student
  staff.expectStatus(403)
  await enter(student, 'Campus Commons')
  await dialogOf(student).getByRole('link', { name: 'Join' }).waitFor()
  await tabTo(student, /^Copy/)
  await closeDialog(student)
  expect(await student.focused()).toBe('Campus Commons')
  await expect.poll(() => placeOf(student)).toBe('/classcords/')
  await student.open('/classcords/all/')
  await enter(student, 'Subject')
  await tabTo(student, page.getByRole('combobox', { name: 'Subject' }))
  await page.keyboard.type('comp')
  await page.getByRole('option', { name: 'Computer Science' }).waitFor()
  await page.keyboard.press('Enter')
  await page.getByRole('combobox', { name: 'Course' }).waitFor()
  await tabTo(student, page.getByRole('combobox', { name: 'Course' }))
  await page.getByRole('option', { name: 'CSCI 1100 - Intro to Programming' }).waitFor()
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  await expect.poll(() => page.getByRole('combobox', { name: 'Course' }).inputValue()).not.toBe('')
  await page.getByRole('button', { name: 'Show 1 server' }).waitFor()
  await tabTo(student, 'Show 1 server')
  // The sheet closes when the focus moves past it.
  await page.keyboard.press('Tab')
  await page.getByRole('group', { name: 'Filters' }).waitFor({ state: 'hidden' })
  await expect.poll(() => page.getByRole('article').count()).toBe(1)
  await page.getByRole('link', { name: 'Skip to content' }).focus()
  await enter(student, 'Add Discord Invite')
  await page.getByLabel('Discord invite URL').waitFor()
  expect(await student.focused()).toBe('Discord invite URL')
  await page.keyboard.type('discord.gg/harbor-state-statistics')
  await page.keyboard.press('Enter')
  await dialogOf(student).getByText('Harbor State Statistics').waitFor()
  expect(await student.focused()).toBe('Subject')
  await page.keyboard.press('Escape')
  await enterPage(student, 'Submit Invite')
  await page.getByText('Invite submitted!', { exact: false }).waitFor()
})

async function openEverything(student: Visit, manager: Visit, serverId: number): Promise<void> {
  const { page } = student
  for (const path of ['', 'all/', 'profile/', 'notices/', 'referrals/', `server/${serverId}/`]) {
    await student.open(`/classcords/${path}`)
    await student.measure(`/classcords/${path} with difficult names`)
  }
  await student.open('/classcords/all/?page=2')
  for (const name of [names.endless, names.arabic]) {
    const card = cardOf(student, name.trim().replaceAll(/\s+/g, ' '))
    await card.getByRole('heading').getByRole('link').click()
    await dialogOf(student).getByRole('link', { name: 'Join' }).waitFor()
    await student.measure('a server with a difficult name')
    await closeDialog(student)
  }
  await page.getByRole('button', { name: 'Grouped' }).click()
  await student.measure('groups with difficult names')
  await manager.open('/classcords/unapproved-invites/')
  await manager.measure('unapproved invites with difficult names')
}

async function difficult(scene: Parameters<Parameters<typeof journey>[2]>[0], options: VisitOptions): Promise<void> {
  const [server] = await scene.app.sql<{ id: number }>('SELECT id FROM discord_server WHERE name = ?', names.endless)
  const student = await member(scene, 'regular', '/classcords/', options)
  const manager = await member(scene, 'manager', '/classcords/', options)
  await scene.app.sql('UPDATE discord_user SET display_name = ?', names.endless)
  await openEverything(student, manager, server?.id ?? 0)
}

journey('unusual names fit in the directory, also at 200 % zoom', seedDifficultDirectory, async (scene) => {
  await difficult(scene, { width: 640, deviceScaleFactor: 2 })
})
