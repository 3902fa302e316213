import { base32 } from 'oslo/encoding'
import { generateHOTP } from 'oslo/otp'
import type { App } from '../browser/app.ts'
import type { Visit } from '../browser/visit.ts'
import type { Screen } from './screen.ts'

/** The first match in the newest email, once it has arrived. */
async function mailed(app: App, shape: RegExp): Promise<string> {
  for (let tries = 0; tries < 100; tries += 1) {
    const found = app.world.world.emails.map(({ text }) => shape.exec(text)?.[0]).findLast(Boolean)
    if (found !== undefined) return found
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  throw new Error(`No mail holds ${shape.source}.`)
}

const send = (visit: Visit): Promise<void> =>
  visit.follow(visit.page.locator('main form button[type="submit"]').first())

async function signUpWrongly(visit: Visit): Promise<void> {
  const { page } = visit
  await page.locator('input[name="email"]').fill('ada@example.org')
  await page.locator('input[name="username"]').fill('ada')
  await page.locator('input[name="password1"]').fill('short')
  await page.locator('input[name="password2"]').fill('other')
  visit.expectStatus(422)
  await send(visit)
}

async function askForMail(visit: Visit): Promise<void> {
  await visit.page.locator('main input[name="email"]').fill('student@example.com')
  await send(visit)
}

async function chooseNewPassword(visit: Visit, app: App): Promise<void> {
  await askForMail(visit)
  await visit.open(await mailed(app, /\/accounts\/password\/reset\/key\/[\w-]+\//))
}

async function activate(visit: Visit): Promise<void> {
  const typed = (await visit.page.locator('code').innerText()).replaceAll(' ', '')
  const secret = base32.decode(typed, { strict: false })
  const code = await generateHOTP(secret, Math.floor(Date.now() / 30_000))
  await visit.page.getByLabel('Authenticator code').fill(code)
  await send(visit)
}

const at = (name: string, path: string, more: Partial<Screen> = {}): Screen => ({
  name: `accounts/${name}`,
  role: 'anyone',
  path: `/accounts/${path}`,
  ...more,
})
const own = { role: 'student' } as const

/** All account screens; the second factor comes last, because it is required from then on. */
export const accountScreens: readonly Screen[] = [
  at('log in', 'login/'),
  at('sign up', 'signup/'),
  at('sign up refused', 'signup/', { act: signUpWrongly }),
  at('log in by code', 'login/code/'),
  at('code', 'login/code/', { act: askForMail }),
  at('confirm email', 'confirm-email/'),
  at('confirm link dead', 'confirm-email/no-such-key/', { status: 404 }),
  at('password reset', 'password/reset/'),
  at('password reset sent', 'password/reset/done/'),
  at('password reset key', 'password/reset/', { act: chooseNewPassword }),
  at('password reset key done', 'password/reset/key/done/'),
  at('discord', 'discord/login/'),
  at('discord failed', '3rdparty/login/error/', { status: 401 }),
  at('discord cancelled', '3rdparty/login/cancelled/'),
  at('inactive', 'inactive/'),
  at('overview', '', own),
  at('email', 'email/', own),
  at('sessions', 'sessions/', own),
  at('connections', '3rdparty/', own),
  at('password change', 'password/change/', own),
  at('reauthenticate', 'reauthenticate/', own),
  at('log out', 'logout/', own),
  at('two factors', '2fa/', own),
  at('two factors activate', '2fa/totp/activate/', own),
  at('two factors codes', '2fa/totp/activate/', { ...own, act: activate }),
  at('two factors active', '2fa/', own),
  at('two factors deactivate', '2fa/totp/deactivate/', own),
  at('recovery codes', '2fa/recovery-codes/', own),
]
