import { expect } from 'vitest'
import type { App } from './app.ts'
import { cardOf, comeThroughDiscord, dialogOf, member, placeOf, titleOf, visitor } from './directory.ts'
import { journey } from './journey.ts'
import { schools, seedDirectory } from './seed-directory.ts'
import { beginSession } from './session.ts'
import type { Visit } from './visit.ts'

/** The next step wherever people cannot do what they came for, on a phone. */

const phone = { width: 390 }
const plain = { ...phone, javaScriptEnabled: false }
const day = 24 * 3600_000

/** Presses Enter on something, and waits for the page it leads to. */
async function enter(visit: Visit, name: string): Promise<void> {
  const link = visit.page.getByRole('main').getByRole('link', { name }).first()
  await link.focus()
  await Promise.all([visit.page.waitForEvent('domcontentloaded'), visit.page.keyboard.press('Enter')])
  await visit.settle()
}

/** A referral of the persona `regular`. */
const refer = (app: App, code: string, expiresAt: number) =>
  app.sql(
    `INSERT INTO referral (code, owner_id, max_uses, expiry_timeframe, created_at, expires_at)
     SELECT ?, id, 5, '1w', 0, ? FROM discord_user WHERE display_name = 'Riley Chen'`,
    code,
    expiresAt,
  )

journey('a stranger sees what is needed, is refused, and joins with a referral', seedDirectory, async (scene) => {
  await refer(scene.app, 'from-riley', Date.now() + day)
  await refer(scene.app, 'too-late', Date.now() - day)
  await scene.app.sql("UPDATE discord_server SET is_required_for_trust = 0 WHERE name <> 'Campus Commons'")
  const visit = await visitor(scene, plain)
  const { page } = visit
  await visit.open('/classcords/')
  await page.getByRole('button', { name: 'Explore All Class Servers' }).last().click()
  await visit.follow(page.getByRole('link', { name: 'See the public servers' }).filter({ visible: true }))
  expect(placeOf(visit)).toBe('/classcords/all/')

  await visit.open('/classcords/login/')
  await page.getByText('New here? You need one of these:').waitFor()
  await comeThroughDiscord(visit, 'stranger')
  expect(placeOf(visit)).toBe('/classcords/login/')
  const refusal = page.getByRole('alert').filter({ hasText: 'You need a referral code' })
  await refusal.getByRole('link', { name: 'Campus Commons' }).waitFor()
  expect(await refusal.innerText()).not.toContain('http')
  await page.getByRole('link', { name: 'Join Campus Commons' }).waitFor()
  await visit.inspect('a refusal and what to do next')

  const paste = async (text: string) => {
    await page.getByRole('textbox', { name: 'Paste a referral from a friend' }).fill(text)
    await visit.follow(page.getByRole('button', { name: 'Use referral' }))
  }
  await paste('Ask Riley for it!')
  await page.getByText('This is not a referral link or code.').waitFor()
  await paste('too-late')
  await page.getByText('This invitation has expired or was used up.').waitFor()
  await paste(`Join us: ${scene.app.url}/classcords/referral/from-riley/ !`)
  await page.getByRole('heading', { name: 'Riley Chen invited you', level: 1 }).waitFor()
  await page.getByText(`to Class Cords, the Discord servers for classes at ${schools.harbor}.`).waitFor()
  await visit.inspect('an invitation')
  await comeThroughDiscord(visit, 'stranger')
  await page.getByText('Welcome, Sasha Bell!').waitFor()
  expect(placeOf(visit)).toBe('/classcords/profile/')
})

