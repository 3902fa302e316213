import { expect } from 'vitest'
import { DEMO_PHONE } from '../world/start/seed.ts'
import { journey, type Scene } from './journey.ts'
import { sectionWithStatus, type KnownSection, setSeats, textsTo, watch } from './sections.ts'
import { seedCatalog } from './seed.ts'
import type { Visit } from './visit.ts'

/** A seat opens, a text arrives: the section, and the path of the link in the text. */
async function receiveText({ app }: Scene): Promise<{ section: KnownSection; path: string }> {
  const section = await sectionWithStatus(app, 'closed')
  await watch(app, 1, section)
  await setSeats(app, section, { available: 2, status: 'open' })
  await app.tick()
  await expect.poll(() => textsTo(app, DEMO_PHONE)).toHaveLength(1)
  const [text = ''] = await textsTo(app, DEMO_PHONE)
  const [path = ''] = /\/s\/[0-9A-Za-z]{10}/.exec(text) ?? []
  return { section, path }
}

const deliveries = (scene: Scene) =>
  scene.app.sql<{ state: string; seen_at: number | null; opened_at: number | null }>(
    "SELECT state, seen_at, opened_at FROM delivery WHERE channel = 'phone'",
  )

/** The link of an email stops its messages, which can be undone. */
async function stopEmails({ app }: Scene, visit: Visit, section: KnownSection): Promise<void> {
  const { page } = visit
  const [letter] = app.world.world.emails
  expect(letter?.subject).toContain(section.name.split(' - ')[0])
  const link = /https?:\/\/\S+\/notify\/unsubscribe\/[\w.~-]+/.exec(letter?.text ?? '')?.[0] ?? ''
  expect(letter?.html).toContain(link)
  expect(letter?.headers['List-Unsubscribe']).toBe(`<${link}>`)

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
  await page.getByText('Class alerts to r•••@example.com are no longer stopped.').waitFor()
  expect(await isOptedOut()).toBe(false)
}

journey(
  'the links of a text and an email show the seat, copy its number and stop messages',
  seedCatalog,
  async (scene) => {
    const { section, path } = await receiveText(scene)
    const visit = await scene.visit({ width: 390 })
    const { page } = visit
    await visit.context.grantPermissions(['clipboard-read', 'clipboard-write'])
    await visit.open(path)
    await page.getByText('Open now', { exact: true }).waitFor()
    await page.getByText('2 left').waitFor()
    await page.getByRole('link', { name: /^Register at / }).waitFor()
    await visit.inspect('an alert that is open')
    // On paper, a sentence about a button is useless without it.
    const offer = page.getByText('Got a seat?')
    expect(await offer.isVisible()).toBe(true)
    await page.emulateMedia({ media: 'print' })
    expect(await offer.isVisible()).toBe(false)
    await page.emulateMedia({ media: 'screen' })
    await expect.poll(async () => (await deliveries(scene))[0]?.opened_at ?? 0).toBeGreaterThan(0)
    expect((await deliveries(scene))[0]?.seen_at).toBeNull()

    await page.getByRole('button', { name: `Copy ${'CRN'} ${section.number}` }).click()
    await page.getByText('Copied').waitFor()
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(section.number)
    await expect.poll(async () => (await deliveries(scene))[0]?.seen_at ?? 0).toBeGreaterThan(0)

    await setSeats(scene.app, section, { available: 0, status: 'closed' })
    await scene.app.tick()
    await expect
      .poll(
        async () =>
          (await scene.app.sql("SELECT 1 FROM section WHERE id = ? AND status = 'closed'", section.id)).length,
      )
      .toBe(1)
    await visit.open(path)
    await page.getByText('Full again').waitFor()
    await page.getByText('still watching').waitFor()
    await visit.inspect('an alert whose seat is gone')

    const { url, world } = scene.app.world
    const mailbox = await scene.visit({ width: 390, otherOrigins: [url] })
    await expect.poll(() => world.emails.length).toBeGreaterThan(0)
    await mailbox.page.goto(`${url}/mailbox/${world.emails.at(-1)?.id}`)
    await mailbox.page.frameLocator('iframe').getByText('Is it still open?').waitFor()
    await mailbox.measure('the mail about it, in the world’s mailbox')

    await stopEmails(scene, visit, section)

    visit.expectStatus(404)
    await visit.open('/s/0000000000')
    await page.getByText('Links also stop working after 30 days.').waitFor()
    await visit.inspectScreen('an unknown link')
  },
)

journey(
  "a text's page is up to date for those who come back, and stays without a connection",
  seedCatalog,
  async (scene) => {
    const { section, path } = await receiveText(scene)
    const visit = await scene.visit({ width: 390 })
    const { page, clock, context } = visit
    await clock.install()
    await visit.open(path)
    await page.getByText('Open now', { exact: true }).waitFor()
    await setSeats(scene.app, section, { available: 0, status: 'closed' })
    await scene.app.tick()
    const isClosed = () => scene.app.sql("SELECT 1 FROM section WHERE id = ? AND status = 'closed'", section.id)
    await expect.poll(isClosed).toHaveLength(1)
    const comeBack = () => page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')))
    await clock.fastForward(61_000)
    visit.expectStatus(0)
    await context.setOffline(true)
    const refused = page.waitForEvent('requestfailed')
    await comeBack()
    await refused
    await page.getByText(section.number).first().waitFor()
    await context.setOffline(false)
    await comeBack()
    await page.getByText('Full again').waitFor()
  },
)

journey("a text's page works without JavaScript", seedCatalog, async (scene) => {
  const { path } = await receiveText(scene)
  const visit = await scene.visit({ javaScriptEnabled: false, width: 390, isDark: true })
  const { page } = visit
  await visit.open(path)
  await page.getByText('Open now', { exact: true }).waitFor()
  expect(await page.getByRole('button', { name: /^Copy/ }).count()).toBe(0)
  await visit.inspect('an alert without a script')
  await visit.follow(page.getByRole('button', { name: 'I got the seat' }))
  await page.getByText('We stopped watching this class for you.').waitFor()
  expect(await scene.app.sql('SELECT 1 FROM watch')).toEqual([])
  await visit.follow(page.getByRole('button', { name: 'Watch it again' }))
  await page.getByRole('button', { name: 'I got the seat' }).waitFor()
  expect(await scene.app.sql('SELECT 1 FROM watch')).toHaveLength(1)
  expect((await deliveries(scene))[0]?.seen_at).toBeGreaterThan(0)
  await visit.follow(page.getByRole('button', { name: 'Stop all messages' }))
  await page.getByText('reply START').waitFor()
  expect(await scene.app.sql('SELECT 1 FROM contact WHERE recipient_id = 1 AND opted_out_at IS NULL')).toEqual([])
})
