import { expect } from 'vitest'
import { closeDialog, dialogOf, member, placeOf, titleOf, visitor } from './directory.ts'
import { journey } from './journey.ts'
import { seedDirectory } from './seed-directory.ts'

/** Hasty users, slow networks and second tabs, on a phone. */

const phone = { width: 390 }

journey(
  'on a slow network only the last search is shown, and Back does not wait for a dialog',
  seedDirectory,
  async (scene) => {
    const visit = await visitor(scene, phone)
    const { page } = visit
    const network = await visit.context.newCDPSession(page)
    await network.send('Network.enable')
    await network.send('Network.emulateNetworkConditions', {
      offline: false,
      latency: 400,
      downloadThroughput: 50_000,
      uploadThroughput: 50_000,
    })
    await visit.open('/classcords/all/')
    // The first search is answered after the second.
    let release = (): void => undefined
    const held = new Promise<void>((resolve) => (release = resolve))
    await page.route(/q=harbor\b/, (route) => held.then(() => route.continue().catch(() => undefined)))
    const words = page.getByRole('searchbox', { name: 'Keywords' })
    const first = page.waitForRequest(/q=harbor\b/)
    await words.fill('harbor')
    await first
    // The visible results do not belong to it.
    expect(await page.getByRole('heading', { level: 2, name: /harbor/ }).count()).toBe(0)
    await words.fill('queens calculus')
    const found = page.getByRole('heading', { level: 2, name: '1 server for “queens calculus”' })
    await found.waitFor()
    release()
    expect([await found.count(), await page.getByRole('article').count()]).toEqual([1, 1])

    // Back before the invites have loaded: the dialog closes, and does not reopen.
    let answer = (): void => undefined
    const waiting = new Promise<void>((resolve) => (answer = resolve))
    await page.route('**/ajax/servers/*/invites/', (route) =>
      waiting.then(() => route.continue().catch(() => undefined)),
    )
    await titleOf(visit, 'Queens College Calculus I').dblclick()
    await dialogOf(visit).getByText('Loading the invites').waitFor({ state: 'attached' })
    await expect.poll(() => placeOf(visit)).toContain('/server/')
    await page.goBack()
    await dialogOf(visit).waitFor({ state: 'detached' })
    answer()
    await expect.poll(() => new URL(page.url()).searchParams.get('q')).toBe('queens calculus')
    expect(await dialogOf(visit).count()).toBe(0)
  },
)

journey(
  'a server opened right after typing delays the search, which is in the address after it',
  seedDirectory,
  async (scene) => {
    const visit = await visitor(scene, phone)
    const { page, clock } = visit
    await clock.install()
    await visit.open('/classcords/all/')
    // The dialog is loaded.
    await titleOf(visit, 'Campus Commons').press('Enter')
    await dialogOf(visit).getByRole('link', { name: 'Join' }).waitFor()
    await closeDialog(visit)
    await expect.poll(() => placeOf(visit)).toBe('/classcords/all/')

    await clock.pauseAt(Date.now() + 1000)
    // As after a reload with a dialog open.
    await page.evaluate(() => history.replaceState({ dialogs: 1, load: 0 }, ''))
    await page.getByRole('searchbox', { name: 'Keywords' }).fill('linear')
    await titleOf(visit, 'Campus Commons').press('Enter')
    await dialogOf(visit).waitFor()
    await clock.runFor(1000)
    await expect.poll(() => placeOf(visit)).toContain('/server/')
    const address = page.url()
    await clock.resume()
    await dialogOf(visit).getByRole('link', { name: 'Join' }).waitFor()
    expect(page.url()).toBe(address)
    expect(new URL(address).search).toBe('')
    await page.goBack()
    await page.getByRole('heading', { level: 2, name: '3 servers for “linear”' }).waitFor()
    expect(page.url()).toBe(`${scene.app.url}/classcords/all/?q=linear`)
  },
)

journey(
  'an action already done in another tab is shown, and a double click acts once',
  seedDirectory,
  async (scene) => {
    const visit = await member(scene, 'regular', '/classcords/referrals/', phone)
    const { page } = visit
    const create = page.getByRole('button', { name: 'Create Referral' })
    await Promise.all([page.waitForEvent('domcontentloaded'), create.dblclick()])
    await visit.settle()
    await page.getByText('Referral created successfully!').waitFor()
    expect(await scene.app.sql('SELECT 1 FROM referral')).toHaveLength(1)

    // A second press while the answer to the first is on its way.
    const slow = await visit.tab()
    await slow.open('/classcords/referrals/')
    await slow.page.evaluate(() => {
      const { dataset } = document.body
      HTMLFormElement.prototype.submit = () => void (dataset['sent'] = `${dataset['sent'] ?? ''}1`)
    })
    await slow.page.getByRole('button', { name: 'Revoke' }).click()
    const press = () =>
      dialogOf(slow)
        .getByRole('button', { name: 'Revoke' })
        .evaluate((button: HTMLElement) => button.click())
    await press()
    await press()
    expect(await slow.page.evaluate(() => document.body.dataset['sent'])).toBe('1')

    // A referral that was revoked in another tab.
    const other = await visit.tab()
    await other.open('/classcords/referrals/')
    for (const { page: tab } of [visit, other]) await tab.getByRole('button', { name: 'Revoke' }).click()
    await other.follow(dialogOf(other).getByRole('button', { name: 'Revoke' }))
    await other.page.getByText('Referral revoked.').waitFor()
    visit.expectStatus(409)
    await visit.follow(dialogOf(visit).getByRole('button', { name: 'Revoke' }))
    await page
      .getByRole('main')
      .getByText(/revoked|used/)
      .first()
      .waitFor()
    await visit.measure('a referral that is revoked already')
    await visit.follow(page.getByRole('link', { name: 'Go back and try again' }))
    expect(placeOf(visit)).toBe('/classcords/referrals/')

    // An invite that was withdrawn in another tab.
    const pending = 'Harbor State Psychology'
    for (const one of [visit, other]) {
      await one.open('/classcords/profile/')
      await one.page
        .getByRole('listitem')
        .filter({ hasText: pending })
        .getByRole('button', { name: 'Withdraw' })
        .click()
    }
    await other.follow(dialogOf(other).getByRole('button', { name: 'Withdraw' }))
    visit.expectStatus(404)
    await visit.follow(dialogOf(visit).getByRole('button', { name: 'Withdraw' }))
    expect(await page.getByRole('listitem').filter({ hasText: pending }).count()).toBe(0)
  },
)
