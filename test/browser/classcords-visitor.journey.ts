import { expect } from 'vitest'
import { cardOf, closeDialog, dialogOf, holdDiscord, placeOf, titleOf, visitor } from './directory.ts'
import { journey } from './journey.ts'
import { longDescription, schools, seedDirectory } from './seed-directory.ts'

journey('a visitor browses, joins a server and is asked to log in for more', seedDirectory, async (scene) => {
  const visit = await visitor(scene)
  const { page, clock } = visit
  const joined = await holdDiscord(visit)
  await visit.open('/classcords/?referral=abc')
  expect(await page.title()).toBe('Class Cords')
  await page.getByRole('heading', { name: 'Welcome to Class Cords', level: 1 }).waitFor()
  await page.getByText('Recently added Discord servers for your classes').waitFor()
  expect(await page.getByRole('button', { name: 'Add Discord Invite' }).count()).toBe(0)
  const groups = page.locator('details.group')
  expect(await groups.locator('summary h2').allInnerTexts()).toEqual(['Featured 3', 'Public 10', 'Private'])
  await visit.inspect('welcome for anyone')

  // Fourteen placeholders that cannot be pressed, and a description cut at 100 characters.
  const locked = page.locator('.locked')
  expect(await locked.count()).toBe(14)
  expect(await locked.first().locator('a, button').count()).toBe(0)
  await locked.first().click()
  expect(await dialogOf(visit).count()).toBe(0)
  const commons = cardOf(visit, 'Campus Commons')
  const shown = (await commons.locator('.about').innerText()).replace('…', '')
  expect([longDescription.startsWith(shown), shown.length]).toEqual([true, 100])
  // It does not repeat its group's heading, or what is usual.
  expect(await commons.getByText('Featured').count()).toBe(0)
  expect(await commons.getByText('Public Server').count()).toBe(0)

  // Sections collapse; the list has none.
  await groups.first().locator('summary').click()
  await commons.waitFor({ state: 'hidden' })
  await page.getByRole('button', { name: 'List', exact: true }).click()
  expect(await groups.count()).toBe(0)
  await commons.waitFor()

  const explore = page.getByRole('button', { name: 'Explore All Class Servers' })
  expect(await explore.count()).toBe(2)
  await explore.first().click()
  const prompt = page.getByRole('dialog', { name: 'Login Required' }).filter({ visible: true })
  await prompt.getByText('Login Required: Please log in to view more Discord servers for your classes').waitFor()
  await visit.inspect('the prompt to log in')
  for (const width of [390, 1280]) {
    await visit.show({ width })
    const places = [prompt, ...(await prompt.getByRole('link').all())]
    const [box, logIn, publicOnes] = await Promise.all(places.map((place) => place.boundingBox()))
    if (!box || !logIn || !publicOnes) throw new Error('The prompt has two links.')
    expect(publicOnes.x - logIn.x - logIn.width, 'the links stand apart').toBeGreaterThanOrEqual(8)
    expect(logIn.x - box.x, 'the first is a button').toBeGreaterThanOrEqual(12)
    expect(Math.min(box.x, width - box.x - box.width), 'it stays within the page').toBeGreaterThanOrEqual(16)
  }
  expect(await prompt.getByRole('link', { name: 'Log In' }).getAttribute('href')).toContain('referral=abc')
  await page.keyboard.press('Escape')

  // A server: its formatted notes, and its link to copy and to follow.
  await titleOf(visit, 'Campus Commons').click()
  const dialog = dialogOf(visit)
  const invite = dialog.getByRole('listitem').filter({ hasText: 'discord.gg/campus-commons' })
  await invite.locator('.prose strong').getByText('Read the rules first').waitFor()
  expect(await invite.locator('.prose img').count()).toBe(0)
  await invite.getByText('<img src=x onerror=alert(1)>').waitFor()
  await visit.inspect('a server and its invites')
  await visit.context.grantPermissions(['clipboard-read', 'clipboard-write'])
  await clock.install()
  await invite.getByRole('button', { name: /^Copy/ }).click()
  await invite.getByRole('button', { name: 'Copied invite link' }).waitFor()
  await clock.pauseAt(Date.now() + 1000)
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe('https://discord.gg/campus-commons')
  await invite.getByRole('button', { name: 'Copied invite link' }).waitFor()
  await clock.runFor(2000)
  await invite.getByRole('button', { name: 'Copy invite link' }).waitFor()
  await clock.resume()

  const uses = () =>
    scene.app.sql<{ uses_count: number }>("SELECT uses_count FROM invite WHERE code = 'campus-commons'")
  const [before] = await uses()
  const join = invite.getByRole('link', { name: 'Join' })
  // The second time the counting fails without being noticed.
  const counted = async (status: number) => {
    const tracked = page.waitForResponse((answer) => answer.url().endsWith('/track-usage/'))
    const [opened] = await Promise.all([visit.context.waitForEvent('page'), join.click()])
    await opened.getByText('Discord', { exact: true }).waitFor()
    expect([(await tracked).status(), joined.pop()]).toEqual([status, 'https://discord.gg/campus-commons'])
    expect(await opened.evaluate(() => window.opener === null)).toBe(true)
    await opened.close()
  }
  await counted(200)
  await page.route('**/track-usage/', (route) => route.fulfill({ status: 500, json: ['Broken'] }))
  visit.expectStatus(500)
  await counted(500)
  expect(await dialog.getByRole('alert').count()).toBe(0)
  // Joining does not wait for the count.
  await expect.poll(uses).toEqual([{ uses_count: (before?.uses_count ?? 0) + 1 }])
  await closeDialog(visit)

  // Private servers are for people who log in.
  const [hidden] = await scene.app.sql<{ id: number }>("SELECT id FROM discord_server WHERE privacy_level = 'private'")
  await visit.open(`/classcords/server/${hidden?.id}/`)
  expect(placeOf(visit)).toBe('/classcords/login/')
  await visit.inspectScreen('log in to the directory')
})

