import { expect } from 'vitest'
import { journey } from './journey.ts'
import { seedPeople } from './seed.ts'
import type { Visit } from './visit.ts'

const index = '/class_tracker/'
const addClasses = '/class_tracker/add_classes/'

const cardsOf = ({ page }: Visit): Promise<string[]> =>
  page.getByRole('main').locator('.cards').getByRole('link').allInnerTexts()
const placesOf = ({ page }: Visit): Promise<string[]> =>
  page.getByRole('navigation', { name: 'Main' }).getByRole('link').allInnerTexts()

/** Through the profile menu, as on every page. */
async function logOut(visit: Visit, name: string): Promise<void> {
  await visit.page.getByRole('button', { name: `Account of ${name}` }).click()
  await visit.page.getByText(`Logged in as ${name}`, { exact: true }).waitFor()
  await visit.follow(visit.page.locator('#profile-menu').getByRole('button', { name: 'Log Out' }))
}

/** A wrong address, then a wrong method: both pages lead home. */
async function goAstray(visit: Visit): Promise<void> {
  const { page } = visit
  const goHome = async (): Promise<void> => {
    await visit.follow(page.getByRole('main').getByRole('link', { name: 'Home' }))
    expect(new URL(page.url()).pathname).toBe('/')
  }
  visit.expectStatus(404)
  await visit.open('/no-such-page/')
  await page.getByRole('heading', { name: 'Page not found' }).waitFor()
  await visit.inspectScreen('a page that is not there')
  await goHome()

  // None of our forms does this; an old one in a browser might.
  visit.expectStatus(405)
  const arrived = page.waitForEvent('domcontentloaded')
  await page.evaluate(() => {
    const form = document.createElement('form')
    form.method = 'post'
    form.action = '/class_tracker/class_alerts/'
    document.body.append(form)
    form.submit()
  })
  await arrived
  await page.getByRole('heading', { name: 'Method not allowed' }).waitFor()
  await page.getByText('This address accepts only GET').waitFor()
  await goHome()
}

/** The palette says if nothing matches, and returns the focus. */
async function lookForNothing({ page }: Visit): Promise<void> {
  const button = page.getByRole('button', { name: 'Search or jump to' })
  await button.click()
  const palette = page.getByRole('dialog', { name: 'Search or jump to' })
  await palette.waitFor()
  await page.keyboard.type('zzzz')
  await palette.getByText('Nothing begins with “zzzz”.').waitFor()
  await page.keyboard.press('Escape')
  await palette.waitFor({ state: 'detached' })
  expect(await button.evaluate((element) => element === document.activeElement)).toBe(true)
}

journey('a visitor finds home and log in, and is sent on to where they were going', seedPeople, async (scene) => {
  const visit = await scene.visit()
  const { page } = visit
  await goAstray(visit)
  await page.getByText('Overview of all applications').waitFor()
  await page.getByText('Home – Choose an application to get started').waitFor()
  expect(await cardsOf(visit)).toEqual(['Discord Tracker'])
  await visit.inspectScreen('home for anyone')
  await visit.open(index)
  await visit.inspectScreen('the class tracker for anyone')
  await visit.follow(page.getByRole('main').getByRole('link', { name: 'Log In' }))

  await visit.open(`${addClasses}?page=1`)
  expect(new URL(page.url()).pathname).toBe('/class_tracker/login_view/')
  await page.getByLabel('Username').fill('admin')
  await page.getByLabel('Password').fill('not the password')
  visit.expectStatus(422)
  await visit.follow(page.getByRole('button', { name: 'Log in' }))
  await page.getByRole('alert').getByText('Invalid username or password.').waitFor()
  expect(await page.getByLabel('Username').inputValue()).toBe('admin')
  expect(await page.getByLabel('Password').inputValue()).toBe('')
  await visit.inspectScreen('a refused log in')
  await page.getByLabel('Password').fill('seat-watch-admin')
  await page.keyboard.press('Enter')
  await page.waitForURL(`**${addClasses}?page=1`)
  await visit.settle()

  // The logout page says so, once.
  await logOut(visit, 'admin')
  expect(new URL(page.url()).pathname).toBe(index)
  const said = page.getByText('You have signed out.')
  await said.waitFor()
  await page.getByRole('button', { name: 'Dismiss' }).click()
  await said.waitFor({ state: 'hidden' })
  await page.reload()
  expect(await said.count()).toBe(0)
  await page.goBack()
  expect(new URL(page.url()).pathname).toBe('/class_tracker/login_view/')
})

