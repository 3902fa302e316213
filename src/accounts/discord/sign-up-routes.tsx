import { Hono } from 'hono'
import { dropCookie, readCookie } from '../../web/security/cookies.ts'
import { flash } from '../../web/session/flash.ts'
import { offerExpiredForm } from '../../web/session/expired-form.ts'
import { formOf, textField } from '../../web/parse.ts'
import { limitReads } from '../../web/limits/limits.ts'
import type { SiteContext, SiteEnv } from '../../web/site.ts'
import { byAddress, takeLimits } from '../account-limits.ts'
import { notAnAddress, typedAddress } from '../../notify/email/mail-address.ts'
import { isMet, isVerifiedByAny } from '../email/address-conditions.ts'
import { TextInput } from '../pages/form-page.tsx'
import { type FormErrors, invalid, showForm, tooManyRequests } from '../pages/show-form.tsx'
import { finishLogIn } from './callback.ts'
import { giveAddress, unconfirmedAddress, findLinkedUser } from './discord-account.ts'
import { createAccount } from './link-account.ts'
import { endSignUp, findSignUp, type WaitingSignUp } from './waiting-sign-up.ts'
import type { FormError } from '../../web/refusal.ts'
import { inactivePath, loginPath, discordSignUpPath } from '../paths.ts'

/** For people whose address Discord did not share or verify, or whose address has an account here already. */
export const discordSignUpRoutes = new Hono<SiteEnv>()

const alreadyExists =
  'An account already exists with this email address. Please sign in to that account first, then connect your Discord account.'

async function waitingOf(c: SiteContext): Promise<{ token: string; waiting: WaitingSignUp } | null> {
  const token = readCookie(c, 'sign_up')
  if (token === undefined || c.get('user')) return null
  const waiting = await findSignUp(c.env, token, Date.now())
  return waiting && { token, waiting }
}

/** Only the owner of an address may learn that it has an account, so Discord must have verified it. */
async function existingAccountError(c: SiteContext, { login: { profile } }: WaitingSignUp): Promise<FormError[]> {
  const isKnown = profile.isVerified && profile.email !== null && (await isMet(c.env, isVerifiedByAny(profile.email)))
  return isKnown ? [{ field: 'email', message: alreadyExists }] : []
}

discordSignUpRoutes.get('/3rdparty/signup/', limitReads, async (c) => {
  const found = await waitingOf(c)
  if (!found) return c.redirect(loginPath, 302)
  const { waiting } = found
  const { discordId, email } = waiting.login.profile
  const expiredForm = await offerExpiredForm(c, discordSignUpPath)
  const shown = expiredForm
    ? textField(expiredForm, 'email')
    : ((await unconfirmedAddress(c.env, discordId)) ?? email ?? '')
  return show(c, waiting, shown, { errors: await existingAccountError(c, waiting), status: 200 })
})

discordSignUpRoutes.post('/3rdparty/signup/', limitReads, async (c) => {
  const email = textField(await formOf(c), 'email')
  const found = await waitingOf(c)
  if (!found) return startAgain(c)
  const { token, waiting } = found
  const { login } = waiting
  const retryAfter = await takeLimits(c, [byAddress(c, 'signUp')])
  if (retryAfter !== null) return show(c, waiting, email, tooManyRequests(c, retryAfter))
  const address = typedAddress(email)
  if (address === null) return show(c, waiting, email, invalid({ field: 'email', message: notAnAddress }))
  const isVerifiedByDiscord = login.profile.isVerified && address.toLowerCase() === login.profile.email?.toLowerCase()
  const errors = isVerifiedByDiscord ? await existingAccountError(c, waiting) : []
  if (errors.length > 0) return show(c, waiting, email, invalid(...errors))
  const now = Date.now()
  const to = await signUp(c, { waiting, address }, now)
  // Last, so that a sign-up that failed halfway can be sent again.
  await endSignUp(c.env, token, now)
  dropCookie(c, 'sign_up')
  return c.redirect(to, 303)
})

/** Returns where to redirect to. */
async function signUp(
  c: SiteContext,
  { waiting: { login, next }, address }: { waiting: WaitingSignUp; address: string },
  now: number,
): Promise<string> {
  const added = await createAccount(c.env, login, { address, isVerified: false }, now)
  if (!added.ok && added.reason === 'disabled') return inactivePath
  const user = added.ok ? added.user : await findLinkedUser(c.env, login.profile.discordId)
  if (!added.ok && user) await giveAddress(c.env, user.id, { address, isVerified: false }, now)
  return user ? finishLogIn(c, user, login, next) : loginPath
}

/** For a sign-up that was completed by another click, or has expired. */
function startAgain(c: SiteContext): Response {
  if (!c.get('user'))
    flash(c, 'warning', 'This sign-up has expired or was already completed. Please log in with Discord again.')
  return c.redirect(loginPath, 303)
}

function show(
  c: SiteContext,
  { login }: WaitingSignUp,
  email: string,
  { errors, status }: FormErrors,
): Promise<Response> {
  return showForm(c, {
    page: 'DiscordSignUp',
    title: 'Sign up',
    lead: `You are about to use your Discord account to login to Class Cords, ${login.profile.displayName}. As a final step, please complete the following form:`,
    action: discordSignUpPath,
    submit: 'Sign up',
    status,
    errors,
    links: [{ href: loginPath, label: 'Log in to an account you have' }],
    children: (
      <TextInput
        name="email"
        label="Email"
        type="email"
        autoComplete="email"
        value={email}
        maxLength={254}
        errors={errors}
        help="We will send a link to it. Follow the link, then log in with Discord again."
      />
    ),
  })
}