journey('a search finds servers by subject, course and keywords', seedDirectory, async (scene) => {
  const visit = await visitor(scene, { width: 390, isDark: true })
  const { page, clock } = visit
  await visit.open('/classcords/all/?referral=abc')
  await page.getByRole('heading', { name: 'Explore All Class Servers', level: 1 }).waitFor()
  await page.getByText('You see public servers only.', { exact: false }).waitFor()
  expect(await page.getByRole('article').count()).toBe(15)
  await visit.inspect('explore for anyone')
  // It searches automatically; on a phone the filters are in a sheet.
  expect(await page.getByRole('button', { name: 'Search', exact: true }).count()).toBe(0)
  expect(await page.getByRole('combobox', { name: 'Subject' }).count()).toBe(0)
  await visit.follow(page.getByRole('link', { name: 'Next' }))
  expect(new URL(page.url()).search).toContain('page=2')

  await page.getByRole('button', { name: 'School', exact: true }).click()
  expect(await page.getByRole('combobox', { name: 'Course' }).count()).toBe(0)
  await page.getByLabel('Subject').fill('math')
  await page.getByRole('option', { name: `Mathematics (${schools.harbor})` }).waitFor()
  await visit.inspect('subjects to choose from')
  await page.getByRole('option', { name: `Mathematics (${schools.harbor})` }).click()
  // Harbor State's public mathematics servers, and the course narrows them to one.
  await expect.poll(() => page.getByRole('article').count()).toBe(2)
  expect(new URL(page.url()).searchParams.get('page')).toBeNull()
  await page.getByRole('combobox', { name: 'Course' }).click()
  await page.getByRole('option', { name: 'MATH 2210 - Calculus I', exact: true }).click()
  await expect.poll(() => page.getByRole('article').count()).toBe(1)
  await cardOf(visit, 'Harbor State Calculus I').waitFor()
  await page.getByRole('button', { name: 'Show 1 server' }).click()
  expect(await page.getByRole('combobox', { name: 'Subject' }).count()).toBe(0)
  await page.reload()
  await visit.settle()
  await expect
    .poll(() => page.getByRole('combobox', { name: 'Course', includeHidden: true }).inputValue())
    .toBe('MATH 2210 - Calculus I')
  await page.getByRole('button', { name: /^Remove filter.*MATH 2210/ }).click()
  await expect.poll(() => page.getByRole('article').count()).toBe(2)
  await expect.poll(() => visit.focused()).toBe('Course')
  // An inactive chip opens the sheet, where all filters are cleared together.
  await page.getByRole('button', { name: /^Remove filter Mathematics/ }).waitFor()
  await page.getByLabel('Sort by').selectOption('Most members')
  await page.getByRole('button', { name: 'Course', exact: true }).click()
  await page.getByRole('button', { name: 'Clear all' }).click()
  await page.getByRole('button', { name: 'Show 28 servers' }).click()
  await page.getByRole('button', { name: 'Subject' }).waitFor()
  expect(new URL(page.url()).searchParams.get('sort')).toBe('members')
  await visit.open('/classcords/all/?referral=abc')
  await expect.poll(() => page.getByRole('article').count()).toBe(15)

  // Typing waits 300 ms; clearing does not.
  const asked: string[] = []
  page.on('request', (request) => {
    if (request.headers()['accept']?.includes('json') && request.url().includes('/classcords/all/'))
      asked.push(request.url())
  })
  const words = page.getByRole('searchbox', { name: 'Keywords' })
  await page.keyboard.press('/')
  expect(await visit.focused()).toBe('Keywords')
  await clock.install()
  await clock.pauseAt(Date.now() + 1000)
  await words.fill('lin')
  await clock.runFor(200)
  await words.fill('linear northfield')
  await clock.runFor(299)
  expect(asked).toEqual([])
  await clock.runFor(1)
  await cardOf(visit, 'Northfield Tech Linear Algebra').waitFor()
  expect([asked.length, await page.getByRole('article').count()]).toEqual([1, 1])
  expect(await page.locator('mark').allInnerTexts()).toEqual(['Northfield', 'Linear'])
  await page.getByRole('button', { name: 'Clear search' }).click()
  await clock.runFor(0)
  await expect.poll(() => page.getByRole('article').count()).toBe(15)
  await words.fill('nothing like it')
  await clock.runFor(300)
  await page.getByText('No Discord servers found').waitFor()
  await clock.resume()
  await visit.inspect('nothing found')

  // A failed search says so, and the earlier results stay.
  visit.expectStatus(0)
  await visit.context.setOffline(true)
  await words.fill('calculus')
  await page.getByRole('alert').or(page.locator('.error-summary')).first().waitFor()
  await visit.context.setOffline(false)
  await words.fill('calculus i')
  await cardOf(visit, 'Harbor State Calculus I').waitFor()
})

