import type { BrowserContext, Page, Worker } from 'playwright-core'
import { expect } from 'vitest'
import { control } from '../world/client.ts'
import type { App } from './app.ts'
import { journey, type Scene } from './journey.ts'
import { chooseInMenu } from './row-menu.ts'
import { sectionWithStatus, setSeats, watch } from './sections.ts'
import { seedCatalog } from './seed.ts'
import type { Visit } from './visit.ts'

/* With CHROME naming a full Chromium nothing in the browser is stubbed: in a separate profile it subscribes,
   receives, decrypts and shows; only Google's servers are the world's. npm's Chromium can do neither: there
   `subscribe` returns a device of the world, whose push service decrypts what the app sent; that is passed to the
   service worker through the DevTools protocol, and `showNotification` records its arguments. */

const recipient = 1

interface Shown {
  title: string
  body: string
  silent: boolean
  /** The content of the push message. */
  data: { url: string }
}

/** Gives the browser a device at the world's push service. */
async function stubSubscribe(app: App, context: BrowserContext): Promise<void> {
  const answer = await control(app.world.url, 'POST', 'devices', { name: 'Chrome on Linux' })
  const device = (await answer.json()) as { endpoint: string; keys: Record<string, string> }
  await context.addInitScript((given) => {
    const options = { applicationServerKey: new Uint8Array([4, 2]).buffer, userVisibleOnly: true }
    PushManager.prototype.subscribe = async () =>
      ({ ...given, options, toJSON: () => given }) as unknown as PushSubscription
  }, device)
}

/** Records what the service worker shows, if the browser cannot show it. */
async function stubNotifications(worker: Worker): Promise<void> {
  await worker.evaluate(() => {
    const own = self as unknown as { registration: ServiceWorkerRegistration; shown: unknown[] }
    own.shown = []
    own.registration.showNotification = async (title, options) => {
      own.shown.push({ title, body: options?.body, silent: options?.silent, data: options?.data })
    }
  })
}

/** Records what the service worker reports to the server. */
async function recordReports(worker: Worker): Promise<() => Promise<string[]>> {
  await worker.evaluate(() => {
    const own = self as unknown as { fetch: typeof fetch; reported: string[] }
    const send = own.fetch
    own.reported = []
    own.fetch = async (to, init) => {
      if (init?.body instanceof URLSearchParams) own.reported.push(init.body.get('event') ?? '')
      return send(to, init)
    }
  })
  return async () => worker.evaluate(() => (self as unknown as { reported: string[] }).reported)
}

async function shownBy(worker: Worker): Promise<Shown[]> {
  return worker.evaluate(async () => {
    const own = self as unknown as { registration: ServiceWorkerRegistration; shown?: Shown[] }
    if (own.shown) return own.shown
    return (await own.registration.getNotifications()).map(({ title, body, silent, data }) => ({
      title,
      body,
      silent: silent === true,
      data: data as Shown['data'],
    }))
  })
}

/** Passes a push message to the page's service worker as the browser does. */
async function deliverTo(page: Page): Promise<(message: object) => Promise<void>> {
  const session = await page.context().newCDPSession(page)
  const { origin } = new URL(page.url())
  let registrationId = ''
  session.on('ServiceWorker.workerRegistrationUpdated', ({ registrations }) => {
    registrationId = registrations.at(-1)?.registrationId ?? registrationId
  })
  await session.send('ServiceWorker.enable')
  return async (message) => {
    await expect.poll(() => registrationId).not.toBe('')
    const data = JSON.stringify(message)
    await session.send('ServiceWorker.deliverPushMessage', { origin, registrationId, data })
  }
}

