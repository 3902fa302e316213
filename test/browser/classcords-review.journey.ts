import { expect } from 'vitest'
import type { App } from './app.ts'
import { cardOf, closeDialog, dialogOf, member, titleOf } from './directory.ts'
import { journey } from './journey.ts'
import { enter, tabTo } from './keyboard.ts'
import { schools, seedDirectory } from './seed-directory.ts'
import type { Visit } from './visit.ts'

const linkOf = (code: string): string => `https://discord.gg/${code}`
const next = ({ page }: Visit) => page.getByRole('button', { name: 'Next', exact: true })

/** Adds the dialog's messages to a list that survives the page, to be read after the reload that follows. */
async function rememberWords({ page }: Visit): Promise<void> {
  await page.evaluate(() => {
    new MutationObserver(() => {
      const said = document.querySelector('dialog[open] [role="status"] .message-success')?.textContent
      if (said) sessionStorage.setItem('said', said)
    }).observe(document.body, { childList: true, subtree: true })
  })
}

const rememberedWords = ({ page }: Visit): Promise<string | null> =>
  page.evaluate(() => {
    const said = sessionStorage.getItem('said')
    sessionStorage.removeItem('said')
    return said
  })

/** Presses the submit button, and waits for the page that follows. */
async function submits(visit: Visit, button: string): Promise<void> {
  await rememberWords(visit)
  await visit.follow(dialogOf(visit).getByRole('button', { name: button }))
  expect(await rememberedWords(visit)).toBe('Discord server successfully added!')
}

async function refusedLinks({ app }: { app: App }, visit: Visit): Promise<void> {
  const { page } = visit
  const dialog = dialogOf(visit)
  const url = page.getByLabel('Discord invite URL')
  expect(await next(visit).isDisabled()).toBe(true)
  await url.fill('   ')
  expect(await next(visit).isDisabled()).toBe(true)
  await url.fill('calculus club')
  await page.keyboard.press('Tab')
  await dialog.getByText('Enter a URL, such as').waitFor()
  for (const status of [400, 409, 422, 502]) visit.expectStatus(status)
  for (const [link, words] of [
    ['https://example.com/abc', 'Invalid Discord invite URL provided'],
    [linkOf('no-such-invite'), 'this invite does not exist or has expired'],
    [linkOf('expires-soon'), 'Only permanent Discord invites are allowed.'],
    [linkOf('group-chat'), 'this invite does not lead to a server'],
    ['discord.com/invite/campus-commons', 'This Discord invite has already been submitted'],
  ] as const) {
    await url.fill(link)
    await next(visit).click()
    await dialog.getByText(words).waitFor()
    expect(await url.inputValue()).toBe(link)
    expect(await url.getAttribute('aria-invalid')).toBe('true')
    await expect.poll(() => url.evaluate((field) => field === document.activeElement)).toBe(true)
  }
  await visit.inspect('a link that is refused')
  // The previous error was about another link.
  await url.fill('calculus club')
  await dialog.getByText('already been submitted').waitFor({ state: 'detached' })
  for (const [mode, words] of [
    ['http_429', 'Discord could not be reached (Discord is busy)'],
    ['http_500', 'Discord could not be reached (status 500)'],
  ] as const) {
    app.world.world.faults.set({ service: 'discord', mode, times: null })
    await url.fill(linkOf('harbor-state-statistics'))
    await next(visit).click()
    await dialog.getByText(words).waitFor()
    expect(await url.getAttribute('aria-invalid'), 'the link is not wrong').toBeNull()
    app.world.world.faults.clear()
  }
}

