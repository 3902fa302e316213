import { expect } from 'vitest'
import type { App } from './app.ts'
import { journey } from './journey.ts'
import { alertSections, seedAlerts } from './seed-alerts.ts'
import type { Visit } from './visit.ts'

/** Alerts are paged, searched and filtered. */
async function findAlerts(app: App, visit: Visit): Promise<void> {
  const { even, course } = await alertSections(app)
  const { page } = visit
  const alerts = page.getByRole('article')
  expect(await alerts.count()).toBe(50)
  await visit.follow(page.getByRole('link', { name: 'Next' }))
  await page.getByText('Page 2 of 3').waitFor()
  await page.getByRole('searchbox', { name: 'Search' }).fill(course)
  await page.getByRole('combobox', { name: 'Recipient' }).selectOption('Robin Example')
  await visit.follow(page.getByRole('button', { name: 'Search', exact: true }))
  expect(Object.fromEntries(new URL(page.url()).searchParams)).toEqual({
    q: course,
    recipient_id: '1',
    channel: '',
    result: '',
  })
  expect(await alerts.filter({ hasText: even.number }).count()).toBe(0)
  expect(await page.getByRole('searchbox', { name: 'Search' }).inputValue()).toBe(course)
  expect(await page.getByRole('button', { name: 'Clear search' }).isVisible()).toBe(false)
  await visit.follow(page.getByRole('link', { name: 'Next' }))
  await page.getByText('Page 2 of 2').waitFor()
  expect(new URL(page.url()).searchParams.get('q')).toBe(course)
  await page.getByRole('combobox', { name: 'Recipient' }).selectOption('')
  await page.getByRole('searchbox', { name: 'Search' }).fill('no such course')
  await visit.follow(page.getByRole('button', { name: 'Search', exact: true }))
  await page.getByRole('heading', { name: 'No alerts match the current search filter' }).waitFor()
  await visit.follow(page.getByRole('link', { name: 'Show all alerts' }))
  await page.getByText('Page 1 of 3').waitFor()
}

journey('every page can be read without JavaScript', seedAlerts, async (scene) => {
  const anyone = await scene.visit({ javaScriptEnabled: false })
  for (const [path, heading] of [
    ['/', 'Find the Discord for your class.'],
    ['/accounts/login/', 'Log in'],
    ['/class_tracker/', 'Class Tracker'],
    ['/class_tracker/login_view/', 'Log in to the Class Tracker'],
  ] as const) {
    await anyone.open(path)
    await anyone.page.getByRole('heading', { name: heading, level: 1 }).waitFor()
    await anyone.inspect(`${path} without JavaScript`)
  }

  const staff = await scene.staff('/class_tracker/', { javaScriptEnabled: false, width: 390 })
  const { page } = staff
  for (const [place, act] of [
    ['Manage Courselist', 'Manual refresh needs JavaScript'],
    ['Add Classes', 'Changing recipients and sections needs JavaScript'],
    ['Class Alerts', 'Sending a failed message again needs JavaScript'],
  ] as const) {
    // The menus are the browser's own.
    await page.getByRole('button', { name: 'Menu' }).click()
    await staff.follow(page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: place }))
    expect(await page.locator('noscript p').innerText()).toContain(act)
    await staff.inspect(`${place} without JavaScript`)
  }
  await findAlerts(scene.app, staff)
  await staff.open('/class_tracker/add_classes/')
  await page.getByRole('article', { name: 'Robin Example' }).getByText('•••• 0143').waitFor()
  await page.getByRole('button', { name: 'Account of admin' }).click()
  await staff.follow(page.locator('#profile-menu').getByRole('button', { name: 'Log Out' }))
  await page.getByText('You have signed out.').waitFor()
  await page.getByRole('button', { name: 'Dismiss' }).click()
  await page.getByText('You have signed out.').waitFor({ state: 'hidden' })
})
