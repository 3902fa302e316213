import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { control } from './client.ts'
import { startWorld } from './server.ts'

/** An app that offers notifications on one page, and what was sent to it. */
const told: { path: string; body: URLSearchParams; cookie: string }[] = []
let status = 200
const app = createServer((request, response) => {
  let body = ''
  request.on('data', (part: Buffer) => (body += part.toString()))
  request.on('end', () => {
    const path = request.url ?? ''
    if (request.method === 'POST')
      told.push({ path, body: new URLSearchParams(body), cookie: request.headers.cookie ?? '' })
    const offer =
      path === '/r/7.abc' ? '<div data-push="KEY" data-name="token" data-value="7.abc" data-csrf="a&amp;b">' : ''
    response
      .writeHead(request.method === 'POST' ? status : 200, { 'set-cookie': 'csrf=1; Path=/' })
      .end(`<p>${offer}</p>`)
  })
})
await new Promise<void>((resolve) => app.listen(0, '127.0.0.1', resolve))
const appUrl = `http://127.0.0.1:${(app.address() as AddressInfo).port}`
const world = await startWorld({ appUrl, twilioAccountSid: 'AC1', twilioAuthToken: 't' })
afterAll(async () => {
  await world.close()
  app.close()
})
beforeEach(() => {
  told.length = 0
  status = 200
})

const open = (link: string) => control(world.url, 'POST', 'push', { link, name: 'Safari on iPhone' })

test('a phone opens a link and gets notifications there, as a browser would', async () => {
  expect((await open(`${appUrl}/r/7.abc`)).status).toBe(201)
  const [call] = told
  expect(call?.path).toBe('/push/subscribe')
  expect(call?.cookie).toBe('csrf=1')
  const [device] = world.world.devices
  expect(Object.fromEntries(call?.body ?? [])).toEqual({
    token: '7.abc',
    endpoint: `${world.url}/push/send/${device?.id}`,
    p256dh: device?.p256dh,
    auth: device?.auth,
    device: 'Safari on iPhone',
  })
  expect(device).toMatchObject({ applicationKey: 'KEY', isPhone: true, isGone: false })
})

test.each([
  ['another site', 'http://elsewhere.example/r/7.abc', 'must begin with'],
  ['a page without an offer', `${appUrl}/`, 'offers no notifications'],
])('%s is said to be no such link', async (_, link, words) => {
  const answer = await open(link)
  expect(answer.status).toBe(422)
  expect(JSON.stringify(await answer.json())).toContain(words)
})

test('a device that the app refuses is not added', async () => {
  const before = world.world.devices.length
  status = 422
  expect((await open(`${appUrl}/r/7.abc`)).status).toBe(422)
  expect(world.world.devices).toHaveLength(before)
})

test('a phone whose notifications are turned off is shown so', async () => {
  await open(`${appUrl}/r/7.abc`)
  const device = world.world.devices.at(-1)
  const page = async (): Promise<string> => (await fetch(world.url)).text()
  expect(await page()).toContain('Lock screen of Safari on iPhone')
  await fetch(`${world.url}/phones/off`, { method: 'POST', body: new URLSearchParams({ id: device?.id ?? '' }) })
  expect(device?.isGone).toBe(true)
  expect(await page()).toContain('notifications are off')
})