journey('an account without access sees that the class tracker is for staff', seedPeople, async (scene) => {
  const visit = await scene.visit({ width: 390, isDark: true })
  const { page } = visit
  await visit.logIn('student')
  await page.getByRole('heading', { name: 'Access Restricted' }).waitFor()
  await page.getByRole('main').getByText('student', { exact: true }).waitFor()
  expect(await page.getByRole('navigation', { name: 'Main' }).count()).toBe(0)
  await visit.inspect('the class tracker for a plain account')
  await visit.follow(page.getByRole('main').getByRole('button', { name: 'Log Out' }))
  await page.getByText('You have signed out.').waitFor()
  await page.getByRole('main').getByRole('link', { name: 'Log In' }).waitFor()
})

journey('staff reach everything from home', seedPeople, async (scene) => {
  const visit = await scene.visit({ width: 390 })
  const { page } = visit
  await visit.logIn('admin', '/accounts/login/')
  expect(new URL(page.url()).pathname).toBe('/')
  expect(await cardsOf(visit)).toEqual(['Class Tracker', 'Discord Tracker'])
  await page.getByText('Track class availability and schedules, with automated notifications.').waitFor()
  await page.getByText('Monitor server activity.').waitFor()
  await visit.inspectScreen('home for staff')
  await lookForNothing(visit)
  await visit.follow(page.getByRole('main').getByRole('link', { name: /^Class Tracker/ }))
  expect(await cardsOf(visit)).toEqual(['Manage Course List', 'Add Classes', 'Class Alerts'])
  expect(await page.getByRole('main').getByRole('link', { name: 'Admin' }).getAttribute('href')).toBe('/admin/')
  await visit.inspectScreen('the class tracker for staff')

  // On a phone the links are behind a button, and the current one is marked.
  const menu = page.getByRole('button', { name: 'Menu' })
  await menu.click()
  expect(await placesOf(visit)).toEqual(['Manage Courselist', 'Add Classes', 'Class Alerts', 'Admin', 'Home'])
  await visit.inspect('the menu of a phone')
  await page.keyboard.press('Escape')
  await page.getByRole('link', { name: 'Manage Courselist' }).waitFor({ state: 'hidden' })
  for (const [place, heading] of [
    ['Manage Courselist', 'Manage Course List'],
    ['Add Classes', 'Add Classes'],
    ['Class Alerts', 'Class Alerts'],
  ] as const) {
    await menu.click()
    await visit.follow(page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: place }))
    await page.getByRole('heading', { name: heading, level: 1 }).waitFor()
    // In the bar, and in the menu that replaces it on a phone.
    for (const menu of ['.places', '#profile-menu'])
      expect(await page.locator(`${menu} [aria-current="page"]`).textContent()).toBe(place)
  }
  await page.getByRole('heading', { name: 'No class alerts found' }).waitFor()
  const toAdd = page.getByRole('main').getByRole('link', { name: 'Add classes to watch' })
  expect(await toAdd.getAttribute('href')).toBe(addClasses)
  await visit.inspect('Class Alerts without an alert')
  await page.getByRole('button', { name: 'Account of admin' }).click()
  await visit.inspect('the menu of the profile')
  await visit.open('/class_tracker/logout_view/')
  await visit.inspectScreen('the question before logging out')
  await visit.follow(page.getByRole('main').getByRole('button', { name: 'Log Out' }))
  await page.getByText('You have signed out.').waitFor()
})
