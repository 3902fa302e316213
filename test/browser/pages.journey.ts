import { expect } from 'vitest'
import { journey } from './journey.ts'
import { sectionWithStatus, setSeats, watch } from './sections.ts'
import { seedAlerts } from './seed-alerts.ts'
import { seedCatalog, seedPeople } from './seed.ts'

journey('the link of an email stops its messages, and can be undone', seedCatalog, async ({ app, visit: start }) => {
  const section = await sectionWithStatus(app, 'closed')
  await watch(app, 1, section)
  await setSeats(app, section, { available: 1, status: 'open' })
  await app.tick()
  await expect.poll(() => app.world.world.emails.length).toBe(1)
  const [letter] = app.world.world.emails
  expect(letter?.subject).toContain(section.name.split(' - ')[0])
  const link = /https?:\/\/\S+\/notify\/unsubscribe\/[\w.~-]+/.exec(letter?.text ?? '')?.[0] ?? ''
  expect(letter?.html).toContain(link)
  expect(letter?.headers['List-Unsubscribe']).toBe(`<${link}>`)

  const visit = await start({ width: 390 })
  const { page } = visit
  const isOptedOut = async (): Promise<boolean> =>
    (await app.sql('SELECT 1 FROM contact WHERE opted_out_at IS NOT NULL')).length === 1
  await visit.open(link)
  await page.getByText('Stop class alerts to r•••@example.com?').waitFor()
  await visit.inspect('the question before messages stop')
  expect(await isOptedOut()).toBe(false)
  await visit.follow(page.getByRole('button', { name: 'Stop these messages' }))
  await page.getByText('Done. We won’t send class alerts to r•••@example.com anymore.').waitFor()
  await visit.inspect('messages are stopped')
  expect(await isOptedOut()).toBe(true)
  await visit.open(link)
  await page.getByText('Class alerts to r•••@example.com are already stopped.').waitFor()
  await visit.follow(page.getByRole('button', { name: 'Send me messages again' }))
  await page.getByText('Class alerts to r•••@example.com are back on.').waitFor()
  expect(await isOptedOut()).toBe(false)

  visit.expectStatus(404)
  await visit.open(`${link}x`)
  const refused = 'This link is incomplete, or its address is no longer stored here'
  await page.getByText(refused).waitFor()
  await app.sql('DELETE FROM contact')
  await visit.open(link)
  await page.getByText(refused).waitFor()
  expect(await page.getByRole('button', { name: /messages/ }).count()).toBe(0)
})

journey('a wrong address links home', seedPeople, async ({ visit: start }) => {
  const visit = await start()
  const { page } = visit
  visit.expectStatus(404)
  visit.expectStatus(405)
  await visit.open('/no-such-page/')
  await page.getByRole('heading', { name: 'Page Not Found' }).waitFor()
  await visit.inspect('a page that is not there')
  await visit.follow(page.getByRole('main').getByRole('link', { name: 'Home' }))
  expect(new URL(page.url()).pathname).toBe('/')

  // None of our forms does this; an old one in a browser might.
  const arrived = page.waitForEvent('domcontentloaded')
  await page.evaluate(() => {
    const form = document.createElement('form')
    form.method = 'post'
    form.action = '/class_tracker/class_alerts/'
    document.body.append(form)
    form.submit()
  })
  await arrived
  await page.getByRole('heading', { name: 'Method Not Allowed' }).waitFor()
  await page.getByText('This address accepts only GET').waitFor()
  await visit.inspect('a method that does not fit')
  await visit.follow(page.getByRole('main').getByRole('link', { name: 'Home' }))
})

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

  const plain = await scene.visit({ javaScriptEnabled: false, isDark: true })
  await plain.signIn('student')
  await plain.page.getByRole('heading', { name: 'Access Restricted' }).waitFor()

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
  await staff.open('/class_tracker/add_classes/')
  await page.getByRole('article', { name: 'Robin Example' }).getByText('•••• 0143').waitFor()
  await page.getByRole('button', { name: 'Account of admin' }).click()
  await staff.follow(page.locator('#profile-menu').getByRole('button', { name: 'Log Out' }))
  await page.getByText('You have signed out.').waitFor()
  await page.getByRole('button', { name: 'Dismiss' }).click()
  await page.getByText('You have signed out.').waitFor({ state: 'hidden' })
})
