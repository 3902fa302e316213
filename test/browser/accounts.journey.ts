import { expect } from 'vitest'
import { journey, type Scene } from './journey.ts'
import { seedPeople } from './seed.ts'
import type { Visit } from './visit.ts'

/** Everything here is forms: no browser runs a script. */
const visitor = ({ visit }: Scene): Promise<Visit> => visit({ javaScriptEnabled: false, isZoomed: true })

const placeOf = ({ page }: Visit): string => new URL(page.url()).pathname

async function fill({ page }: Visit, fields: Record<string, string>): Promise<void> {
  for (const [name, value] of Object.entries(fields))
    await page.locator(`main input[name="${name}"]:not([type="radio"])`).fill(value)
}

const confirmLink = /\/accounts\/confirm-email\/[\w.-]+\//

/** The page's main action: the first button of its form. */
const send = (visit: Visit, button = 'main form button[type="submit"]') =>
  visit.follow(visit.page.locator(button).first())

const says = (visit: Visit, text: string | RegExp) =>
  visit.page.getByText(text).filter({ visible: true }).first().waitFor()

/** The first match in the newest email to this address, once it has arrived. */
async function mailed({ app }: Scene, to: string, shape: RegExp): Promise<string> {
  const found = () => shape.exec(app.world.world.emails.findLast((mail) => mail.to.includes(to))?.text ?? '')?.[0]
  await expect.poll(found).toBeDefined()
  return found() ?? ''
}

journey('an account works without a script, from sign-up to log-out', seedPeople, async (scene) => {
  const first = 'ada@example.org'
  const second = 'ada@example.net'
  const visit = await visitor(scene)

  await visit.open('/accounts/signup/')
  await visit.measure('sign-up')
  await fill(visit, { email: first, username: 'ada', password1: 'short', password2: 'short' })
  visit.expectStatus(422)
  await send(visit)
  expect(await visit.page.locator('input[name="email"]').inputValue()).toBe(first)
  await visit.measure('a refused sign-up')
  await fill(visit, { password1: 'punched cards 1843', password2: 'punched cards 1843' })
  await send(visit)
  expect(placeOf(visit)).toBe('/accounts/confirm-email/')
  await visit.measure('a mail is under way')
  const firstLink = await mailed(scene, first, confirmLink)
  const elsewhere = await visitor(scene)
  await elsewhere.open(firstLink)
  await elsewhere.measure('confirming where nobody signed up')
  await visit.open(firstLink)
  await visit.measure('confirming an address')
  await send(visit)
  await says(visit, `You have confirmed ${first}.`)

  await visit.open('/accounts/login/')
  await visit.measure('log in')
  await fill(visit, { login: 'ada', password: 'punched cards 1843' })
  await send(visit)
  await says(visit, 'Dashboard')
  for (const path of ['', 'password/change/', 'reauthenticate/', 'inactive/']) {
    await visit.open(`/accounts/${path}`)
    expect(placeOf(visit)).toBe(`/accounts/${path}`)
    await visit.measure(`/accounts/${path}`)
  }
  visit.expectStatus(404)
  await visit.open('/accounts/confirm-email/no-such-key/')
  await visit.measure('a link that is dead')
  await visit.open('/classcords/profile/')
  await visit.measure('no Discord account connected')

  await visit.open('/accounts/email/')
  await fill(visit, { email: second })
  await send(visit, 'main button[name="action_add"]')
  await says(visit, second)
  await visit.measure('two addresses')
  const secondLink = await mailed(scene, second, confirmLink)
  elsewhere.expectStatus(403)
  await elsewhere.open(secondLink)
  await elsewhere.measure('confirming what somebody else added')
  await visit.open(secondLink)
  await send(visit)
  await says(visit, `You have confirmed ${second}.`)
  await visit.open('/accounts/email/')
  await visit.page.locator(`main input[type="radio"][value="${second}"]`).check()
  await send(visit, 'main button[name="action_primary"]')
  await says(visit, 'Primary email address set.')

  await elsewhere.open('/accounts/password/reset/')
  await elsewhere.measure('a forgotten password')
  await fill(elsewhere, { email: second })
  await send(elsewhere)
  expect(placeOf(elsewhere)).toBe('/accounts/password/reset/done/')
  await elsewhere.measure('a mail for a new password')
  await elsewhere.open(await mailed(scene, second, /\/accounts\/password\/reset\/key\/[\w-]+\//))
  await elsewhere.measure('a new password')
  await fill(elsewhere, { password1: 'a loom of algebra', password2: 'a loom of algebra' })
  await send(elsewhere)
  expect(placeOf(elsewhere)).toBe('/accounts/password/reset/key/done/')
  await elsewhere.measure('a password that was changed')

  // Sessions that began with the old password have ended.
  await visit.open('/accounts/sessions/')
  expect(placeOf(visit)).toBe('/accounts/login/')

  await visit.open('/accounts/login/code/')
  await visit.measure('a code instead of a password')
  await fill(visit, { email: second })
  await send(visit)
  const code = await mailed(scene, second, /\b[A-Z]{4}-[A-Z]{4}\b/)
  visit.expectStatus(422)
  await fill(visit, { code: 'BBBB-BBBB' })
  await send(visit)
  await says(visit, 'Incorrect code.')
  await visit.measure('a refused code')
  await fill(visit, { code: code.toLowerCase() })
  await send(visit)
  await says(visit, 'Dashboard')

  await elsewhere.open('/accounts/login/')
  await fill(elsewhere, { login: second, password: 'a loom of algebra' })
  await send(elsewhere)
  await visit.open('/accounts/sessions/')
  await visit.measure('two sessions')
  await send(visit, 'main button[name="action_end_others"]')
  await elsewhere.open('/accounts/')
  expect(placeOf(elsewhere)).toBe('/accounts/login/')

  await visit.open('/accounts/logout/')
  await visit.measure('the question before logging out')
  await send(visit)
  await says(visit, 'You have signed out.')
})