async function notesAndClasses(visit: Visit): Promise<void> {
  const { page } = visit
  const dialog = dialogOf(visit)
  const notes = page.getByLabel('Notes')
  const counter = dialog.locator('.counter')
  await notes.fill('x'.repeat(229))
  expect(await counter.getAttribute('class')).not.toContain('warning')
  await notes.fill('x'.repeat(230))
  await dialog.getByText('230 / 255').waitFor()
  expect(await counter.getAttribute('class')).toContain('warning')
  await notes.fill('x'.repeat(256))
  await dialog.getByText('The notes are longer than 255 characters.').waitFor()
  await next(visit).click()
  expect(await visit.focused()).toBe('Notes')
  await notes.fill('**Bring** questions')
  await next(visit).click()

  await dialog.getByText('Harbor State Statistics').waitFor()
  expect(await page.getByLabel('School (required)').inputValue()).toBe(schools.harbor)
  expect(await page.getByLabel('Courses').isDisabled()).toBe(true)
  expect(await page.getByLabel('Instructors').isDisabled()).toBe(true)
  await page.getByLabel('Subject').fill('math')
  await page.getByRole('option', { name: 'Mathematics' }).click()
  for (const [label, options] of [
    ['Courses', ['MATH 2210 - Calculus I', 'MATH 3100 - Linear Algebra']],
    ['Instructors', ['Ada Lindqvist', 'Grace Okonkwo', 'Emmy Castellanos']],
  ] as const) {
    for (const option of options) {
      await page.getByLabel(label, { exact: true }).click()
      await page.getByRole('option', { name: option, exact: true }).click()
    }
  }
  await dialog.getByRole('button', { name: 'Grace Okonkwo' }).click()
  await page.getByLabel('Private').check()
  await visit.inspect('the classes of a server')
  // Going back and forth loses nothing.
  await dialog.getByRole('button', { name: 'Back' }).click()
  expect(await notes.inputValue()).toBe('**Bring** questions')
  await next(visit).click()
  await dialog.getByRole('button', { name: 'MATH 3100 - Linear Algebra' }).waitFor()
}

journey('a queue whose next page does not load is not called empty', seedDirectory, async (scene) => {
  await scene.app.sql(
    "UPDATE user SET is_superuser = 1 WHERE id IN (SELECT user_id FROM discord_user WHERE role = 'manager')",
  )
  await scene.app.sql("DELETE FROM invite WHERE state = 'pending' AND code <> 'northfield-tech-psychology'")
  const manager = await member(scene, 'manager', '/classcords/unapproved-invites/', { width: 390 })
  const { page } = manager
  // Keys that lead elsewhere decide nothing.
  await page.getByRole('button', { name: 'Search or jump to' }).waitFor()
  await page.keyboard.press('g')
  await page.keyboard.press('a')
  await page.waitForURL(/add_classes/)
  await manager.settle()
  expect(await scene.app.sql("SELECT 1 FROM invite WHERE state = 'pending'")).toHaveLength(1)
  await manager.open('/classcords/unapproved-invites/')
  await page.route('**/unapproved-invites/', (route) => route.fulfill({ status: 500, json: ['Broken'] }))
  manager.expectStatus(500)
  await page.getByRole('button', { name: 'Approve Invite' }).click()
  await page.getByRole('heading', { name: 'More invites could not be loaded' }).waitFor()
  expect(await page.getByText('No Pending Invites').count()).toBe(0)
  await manager.inspect('a review queue whose next page does not load')
  await page.unroute('**/unapproved-invites/')
  await page.getByRole('button', { name: 'Try again' }).click()
  await page.getByText('No Pending Invites').waitFor()
})