journey(
  'a missing step is named and linked: Discord, then a school, whose servers are few',
  seedDirectory,
  async (scene) => {
    await scene.app.sqlTogether([
      { text: "INSERT INTO school (source_id, code, name) SELECT min(id), 'quiet', 'Quiet College' FROM source" },
      { text: "INSERT INTO subject (school_id, key, name) SELECT id, 'Art', 'Art' FROM school WHERE code = 'quiet'" },
    ])
    const visit = await visitor(scene, phone)
    const { page } = visit
    await beginSession(scene.app, visit, 'student')
    await visit.open('/classcords/all/')
    expect(await page.getByText('Add Discord Invite').count()).toBe(0)
    await enter(visit, 'Connect Discord')
    await visit.follow(page.getByRole('button', { name: 'Continue' }))
    await visit.follow(page.locator('a[href$="persona=newcomer"]'))
    expect(placeOf(visit)).toBe('/classcords/all/')

    await page.getByText('You see public servers only. Select your school').waitFor()
    const visible = await page.getByRole('heading', { level: 2, name: /servers/ }).innerText()
    await visit.inspect('explore without a school')
    await enter(visit, 'Select your school')
    await visit.open('/classcords/all/')
    await enter(visit, 'Add Discord Invite')
    const modal = page.getByRole('dialog', { name: 'Select Your School' })
    await modal.getByRole('combobox', { name: 'School' }).fill('quiet')
    await page.keyboard.press('Enter')
    await visit.follow(modal.getByRole('button', { name: 'Save school' }))
    await page.getByRole('dialog', { name: 'Add Discord Invite' }).waitFor()
    await visit.open('/classcords/all/')
    await page.getByRole('link', { name: 'Only Quiet College' }).waitFor()
    expect(await page.getByRole('heading', { level: 2, name: /servers/ }).innerText()).toBe(visible)
    await page.getByRole('button', { name: 'Add Discord Invite' }).waitFor()
    await visit.inspect('all schools, because one’s own has none')
    await enter(visit, schools.harbor)
    await page.getByRole('heading', { name: `Discord servers for classes at ${schools.harbor}`, level: 1 }).waitFor()
  },
)

journey('a report is sent and handled without a script', seedDirectory, async (scene) => {
  const student = await member(scene, 'regular', '/classcords/', plain)
  await student.follow(titleOf(student, 'Campus Commons'))
  const { page } = student
  const address = placeOf(student)
  await page.getByText('Report this server').click()
  student.expectStatus(422)
  await student.follow(page.getByRole('button', { name: 'Send report' }))
  await page.getByRole('alert').getByText('Reason is required').waitFor()
  await page.getByLabel('What is wrong with it?').fill('It sells answers.')
  await student.follow(page.getByRole('button', { name: 'Send report' }))
  await page.getByText('Thank you. The managers will look at it.').waitFor()
  expect(placeOf(student)).toBe(address)
  await page.getByText('Report this server').click()
  await page.getByLabel('What is wrong with it?').fill('It still does.')
  student.expectStatus(429)
  await student.follow(page.getByRole('button', { name: 'Send report' }))
  await page.getByText('You have already reported this server today.').waitFor()
  expect(await page.getByLabel('What is wrong with it?').inputValue()).toBe('It still does.')
  await student.inspect('a report that is refused')

  const manager = await member(scene, 'manager', '/classcords/notices/', plain)
  await manager.follow(manager.page.getByRole('main').getByRole('link', { name: /reported/ }))
  await manager.page.getByText('It sells answers.').waitFor()
  await manager.inspect('a report to settle')
  await manager.follow(manager.page.getByRole('link', { name: 'Remove from the list' }))
  await manager.inspect('the question before a server is removed')
  await manager.follow(manager.page.getByRole('button', { name: 'Remove server' }))
  await manager.page.getByText('Campus Commons was removed from the list.').waitFor()
  await manager.page.getByText('No open reports').waitFor()
})

journey('schools link to each other, and an ended session loses no report', seedDirectory, async (scene) => {
  const visit = await member(scene, 'regular', '/classcords/all/?q=northfield+calculus', phone)
  const { page } = visit
  await page.getByText('No servers match this search.').waitFor()
  await enter(visit, 'Search all schools')
  await visit.follow(cardOf(visit, 'Northfield Tech Calculus I').getByRole('link', { name: schools.northfield }))
  const chips = page.getByRole('list', { name: 'Schools' })
  expect(await chips.getByRole('link').allTextContents()).toEqual([schools.harbor, schools.queens])
  await visit.inspect('a school and others')
  await visit.follow(chips.getByRole('link', { name: schools.queens }))
  await page.getByRole('heading', { name: `Discord servers for classes at ${schools.queens}` }).waitFor()

  await visit.follow(titleOf(visit, 'Queens College Calculus I'))
  await page.getByText('Report this server').click()
  await page.getByLabel('What is wrong with it?').fill('Nobody answers.')
  await scene.app.sql('DELETE FROM session')
  visit.expectStatus(401)
  visit.expectStatus(403)
  await page.getByRole('button', { name: 'Send report' }).click()
  await page.getByText('Log in again in another tab').waitFor()
  const tab = await visit.tab()
  await tab.open('/classcords/login/')
  await comeThroughDiscord(tab, 'regular')
  await tab.page.close()
  await page.getByRole('button', { name: 'Send report' }).click()
  await page.getByText('Thank you. The managers will look at it.').waitFor()
  expect(await dialogOf(visit).count()).toBe(0)
})
