import { expect } from 'vitest'
import type { App } from './app.ts'
import { closeDialog, comeThroughDiscord, dialogOf, member, placeOf, titleOf, visitor } from './directory.ts'
import { journey } from './journey.ts'
import { enter, enterPage, tabTo } from './keyboard.ts'
import { schools, seedDirectory } from './seed-directory.ts'
import type { Visit } from './visit.ts'

const phone = { width: 390 }

/** A card grows into its dialog, unless motion is reduced. */
async function watchGrowth(visit: Visit): Promise<void> {
  const { page } = visit
  await page.emulateMedia({ reducedMotion: 'no-preference' })
  await visit.open('/classcords/')
  const card = titleOf(visit, 'Campus Commons')
  await card.hover()
  await card.click()
  await dialogOf(visit).getByRole('link', { name: 'Join' }).waitFor()
  await closeDialog(visit)
  await page.evaluate(() => {
    const start = document.startViewTransition.bind(document)
    document.startViewTransition = (update) => {
      const transition = start(update)
      void transition.ready.then(() => {
        const names = document
          .getAnimations()
          .map(({ effect }) => effect instanceof KeyframeEffect && effect.pseudoElement)
        document.body.dataset['moved'] = names.join(' ')
      })
      return transition
    }
  })
  const moved = () => page.evaluate(() => document.body.dataset['moved'] ?? '')
  await card.click()
  await expect.poll(moved).toContain('::view-transition-group(server-band)')
  await closeDialog(visit)

  await page.emulateMedia({ reducedMotion: 'reduce' })
  await page.evaluate(() => delete document.body.dataset['moved'])
  await card.click()
  await dialogOf(visit).getByRole('link', { name: 'Join' }).waitFor()
  expect(await moved()).toBe('')
}

journey(
  'a card grows into its dialog, Back closes it, and its address shows the same',
  seedDirectory,
  async (scene) => {
    const visit = await visitor(scene, phone)
    const { page } = visit
    await visit.open('/classcords/login/')
    await visit.open('/classcords/all/?q=campus')
    const card = titleOf(visit, 'Campus Commons')
    await enter(visit, card)
    await dialogOf(visit).getByRole('link', { name: 'Join' }).waitFor()
    await expect.poll(() => placeOf(visit)).toMatch(/^\/classcords\/server\/\d+\/$/)
    const address = page.url()
    await page.goBack()
    await dialogOf(visit).waitFor({ state: 'detached' })
    expect(new URL(page.url()).search).toBe('?q=campus')
    expect(await visit.focused()).toBe('Campus Commons')

    // Closed by hand, it leaves nothing in the history: the next Back leaves the page.
    for (const key of ['Escape', 'Enter']) {
      await card.press('Enter')
      await dialogOf(visit).getByRole('link', { name: 'Join' }).waitFor()
      await expect.poll(() => placeOf(visit)).toContain('/server/')
      if (key === 'Enter') await dialogOf(visit).getByRole('button', { name: 'Close' }).focus()
      await page.keyboard.press(key)
      await dialogOf(visit).waitFor({ state: 'detached' })
      await expect.poll(() => new URL(page.url()).search).toBe('?q=campus')
    }
    // Forward does not bring it back.
    await page.goForward().catch(() => null)
    await expect.poll(() => new URL(page.url()).search).toBe('?q=campus')
    expect(await dialogOf(visit).count()).toBe(0)
    await page.goBack()
    expect(placeOf(visit)).toBe('/classcords/login/')
    await visit.open(address)
    await page.getByRole('heading', { name: 'Campus Commons', level: 1 }).waitFor()
    await watchGrowth(visit)
  },
)

journey('Back from a server leads to the list that it was opened from', seedDirectory, async (scene) => {
  const visit = await visitor(scene, phone)
  const { page } = visit
  const isListed = () => page.getByRole('heading', { name: 'Explore All Class Servers', level: 1 }).waitFor()
  const isServer = () => page.getByRole('heading', { name: 'Campus Commons', level: 1 }).waitFor()
  await visit.open('/classcords/all/?q=campus')
  await enter(visit, titleOf(visit, 'Campus Commons'))
  const dialog = dialogOf(visit)
  await dialog.getByRole('link', { name: 'Join' }).waitFor()
  await expect.poll(() => placeOf(visit)).toContain('/server/')
  await visit.follow(dialog.getByRole('link', { name: schools.harbor }))
  await page.goBack()
  await isServer()
  await page.reload()
  await visit.settle()
  await page.goBack()
  await isListed()
  expect(await page.getByRole('searchbox', { name: 'Keywords' }).inputValue()).toBe('campus')
  // Forward does not bring it back.
  await page.goForward().catch(() => null)
  await expect.poll(() => page.url()).toBe(`${scene.app.url}/classcords/all/?q=campus`)
  await isListed()
})