journey(
  'looking at a submission replaces no draft, and typed text is not discarded without a question',
  seedDirectory,
  async (scene) => {
    const visit = await member(scene, 'regular', '/classcords/#add', { width: 390 })
    const { page } = visit
    const link = page.getByLabel('Discord invite URL')
    /** Closing a dialog goes back in the history, which would interrupt the way to another page. */
    const closed = async () => {
      await dialogOf(visit).waitFor({ state: 'detached' })
      await expect.poll(() => new URL(page.url()).hash).toBe('')
      await expect.poll(() => page.evaluate(() => Boolean(history.state?.dialogs))).toBe(false)
    }
    const close = async () => {
      await dialogOf(visit).getByRole('button', { name: 'Close' }).click()
      await closed()
    }
    await link.fill('discord.gg/typed-earlier')
    await close()
    await scene.app.sql("UPDATE invite SET state = 'rejected', decided_at = 1 WHERE code = 'harbor-state-psychology'")
    await visit.open('/classcords/profile/')
    await page.getByRole('button', { name: 'Submit again' }).click()
    expect(await link.inputValue()).toBe(linkOf('harbor-state-psychology'))
    const details = page.getByText('Step 2 of 2: the classes')
    await next(visit).click()
    await details.waitFor()
    await close()
    await visit.open('/classcords/#add')
    expect(await link.inputValue()).toBe('discord.gg/typed-earlier')

    await scene.app.sql("UPDATE invite SET state = 'pending', decided_at = NULL WHERE code = 'harbor-state-psychology'")
    await visit.open('/classcords/profile/')
    await page.getByRole('button', { name: /^Edit/ }).click()
    await next(visit).click()
    await details.waitFor()
    await close()
    await page.getByRole('button', { name: /^Edit/ }).click()
    await page.getByLabel('Notes').fill('Other notes')
    await page.keyboard.press('Escape')
    const question = page.getByRole('alertdialog', { name: 'Discard what you typed?' })
    await question.getByRole('button', { name: 'Cancel' }).click()
    expect(await page.getByLabel('Notes').inputValue()).toBe('Other notes')
    await page.keyboard.press('Escape')
    await question.getByRole('button', { name: 'Discard' }).click()
    await closed()

    // A report outlives its dialog.
    await visit.open('/classcords/')
    const reason = page.getByLabel('What is wrong with it?')
    for (const typed of ['', 'Nobody answers.']) {
      await titleOf(visit, 'Campus Commons').click()
      await page.getByText('Report this server').click()
      expect(await reason.inputValue()).toBe(typed)
      await reason.fill('Nobody answers.')
      await closeDialog(visit)
    }
  },
)

journey('a student submits, a manager decides, and both are notified', seedDirectory, async (scene) => {
  const student = await member(scene, 'regular', '/classcords/')
  const { page } = student
  expect(await page.locator('.locked').count()).toBe(0)
  await page.getByRole('button', { name: 'Add Discord Invite' }).click()
  await refusedLinks(scene, student)
  await notesAndClasses(student)
  await submits(student, 'Submit Invite')
  await page.getByText('Invite submitted! It will need to be approved by a site admin before it is visible').waitFor()

  // A listed server needs no second step.
  await page.getByRole('button', { name: 'Add Discord Invite' }).click()
  await page.getByLabel('Discord invite URL').fill(linkOf('vanity'))
  await submits(student, 'Next')
  await student.open('/classcords/profile/')
  const submitted = page.getByRole('listitem').filter({ hasText: 'Harbor State Statistics' })
  await submitted.getByText('Pending', { exact: true }).waitFor()
  await submitted.getByText('Number 5 in the review queue.').waitFor()

  const manager = await member(scene, 'manager', '/classcords/', { isDark: true, width: 390 })
  await manager.page.getByText('6 pending invite submission(s) awaiting approval').waitFor()
  await manager.measure('welcome for a manager')
  await manager.follow(manager.page.getByRole('link', { name: 'Review Invites' }))
  await manager.page.getByRole('heading', { name: 'Unapproved Discord Invites', level: 1 }).waitFor()
  await manager.page.getByText('Review and approve Discord server invites submitted by other users').waitFor()
  await decide(scene, manager)

  // The student sees the rejection, and tries again.
  await student.open('/classcords/')
  const bell = page.getByRole('link', { name: 'Notifications' })
  await expect.poll(() => bell.locator('#unread-notices').innerText()).toBe('2')
  await student.follow(bell)
  await page.getByText('2 unread notifications').waitFor()
  await page.getByText('It is not for a class.').waitFor()
  await student.inspect('notices')
  await page
    .getByRole('button', { name: /^Mark as read/ })
    .first()
    .click()
  await expect.poll(() => bell.locator('#unread-notices').innerText()).toBe('1')
  await page.getByRole('button', { name: 'Mark all as read' }).click()
  await page.getByText('No unread notifications.').waitFor()
  await bell.locator('#unread-notices').waitFor({ state: 'hidden' })
  await student.open('/classcords/profile/')
  await submitted.getByText('Reason: It is not for a class.').waitFor()
  await student.inspect('a profile with a rejected submission')
  await submitted.getByRole('button', { name: 'Submit again' }).click()
  expect(await page.getByLabel('Discord invite URL').inputValue()).toBe(linkOf('harbor-state-statistics'))
  expect(await page.getByLabel('Notes').inputValue()).toBe('**Bring** questions')
  await next(student).click()
  await dialogOf(student).getByText('Harbor State Statistics').waitFor()
  await submits(student, 'Submit Invite')
  await submitted.getByText('Pending', { exact: true }).waitFor()
  expect(await page.getByRole('button', { name: 'Submit again' }).count()).toBe(0)

  await report(student)
  await manager.open('/classcords/')
  await expect.poll(() => manager.page.locator('#unread-notices').innerText()).toBe('1')
  await titleOf(manager, 'Harbor State Calculus I').click()
  await dialogOf(manager)
    .getByText(/\d+ uses in the last 30 days/)
    .waitFor()
  await manager.measure('a server as a manager sees it')
  await closeDialog(manager)

  // A manager's own invite needs no approval.
  await manager.page.getByRole('button', { name: 'Add Discord Invite' }).click()
  await manager.page.getByLabel('Discord invite URL').fill(linkOf('queens-college-statistics'))
  await next(manager).click()
  await manager.page.getByLabel('School (required)').fill('queens')
  await manager.page.keyboard.press('Enter')
  await manager.clock.install()
  await manager.clock.pauseAt(Date.now() + 1000)
  await dialogOf(manager).getByRole('button', { name: 'Submit Invite' }).click()
  const added = dialogOf(manager).getByText('Discord server successfully added!')
  await added.waitFor()
  await manager.clock.runFor(99)
  await added.waitFor()
  await Promise.all([manager.page.waitForEvent('domcontentloaded'), manager.clock.runFor(1)])
  await manager.clock.resume()
  await manager.open('/classcords/profile/')
  const own = manager.page.getByRole('listitem').filter({ hasText: 'Queens College Statistics' })
  await own.getByText('Listed in the directory.').waitFor()
})

