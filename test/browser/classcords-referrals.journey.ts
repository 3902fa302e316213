import { expect } from 'vitest'
import { closeDialog, comeThroughDiscord, dialogOf, member, placeOf, visitor } from './directory.ts'
import { journey } from './journey.ts'
import { schools, seedDirectory } from './seed-directory.ts'
import type { Visit } from './visit.ts'

/** If the browser does not copy it. */
async function copyByHand(student: Visit): Promise<void> {
  const { page } = student
  await page.evaluate(() => {
    Object.defineProperty(navigator, 'clipboard', { value: { writeText: () => Promise.reject(new Error('no')) } })
  })
  await page.getByRole('button', { name: 'Copy referral URL' }).first().click()
  const text = page.getByRole('textbox', { name: 'referral URL' })
  await text.waitFor()
  expect(await page.evaluate(() => getSelection()?.toString())).toContain('/classcords/referral/')
  await student.inspect('a referral that could not be copied')
  await student.follow(page.getByRole('link', { name: 'QR code' }).first())
  await page.getByRole('img', { name: 'QR code of your referral' }).waitFor()
  await student.inspect('a referral as a QR code')
  await student.open('/classcords/referrals/')
}

journey('a student refers a friend, who selects a school', seedDirectory, async (scene) => {
  const student = await member(scene, 'regular', '/classcords/referrals/', { width: 390 })
  const { page } = student
  await page.getByRole('heading', { name: 'Referral Management' }).waitFor()
  await page.getByText("You haven't created any referrals yet.").waitFor()
  expect(await page.getByLabel('Maximum uses').locator('option').allInnerTexts()).toEqual([
    '20 uses',
    '50 uses',
    '100 uses',
  ])
  expect(await page.getByLabel('Expires after').locator('option').allInnerTexts()).toEqual([
    '1 week',
    '2 weeks',
    '1 month',
    '3 months',
  ])
  const create = page.getByRole('button', { name: 'Create Referral' })
  await page.getByLabel('Maximum uses').selectOption('50 uses')
  await student.follow(create)
  await page.getByText('Referral created successfully!').waitFor()
  await page.getByLabel('Maximum uses').selectOption('100 uses')
  student.expectStatus(422)
  await student.follow(create)
  await page.getByText('Your active referrals may total 100 uses; 50 left.').first().waitFor()
  expect(await page.getByLabel('Maximum uses').inputValue()).toBe('100')
  await page.getByLabel('Maximum uses').selectOption('20 uses')
  await student.follow(create)
  const rows = page.locator('tbody tr')
  expect(await rows.locator('[data-label="Status"]').allInnerTexts()).toEqual(['Active', 'Active'])
  expect(await rows.locator('[data-label="Uses"]').allInnerTexts()).toEqual(['0 / 20', '0 / 50'])
  await student.inspect('referrals')
  await copyByHand(student)

  // One is revoked after a confirmation; the other is sent to a friend.
  await rows.first().getByRole('button', { name: 'Revoke' }).click()
  await dialogOf(student).getByText('Its link stops working immediately').waitFor()
  await closeDialog(student)
  await rows.first().getByRole('button', { name: 'Revoke' }).click()
  await student.follow(dialogOf(student).getByRole('button', { name: 'Revoke' }))
  expect(await rows.locator('[data-label="Status"]').allInnerTexts()).toEqual(['Expired', 'Active'])
  const link = await rows.nth(1).locator('.address').innerText()
  expect(link).toMatch(new RegExp(`^${scene.app.url}/classcords/referral/[^/]+/$`))

  const friend = await visitor(scene, { isDark: true })
  await friend.open(new URL(link).pathname)
  expect(placeOf(friend)).toBe('/classcords/login/')
  await friend.page.getByText('You may now log in via Discord').waitFor()
  // The call before the form may fail, because the form includes the code, too.
  await friend.page.route('**/referral-redeem/*', (route) => route.fulfill({ status: 500, json: ['Broken'] }))
  friend.expectStatus(500)
  await comeThroughDiscord(friend, 'stranger')
  expect(placeOf(friend)).toBe('/classcords/profile/')
  await friend.page.getByText('Welcome, Sasha Bell! Thanks for signing up via Discord.').waitFor()
  const modal = friend.page.getByRole('dialog', { name: 'Select Your School' })
  await friend.page.keyboard.press('Escape')
  await friend.page.keyboard.press('Escape')
  await modal.waitFor()
  expect(await modal.getByRole('button').allInnerTexts()).toEqual(['Save school'])
  await modal.getByRole('button', { name: 'Save school' }).click()
  await modal.getByText('Select your school.', { exact: true }).waitFor()
  await friend.inspect('the school must be selected')
  await modal.getByRole('combobox', { name: 'School' }).fill('north')
  await friend.page.keyboard.press('Enter')
  const refusal = { status: 422, json: ['school: Select a valid choice.'] }
  await friend.page.route('**/select-school', (route) => route.fulfill(refusal), { times: 1 })
  friend.expectStatus(422)
  await modal.getByRole('button', { name: 'Save school' }).click()
  await modal.getByText('Select a valid choice.', { exact: true }).waitFor()
  await friend.follow(modal.getByRole('button', { name: 'Save school' }))
  await friend.page.getByText('School selected successfully!').waitFor()
  expect(await modal.count()).toBe(0)
  const facts = friend.page.getByRole('region', { name: 'Discord account' })
  for (const text of ['Sasha Bell', 'sasha#4821', 'Regular User', 'Verified', 'School'])
    await facts.getByText(text, { exact: true }).first().waitFor()
  await facts.getByText(schools.northfield).waitFor()
  const account = friend.page.getByRole('region', { name: 'Account', exact: true })
  await account.getByText('1170000000000000004').waitFor()
  for (const label of ['Login count', 'Member since', 'Email verified', 'First login', 'Last login'])
    await account.getByText(label, { exact: true }).waitFor()
  await friend.page.getByText("You haven't submitted any invites yet.").waitFor()
  await friend.measure('a profile')

  // Now the school's private servers are listed, and nothing is locked.
  await friend.open('/classcords/')
  expect(await friend.page.locator('.locked').count()).toBe(0)
  expect(await friend.page.locator('summary h2').allInnerTexts()).toContain('Private 4')
  expect(await friend.page.getByRole('link', { name: 'Explore All Class Servers' }).count()).toBe(2)
  await friend.page.getByRole('button', { name: 'Account of Sasha Bell' }).click()
  expect(await friend.page.locator('#profile-menu a:visible').allInnerTexts()).toEqual(['My Profile', 'Home'])
  await friend.follow(friend.page.locator('#profile-menu').getByRole('button', { name: 'Log Out' }))
  await friend.page.getByText('You have signed out.').waitFor()

  await page.reload()
  await student.settle()
  expect(await rows.locator('[data-label="Status"]').allInnerTexts()).toEqual(['Expired', 'Partially Redeemed'])
  expect(await rows.nth(1).locator('[data-label="Uses"]').innerText()).toBe('1 / 50')
  expect(await page.getByRole('button', { name: 'Revoke' }).count()).toBe(0)
  const other = await visitor(scene)
  await other.open('/classcords/referral/no-such-code/')
  await other.page.getByText('Invalid referral code.').waitFor()
})
