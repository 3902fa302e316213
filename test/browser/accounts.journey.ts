import { expect } from 'vitest'
import { journey, type Scene } from './journey.ts'
import { seedPeople } from './seed.ts'
import type { Visit } from './visit.ts'

/** Everything here is forms: no browser runs a script. */
const visitor = ({ visit }: Scene): Promise<Visit> => visit({ javaScriptEnabled: false })

const placeOf = ({ page }: Visit): string => new URL(page.url()).pathname

async function fill({ page }: Visit, fields: Record<string, string>): Promise<void> {
  for (const [name, value] of Object.entries(fields))
    await page.locator(`main input[name="${name}"]:not([type="radio"])`).fill(value)
}

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

journey('an account from sign-up to deletion works without a script', seedPeople, async (scene) => {
  const first = 'ada@example.org'
  const second = 'ada@example.net'
  const visit = await visitor(scene)

  await visit.open('/accounts/signup/')
  await fill(visit, { email: first, username: 'ada', password1: 'short', password2: 'short' })
  visit.expectStatus(422)
  await send(visit)
  expect(await visit.page.locator('input[name="email"]').inputValue()).toBe(first)
  await visit.measure('a refused sign-up')
  await fill(visit, { password1: 'punched cards 1843', password2: 'punched cards 1843' })
  await send(visit)
  expect(placeOf(visit)).toBe('/accounts/confirm-email/')
  await visit.measure('a mail is under way')
  await visit.open(await mailed(scene, first, /\/accounts\/confirm-email\/[\w.-]+\//))
  await send(visit)
  await says(visit, `You have confirmed ${first}.`)

  await visit.open('/accounts/login/')
  await fill(visit, { login: 'ada', password: 'punched cards 1843' })
  await send(visit)
  await says(visit, 'Dashboard')

  await visit.open('/accounts/email/')
  await fill(visit, { email: second })
  await send(visit, 'main button[name="action_add"]')
  await says(visit, second)
  await visit.measure('two addresses')
  await visit.open(await mailed(scene, second, /\/accounts\/confirm-email\/[\w.-]+\//))
  await send(visit)
  await says(visit, `You have confirmed ${second}.`)
  await visit.open('/accounts/email/')
  await visit.page.locator(`main input[type="radio"][value="${second}"]`).check()
  await send(visit, 'main button[name="action_primary"]')
  await says(visit, 'Primary email address set.')

  const forgetful = await visitor(scene)
  await forgetful.open('/accounts/password/reset/')
  await fill(forgetful, { email: second })
  await send(forgetful)
  expect(placeOf(forgetful)).toBe('/accounts/password/reset/done/')
  await forgetful.open(await mailed(scene, second, /\/accounts\/password\/reset\/key\/[\w-]+\//))
  await fill(forgetful, { password1: 'a loom of algebra', password2: 'a loom of algebra' })
  await send(forgetful)
  expect(placeOf(forgetful)).toBe('/accounts/password/reset/key/done/')

  // Sessions that began with the old password have ended.
  await visit.open('/accounts/sessions/')
  expect(placeOf(visit)).toBe('/accounts/login/')

  await visit.open('/accounts/login/code/')
  await fill(visit, { email: second })
  await send(visit)
  const code = await mailed(scene, second, /\b[A-Z]{4}-[A-Z]{4}\b/)
  visit.expectStatus(422)
  await fill(visit, { code: 'BBBB-BBBB' })
  await send(visit)
  await says(visit, 'Incorrect code.')
  await fill(visit, { code: code.toLowerCase() })
  await send(visit)
  await says(visit, 'Dashboard')

  await forgetful.open('/accounts/login/')
  await fill(forgetful, { login: second, password: 'a loom of algebra' })
  await send(forgetful)
  await visit.open('/accounts/sessions/')
  await visit.measure('two sessions')
  await send(visit, 'main button[name="action_end_others"]')
  await forgetful.open('/accounts/')
  expect(placeOf(forgetful)).toBe('/accounts/login/')

  await visit.open('/accounts/logout/')
  await send(visit)
  await says(visit, 'You have signed out.')
})

journey(
  "an account that someone else created belongs to the address's owner once confirmed",
  seedPeople,
  async (scene) => {
    const address = 'grace@example.org'
    const stranger = await visitor(scene)
    await stranger.open('/accounts/signup/')
    await fill(stranger, {
      email: address,
      username: 'www.evil-87.com',
      password1: 'not of grace',
      password2: 'not of grace',
    })
    await send(stranger)

    const visit = await visitor(scene)
    await visit.open('/accounts/password/reset/')
    await fill(visit, { email: address })
    await send(visit)
    expect(placeOf(visit)).toBe('/accounts/password/reset/done/')
    await visit.open(await mailed(scene, address, /\/accounts\/confirm-email\/[\w.-]+\//))
    await visit.measure('confirming where nobody signed up')
    visit.expectStatus(422)
    await fill(visit, { password1: 'short', password2: 'short' })
    await send(visit)
    await fill(visit, { password1: 'compiled in 1952', password2: 'compiled in 1952' })
    await send(visit)
    await says(visit, `You have confirmed ${address}.`)

    stranger.expectStatus(422)
    await stranger.open('/accounts/login/')
    await fill(stranger, { login: address, password: 'not of grace' })
    await send(stranger)
    await says(stranger, 'Invalid username or password.')

    await fill(visit, { login: address, password: 'compiled in 1952' })
    await send(visit)
    await says(visit, 'Dashboard')

    // An added address can be confirmed only by its owner.
    await visit.open('/accounts/email/')
    await fill(visit, { email: 'grace@example.net' })
    await send(visit, 'main button[name="action_add"]')
    const link = await mailed(scene, 'grace@example.net', /\/accounts\/confirm-email\/[\w.-]+\//)
    stranger.expectStatus(403)
    await stranger.open(link)
    await says(stranger, 'Someone added grace@example.net to their account in another browser.')
    await stranger.measure('confirming what somebody else added')

    visit.expectStatus(404)
    await visit.open('/classcords/profile/')
    await visit.measure('no Discord account connected')
    await visit.open('/classcords/login/')
    await says(visit, /no Discord account is connected/)
    await visit.follow(visit.page.getByRole('button', { name: 'Sign in with Discord' }))
    await says(visit, 'You are about to connect your Discord account.')
  },
)