async function fromInvitationToReceipt({ app, staff, visit, ownBrowser }: Scene): Promise<void> {
  const section = await sectionWithStatus(app, 'closed')
  await watch(app, recipient, section)
  const desk = await staff('/class_tracker/add_classes/')
  await chooseInMenu(desk.page, 'Copy invitation')
  const field = desk.page.getByRole('dialog').getByLabel('Invitation')
  await expect.poll(() => field.inputValue()).toMatch(/\/r\/1\.[\w-]{43}$/)
  await desk.inspect('an invitation')
  const invitation = await field.inputValue()
  await desk.page.getByRole('button', { name: 'Done' }).click()

  const look = { width: 390, isDark: true }
  const own = await ownBrowser(look)
  const phone = own ?? (await visit(look))
  const { page, context } = phone
  await context.grantPermissions(['notifications'], { origin: app.url })
  if (!own) await stubSubscribe(app, context)
  await phone.open(new URL(invitation).pathname)
  await page.getByRole('heading', { name: 'Class alerts for Robin Example' }).waitFor()
  await page
    .getByText(section.name.split(' - ').at(-1) ?? '')
    .first()
    .waitFor()
  await phone.inspect('a recipient’s own page')
  const deliver = await deliverTo(page)
  const begun = context.waitForEvent('serviceworker')
  const button = page.getByRole('button', { name: 'Get push notifications' })
  await button.click()
  const worker = await begun
  await page.getByText(/Notifications: Chrome on/).waitFor()
  await page.getByText('Notifications are on for this browser.').waitFor()
  if (!own) await stubNotifications(worker)
  const reported = await recordReports(worker)
  await phone.inspect('a recipient’s own page with a device')

  await setSeats(app, section, { available: 2, status: 'open' })
  await app.tick()
  if (!own) {
    const { notifications } = app.world.world
    await expect.poll(() => notifications.length).toBe(1)
    await deliver(JSON.parse(notifications[0]?.payload ?? '') as object)
  }
  await expect.poll(async () => (await shownBy(worker)).length).toBe(1)
  const [first] = await shownBy(worker)
  expect(first?.title).toMatch(/^Seat open: /)
  expect(first?.body).toContain('2 left')
  expect(first?.data.url).toMatch(/\/s\/[0-9A-Za-z]{10}$/)
  const states = () => app.sql<{ state: string }>("SELECT state FROM delivery WHERE channel = 'push'")
  await expect.poll(states).toEqual([{ state: 'delivered' }])

  // The same arrives eleven minutes late at a phone that was out of reach: a text may have come first, so it is silent.
  // If none has, it still comes: nobody heard the notification, so it does not count as seen.
  expect(first?.silent).toBe(false)
  await deliver({ ...first?.data, tag: 'out of reach', sent_at: Date.now() - 660_000 })
  await expect
    .poll(async () => (await shownBy(worker)).filter(({ silent }) => silent).map(({ title }) => title))
    .toEqual([first?.title])
  expect(await reported()).toEqual(['shown'])

  // It arrives late when the seat is taken.
  await setSeats(app, section, { available: 0, status: 'closed' })
  await app.tick()
  await expect
    .poll(async () => app.sql('SELECT status FROM section WHERE id = ?', section.id))
    .toEqual([{ status: 'closed' }])
  await deliver({ ...first?.data, tag: 'late', sent_at: Date.now() - 120_000 })
  const titles = async (): Promise<string[]> => (await shownBy(worker)).map(({ title }) => title)
  const gone = first?.title.replace('Seat open', 'No longer open')
  await expect.poll(titles).toEqual(expect.arrayContaining([first?.title, gone]))

  await desk.open('/class_tracker/class_alerts/')
  const alert = desk.page.getByRole('article').filter({ hasText: section.number })
  await alert.locator('.step').getByText('shown', { exact: true }).waitFor()
  await page.goto(new URL(first?.data.url ?? '').pathname)
  await page.getByText('0 left').waitFor()
}

journey('an invitation, a notification and its receipt', seedCatalog, fromInvitationToReceipt)

journey("a recipient's own page works without JavaScript", seedCatalog, async ({ app, staff, visit }) => {
  const desk = await staff('/class_tracker/')
  const answer = await desk.page.request.get(`/class_tracker/get_recipient_link/${recipient}`)
  const { url } = (await answer.json()) as { url: string }
  const own = await visit({ width: 390, javaScriptEnabled: false })
  const { page } = own
  const press = (name: string) => own.follow(page.getByRole('button', { name, exact: true }))
  const chosen = () => app.sql('SELECT quiet_from, quiet_until, is_reminded, paused_until > 0 AS paused FROM recipient')
  await own.open(new URL(url).pathname)
  await page.locator('noscript p').waitFor()
  expect(await page.getByRole('button', { name: 'Get push notifications' }).isVisible()).toBe(false)
  await own.measure('a recipient’s own page without JavaScript')

  await page.getByLabel('Text: •••• 0143').uncheck()
  await page.getByLabel('Remind me while a seat stays open').uncheck()
  await press('Save')
  await page.getByText('Your choices are saved.').waitFor()
  expect(await page.getByLabel('Text: •••• 0143').isChecked()).toBe(false)
  expect(await page.evaluate(() => location.hash)).toBe('#contacts')
  expect(await page.getByText('Your choices are saved.').isVisible()).toBe(true)
  await page.getByLabel('From').fill('22:00')
  own.expectStatus(422)
  await press('Save quiet hours')
  expect(await own.focused()).toBe('From')
  await page.getByLabel('Until').fill('07:00')
  await page.getByLabel('Time zone').selectOption('America/New_York')
  await press('Save quiet hours')
  await page.getByText('Your quiet hours are saved.').waitFor()
  await press('For a day')
  await page.getByText('Messages are paused until').waitFor()
  expect(await chosen()).toEqual([{ quiet_from: 1320, quiet_until: 420, is_reminded: 0, paused: 1 }])
  await press('Resume now')
  await press('Stop all messages')
  await page.getByText('All messages are stopped.').waitFor()
  await press('Send me messages again')
  await page.getByText('text START to the number').waitFor()
  expect(await app.sql('SELECT kind FROM contact WHERE opted_out_at IS NULL ORDER BY kind')).toEqual([
    { kind: 'discord' },
    { kind: 'email' },
  ])
})