journey('the directory can be read, searched and joined without a script', seedDirectory, async (scene) => {
  const visit = await visitor(scene, { javaScriptEnabled: false })
  const { page } = visit
  await visit.open('/classcords/')
  await visit.inspect('welcome without a script')
  expect(await page.locator('.only-script').filter({ visible: true }).count()).toBe(0)
  await page.getByRole('button', { name: 'Explore All Class Servers' }).last().click()
  await page.getByText('Login Required: Please log in').last().waitFor()
  await page.keyboard.press('Escape')

  await visit.open('/classcords/all/')
  await visit.inspect('explore without a script')
  // Only what works is shown.
  expect(await page.getByRole('combobox').filter({ visible: true }).count()).toBe(0)
  await page.getByRole('searchbox', { name: 'Keywords' }).fill('harbor calculus')
  await visit.follow(page.getByRole('button', { name: 'Search', exact: true }))
  expect(new URL(page.url()).search).toContain('q=harbor+calculus')
  expect(await page.getByRole('article').count()).toBe(1)
  await visit.follow(titleOf(visit, 'Harbor State Calculus I'))
  await page.getByRole('heading', { name: 'Harbor State Calculus I', level: 1 }).waitFor()
  expect(await page.getByRole('link', { name: 'Join' }).getAttribute('href')).toMatch(/^\/classcords\/join\/\d+\/$/)
  await visit.inspect('a server without a script')
  await visit.follow(page.getByRole('link', { name: 'Mathematics' }))
  expect(await page.getByRole('article').count()).toBe(2)

  const [school] = await scene.app.sql<{ id: number }>('SELECT id FROM school WHERE name = ?', schools.northfield)
  await visit.open(`/classcords/school/${school?.id}/`)
  await page.getByRole('heading', { name: `Discord servers for classes at ${schools.northfield}` }).waitFor()
  expect(await page.getByText('Private Server', { exact: true }).count()).toBe(0)
  await visit.inspect('the page of a school')
  await visit.open('/classcords/login/?referral=abc')
  await page.getByRole('button', { name: 'Sign in with Discord' }).waitFor()
})
