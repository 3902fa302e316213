import { base32 } from 'oslo/encoding'
import { generateHOTP } from 'oslo/otp'
import { expect } from 'vitest'
import { TRUSTED_GUILD_ID } from '../world/discord/guilds.ts'
import type { App } from './app.ts'
import { journey, type Scene } from './journey.ts'
import { seedPeople } from './seed.ts'
import type { Visit } from './visit.ts'

const login = '/accounts/discord/login/'
const overview = '/accounts/2fa/'

async function seedDiscord(app: App): Promise<void> {
  await seedPeople(app)
  await app.sql(
    `INSERT INTO discord_server (server_id, name, privacy_level, is_required_for_trust, created_at) VALUES (?, 'Campus Commons', 'public', 1, 0)
     ON CONFLICT DO NOTHING`,
    TRUSTED_GUILD_ID,
  )
}

/** Everything here is forms: no browser runs a script. */
const visitor = ({ app, visit }: Scene): Promise<Visit> =>
  visit({ javaScriptEnabled: false, isZoomed: true, otherOrigins: [app.world.url] })

const placeOf = ({ page }: Visit): string => new URL(page.url()).pathname

/** Continues to Discord and selects a persona there. */
async function goThroughDiscord(visit: Visit, persona: string, next = '/accounts/'): Promise<void> {
  await visit.open(`${login}?next=${encodeURIComponent(next)}`)
  await visit.follow(visit.page.getByRole('button', { name: 'Continue' }))
  expect(placeOf(visit)).toBe('/discord/oauth2/authorize')
  await visit.follow(visit.page.locator(`a[href$="persona=${persona}"]`))
}

const press = (visit: Visit, name: string) => visit.follow(visit.page.getByRole('button', { name, exact: true }))
const says = (visit: Visit, text: string | RegExp) =>
  visit.page.getByText(text).filter({ visible: true }).first().waitFor()

journey('a person logs in through Discord, with their Discord profile', seedDiscord, async (scene) => {
  const visit = await visitor(scene)
  await visit.open(login)
  await visit.measure('what Discord is asked for')
  visit.expectStatus(401)
  for (const path of ['cancelled/', 'error/']) {
    await visit.open(`/accounts/3rdparty/login/${path}`)
    await visit.measure(path)
  }
  await goThroughDiscord(visit, 'regular')
  await says(visit, 'Logged in as Riley Chen')
  await visit.open('/accounts/3rdparty/')
  await says(visit, 'Riley Chen')
  await visit.measure('the connections of a person')
})

journey('a person without a verified address enters one and follows the mailed link', seedDiscord, async (scene) => {
  const visit = await visitor(scene)
  await goThroughDiscord(visit, 'unverified')
  expect(placeOf(visit)).toBe('/accounts/3rdparty/signup/')
  expect(await visit.page.getByLabel('Email').inputValue()).toBe('uma@example.com')
  await visit.measure('the last step from Discord')
  await press(visit, 'Sign up')
  expect(placeOf(visit)).toBe('/accounts/confirm-email/')
  const linkIn = () =>
    /\/accounts\/confirm-email\/[\w-]+\//.exec(
      scene.app.world.world.emails.findLast(({ to }) => to.includes('uma@example.com'))?.text ?? '',
    )?.[0]
  await expect.poll(linkIn).toBeDefined()
  await visit.open(linkIn() ?? '')
  await press(visit, 'Confirm')
  await says(visit, 'You have confirmed uma@example.com.')
  await goThroughDiscord(visit, 'unverified')
  await says(visit, 'Logged in as Uma Kowalski')
})

journey('every way of logging in asks for the authenticator code', seedDiscord, async (scene) => {
  const visit = await visitor(scene)
  await goThroughDiscord(visit, 'newcomer', overview)
  await visit.measure('no second factor')
  await visit.follow(visit.page.getByRole('link', { name: 'Activate' }))
  await visit.page.getByRole('img', { name: 'QR code for your authenticator app' }).waitFor()
  await visit.measure('the QR code')
  const typed = (await visit.page.locator('code').innerText()).replaceAll(' ', '')
  const secret = base32.decode(typed, { strict: false })
  await visit.page.getByLabel('Authenticator code').fill('000000')
  visit.expectStatus(422)
  await press(visit, 'Activate')
  await says(visit, 'Incorrect code.')
  await visit.page.getByLabel('Authenticator code').fill(await generateHOTP(secret, Math.floor(Date.now() / 30_000)))
  await press(visit, 'Activate')
  const codes = await visit.page.locator('code').allInnerTexts()
  expect(codes).toHaveLength(10)
  await visit.measure('the recovery codes')
  const [file] = await Promise.all([
    visit.page.waitForEvent('download'),
    visit.page.getByRole('button', { name: 'Download codes' }).click(),
  ])
  expect(file.suggestedFilename()).toBe('class-cords-recovery-codes.txt')

  for (const path of [overview, '/accounts/2fa/recovery-codes/', '/accounts/2fa/totp/deactivate/']) {
    await visit.open(path)
    expect(placeOf(visit)).toBe(path)
    await visit.measure(path)
  }

  const again = await visitor(scene)
  await goThroughDiscord(again, 'newcomer')
  expect(placeOf(again)).toBe('/accounts/2fa/authenticate/')
  await again.measure('the second step')
  await again.page.getByLabel('Code').fill(codes[0] ?? '')
  await press(again, 'Log in')
  await says(again, 'You have 9 recovery codes left.')
  await press(visit, 'Deactivate')
  await says(visit, 'Authenticator app deactivated.')
  await says(visit, 'An authenticator app is not active.')
})