journey('a submission outlives its dialog, a reload and its session', seedDirectory, async (scene) => {
  const visit = await member(scene, 'regular', '/classcords/', phone)
  const { page } = visit
  const { keyboard } = page
  await enter(visit, 'Add Discord Invite')
  await expect.poll(() => visit.focused()).toBe('Discord invite URL')
  await keyboard.type('discord.gg/harbor-state-statistics')
  await tabTo(visit, page.getByLabel('Notes'))
  await keyboard.type('Bring questions')
  await enter(visit, 'Next')
  await expect.poll(() => visit.focused()).toBe('Subject')
  await keyboard.type('math')
  await page.getByRole('option', { name: 'Mathematics' }).waitFor()
  await keyboard.press('Enter')
  await tabTo(visit, page.getByLabel('Public'))
  await keyboard.press('ArrowDown')
  const isAsItWas = async () => {
    const dialog = dialogOf(visit)
    await dialog.getByText('Step 2 of 2: the classes').waitFor()
    expect(await page.getByLabel('Subject').inputValue()).toBe('Mathematics')
    expect(await page.getByLabel('Private').isChecked()).toBe(true)
  }
  await page.goBack()
  await dialogOf(visit).waitFor({ state: 'detached' })
  expect(await visit.focused()).toBe('Add Discord Invite')
  await keyboard.press('Enter')
  await isAsItWas()
  await visit.inspect('a submission that goes on')
  await page.reload()
  await visit.settle()
  await isAsItWas()

  // Its session ends elsewhere; logging in returns to it. No other request may be the first to learn of the end.
  await page.waitForLoadState('networkidle')
  await scene.app.sql('DELETE FROM session')
  visit.expectStatus(401)
  await enter(visit, 'Submit Invite')
  const again = dialogOf(visit).getByRole('link', { name: 'Log in again' })
  await again.waitFor()
  await visit.inspect('a submission whose session has ended')
  await enterPage(visit, again)
  await comeThroughDiscord(visit, 'regular')
  await isAsItWas()
  await enterPage(visit, 'Submit Invite')
  await page.getByText('Invite submitted!', { exact: false }).waitFor()
  await enter(visit, 'Add Discord Invite')
  expect(await page.getByLabel('Discord invite URL').inputValue()).toBe('')
})

/** Two notifications are marked as read at the same time. */
async function markTogether(app: App, visit: Visit): Promise<void> {
  const { page } = visit
  await app.sql(
    `INSERT INTO notice (discord_user_id, kind, title, body, url, created_at)
     SELECT d.id, 'report', value, '', '', ? FROM discord_user d, json_each('["One", "Another", "Third"]') WHERE d.display_name = 'Riley Chen'`,
    Date.now(),
  )
  await visit.open('/classcords/notices/')
  const first = page.waitForRequest(/notices\/\d+\/read/)
  const held = Promise.withResolvers<void>()
  await page.route(/notices\/\d+\/read/, async (route) => {
    await held.promise
    await route.continue()
  })
  await page.getByRole('button', { name: /^Mark as read.*One$/ }).dblclick()
  await first
  await page.getByRole('button', { name: /^Mark as read.*Another$/ }).click()
  held.resolve()
  await page.getByText('1 unread notification', { exact: true }).waitFor()
  // One that the page does not show stays unread.
  await app.sql(
    `INSERT INTO notice (discord_user_id, kind, title, body, url, created_at)
     SELECT id, 'report', 'Later', '', '', ? FROM discord_user WHERE display_name = 'Riley Chen'`,
    Date.now() + 1000,
  )
  const all = page.getByRole('button', { name: 'Mark all as read' })
  await all.click()
  await all.waitFor({ state: 'hidden' })
  await page.getByText('1 unread notification', { exact: true }).waitFor()
  expect(await page.locator('#unread-notices').innerText()).toBe('1')
  await visit.open('/classcords/notices/')
  await page.getByRole('button', { name: /^Mark as read.*Later$/ }).click()
  await page.getByText('No unread notifications.').waitFor()
}

journey(
  "a user's own pending invite is edited, then withdrawn, and notifications are read",
  seedDirectory,
  async (scene) => {
    const visit = await member(scene, 'regular', '/classcords/profile/', phone)
    const { page } = visit
    const mine = page.getByRole('listitem').filter({ hasText: 'Harbor State Psychology' })
    await enter(visit, mine.getByRole('button', { name: 'Edit' }))
    const dialog = page.getByRole('dialog', { name: 'Edit Discord Invite' })
    await tabTo(visit, dialog.getByLabel('Notes'))
    await page.keyboard.press('Control+A')
    await page.keyboard.type('Read chapter one')
    await enter(visit, 'Next')
    await dialog.getByText('Step 2 of 2: the classes').waitFor()
    await visit.inspect('a pending invite that is edited')
    await enterPage(visit, 'Submit Invite')
    await page.getByText('Invite submitted!', { exact: false }).waitFor()
    expect(
      await scene.app.sql("SELECT 1 FROM invite WHERE notes_md = 'Read chapter one' AND state = 'pending'"),
    ).toHaveLength(1)

    await enter(visit, mine.getByRole('button', { name: 'Withdraw' }))
    const asking = page.getByRole('alertdialog', { name: 'Withdraw this invite?' })
    await asking.waitFor()
    await visit.inspect('the question before an invite is withdrawn')
    await enterPage(visit, asking.getByRole('button', { name: 'Withdraw' }))
    await page.getByRole('heading', { name: 'My Profile' }).waitFor()
    expect(await mine.count()).toBe(0)
    await markTogether(scene.app, visit)
  },
)