/** The path of the page of a recipient who was invited, in a browser with a device of the world. */
async function invited({ app, staff, visit }: Scene): Promise<{ own: Visit; path: string }> {
  const desk = await staff('/class_tracker/')
  const answer = await desk.page.request.get(`/class_tracker/get_recipient_link/${recipient}`)
  const { url } = (await answer.json()) as { url: string }
  const own = await visit({ width: 390 })
  await own.context.grantPermissions(['notifications'], { origin: app.url })
  await stubSubscribe(app, own.context)
  return { own, path: new URL(url).pathname }
}

journey('a browser that loses its subscription gets another one, and stays reachable', seedCatalog, async (scene) => {
  const { app } = scene
  const { own, path } = await invited(scene)
  const { page, context } = own
  await own.open(path)
  const begun = context.waitForEvent('serviceworker')
  await page.getByRole('button', { name: 'Get push notifications' }).click()
  const worker = await begun
  await page.getByText('Notifications are on for this browser.').waitFor()
  const given = await control(app.world.url, 'POST', 'devices', { name: 'Chrome on Linux' })
  const next = (await given.json()) as { endpoint: string }
  // Not every browser says which subscription was lost.
  const key = await worker.evaluate(async (device) => {
    let asked: number[] = []
    PushManager.prototype.subscribe = async (options) => {
      const { applicationServerKey } = options ?? {}
      asked = applicationServerKey instanceof ArrayBuffer ? [...new Uint8Array(applicationServerKey)] : []
      return { ...device, options, toJSON: () => device } as unknown as PushSubscription
    }
    await new Promise((resolve) => {
      self.dispatchEvent(Object.assign(new Event('pushsubscriptionchange'), { waitUntil: resolve }))
    })
    return asked
  }, next)
  expect(key).toEqual([4, 2])
  const [device] = await app.sql<{ address: string }>("SELECT address FROM contact WHERE kind = 'push'")
  expect(device?.address).toContain(next.endpoint)
})

journey('a browser that cannot turn on notifications says why', seedCatalog, async (scene) => {
  const { own, path } = await invited(scene)
  const { page, context } = own
  await context.addInitScript(() => {
    Notification.requestPermission = async () => 'default'
  })
  await own.open(path)
  const button = page.getByRole('button', { name: 'Get push notifications' })
  await button.click()
  await page.getByText('Notifications need your permission. Try again and choose “Allow”.').waitFor()
  await page.evaluate(() => {
    Notification.requestPermission = async () => 'granted'
  })
  await page.route('**/push/subscribe', (route) => route.abort('internetdisconnected'))
  own.expectStatus(0)
  await button.click()
  await page.getByText('Notifications could not be turned on. Check the connection and try again.').waitFor()
  await page.unrouteAll()
  await page.route('**/push/subscribe', (route) => route.fulfill({ status: 503, body: '<h1>Busy</h1>' }))
  own.expectStatus(503)
  await button.click()
  await expect.poll(() => button.isDisabled()).toBe(false)
  await page.getByText('Notifications could not be turned on. Check the connection and try again.').waitFor()

  // An iPad says that it is a Mac, and has notifications only for sites on its Home Screen.
  await context.addInitScript(() => {
    Object.defineProperty(navigator, 'userAgent', {
      value: 'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) Safari/605',
    })
    Object.defineProperty(navigator, 'maxTouchPoints', { value: 5 })
    Reflect.deleteProperty(window, 'PushManager')
  })
  await own.open(path)
  await page.getByText('For notifications on an iPhone or iPad, add this page to the Home Screen first').waitFor()
})