async function report(student: Visit): Promise<void> {
  const { page } = student
  await student.open('/classcords/')
  await titleOf(student, 'Campus Commons').click()
  const dialog = dialogOf(student)
  await dialog.getByText('Report this server').click()
  await dialog.getByRole('button', { name: 'Send report' }).click()
  await dialog.getByText('Say what is wrong.').waitFor()
  await page.getByLabel('What is wrong with it?').fill('It sells answers.')
  await dialog.getByRole('button', { name: 'Send report' }).click()
  await dialog.getByText('Thank you. The managers will look at it.').waitFor()
  await closeDialog(student)
}

async function decide({ app }: { app: App }, manager: Visit): Promise<void> {
  const { page, clock } = manager
  const cards = page.locator('li.fold')
  const card = (name: string) => cardOf(manager, name)
  const approve = (name: string) => card(name).getByRole('button', { name: 'Approve Invite' })
  const said = (text: string) => page.locator('.toasts').getByText(text)
  expect(await cards.getByRole('heading').allInnerTexts()).toEqual([
    'Harbor State Psychology',
    'Harbor State English Composition',
    'Northfield Tech Psychology',
    'Queens College Psychology',
    'Harbor State Statistics',
    'Campus Commons',
  ])
  const statistics = card('Harbor State Statistics')
  for (const text of ['Riley Chen', 'Regular User', 'Private Server', 'New server', 'Valid', '**Bring** questions'])
    await statistics.getByText(text, { exact: true }).waitFor()
  await statistics.getByText('MATH 2210, MATH 3100').waitFor()
  await statistics.getByText('Ada Lindqvist, Emmy Castellanos').waitFor()
  await manager.inspect('unapproved invites')
  const dead = card('Harbor State English Composition')
  await dead.getByText('Invalid', { exact: true }).waitFor()
  for (const button of ['Approve Invite', 'Reject'])
    expect(await dead.getByRole('button', { name: button }).isDisabled()).toBe(true)

  // The keys act on the first card; their action can be undone.
  await page.keyboard.press('a')
  await said('The invite to Harbor State Psychology was approved.').waitFor()
  await card('Harbor State Psychology').waitFor({ state: 'detached' })
  expect(await manager.focused()).toBe('Harbor State English Composition')
  await enter(manager, 'Undo')
  await said('The invite to Harbor State Psychology is pending again.').waitFor()
  expect(await cards.first().getByRole('heading').innerText()).toBe('Harbor State Psychology')
  await enter(manager, approve('Campus Commons'))
  await card('Campus Commons').waitFor({ state: 'detached' })

  // One that does not work is checked again, and closed.
  manager.expectStatus(422)
  await enter(manager, dead.getByRole('button', { name: 'Check again' }))
  await cards.filter({ has: dead }).getByRole('alert').getByText('This invite still does not work').waitFor()
  await enter(manager, dead.getByRole('button', { name: 'Close invite' }))
  await said('The invite to Harbor State English Composition was closed.').waitFor()
  await dead.waitFor({ state: 'detached' })

  // Letters typed into the reason decide nothing.
  await enter(manager, statistics.locator('summary'))
  await tabTo(manager, statistics.getByLabel('Reason'))
  await page.keyboard.type('It is not for a class.')
  expect(await cards.count()).toBe(4)
  await page.keyboard.press('Shift+Tab')
  await page.keyboard.press('r')
  await said('The invite to Harbor State Statistics was rejected.').waitFor()
  await statistics.waitFor({ state: 'detached' })
  await page.locator('.toasts').getByRole('button', { name: 'Undo' }).last().click()
  await said('The invite to Harbor State Statistics is pending again.').waitFor()
  expect(await statistics.getByLabel('Reason').inputValue()).toBe('It is not for a class.')
  await statistics.getByRole('button', { name: 'Reject' }).click()
  await statistics.waitFor({ state: 'detached' })

  // Someone else was faster: the card says so, can only be dismissed, and the keys act on the one after it.
  await app.sql("UPDATE invite SET state = 'rejected' WHERE code = 'northfield-tech-psychology'")
  manager.expectStatus(409)
  const gone = card('Northfield Tech Psychology')
  await enter(manager, approve('Northfield Tech Psychology'))
  const alert = cards.filter({ has: gone }).getByRole('alert')
  await alert.getByRole('listitem').getByText('This invite has already been rejected').waitFor()
  expect(await alert.evaluate((element) => element === document.activeElement)).toBe(true)
  expect(await gone.getByRole('button').allInnerTexts()).toEqual(['Dismiss'])
  expect(await card('Queens College Psychology').locator('[aria-keyshortcuts]').count()).toBe(2)
  await manager.inspect('an invite that was decided elsewhere')
  await enter(manager, gone.getByRole('button', { name: 'Dismiss' }))
  await gone.waitFor({ state: 'detached' })
  expect(await manager.focused()).toBe('Queens College Psychology')
  await manager.inspect('unapproved invites after decisions')

  // Its server got the other privacy meanwhile: the card says what an approval would change, and can still be approved.
  await app.sql(
    "UPDATE discord_server SET privacy_level = iif(privacy_level = 'public', 'private', 'public'), admin_privacy_at = 0 WHERE name = 'Queens College Psychology'",
  )
  manager.expectStatus(409)
  const changed = card('Queens College Psychology')
  await approve('Queens College Psychology').click()
  await cards.filter({ has: changed }).getByRole('alert').getByText('Approve it again if you want that.').waitFor()
  await changed.getByText(/^The server is (public|private)\. Approving this invite/).waitFor()
  await manager.inspect('an invite that would change the privacy of its server')

  // With motion enabled the card takes 300 ms to disappear.
  await page.emulateMedia({ reducedMotion: 'no-preference' })
  await clock.install()
  await clock.pauseAt(Date.now() + 1000)
  let release = (): void => undefined
  const held = new Promise<void>((resolve) => (release = resolve))
  await page.route('**/approve/', (route) => held.then(() => route.continue()))
  await approve('Queens College Psychology').click()
  await card('Queens College Psychology').locator('button[aria-busy="true"] .spinner').waitFor()
  release()
  const going = page.locator('li.fold-away')
  await going.waitFor({ state: 'attached' })
  expect(await going.evaluate((element) => getComputedStyle(element).transitionDuration)).toBe('0.3s, 0.3s')
  expect(await going.getByRole('button', { name: 'Approve Invite' }).isDisabled()).toBe(true)
  await clock.runFor(299)
  expect(await going.count()).toBe(1)
  await clock.runFor(1)
  await going.waitFor({ state: 'detached' })
  await clock.resume()
  await page.emulateMedia({ reducedMotion: 'reduce' })
}
