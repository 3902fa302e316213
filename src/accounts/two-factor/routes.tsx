import { Hono } from 'hono'
import type { ReactElement } from 'react'
import { flash } from '../../web/session/flash.ts'
import { contextOf, showPage } from '../../web/page/page.tsx'
import { formOf, textField } from '../../web/parse.ts'
import { tooMany } from '../../web/refusal.ts'
import type { SiteContext, SiteEnv } from '../../web/site.ts'
import { takeLimits } from '../account-limits.ts'
import { prepareNotice } from '../mails/prepare-notice.ts'
import { ownerOf } from '../owner.ts'
import { FormPage } from '../pages/form-page.tsx'
import { invalid, noErrors } from '../pages/show-form.tsx'
import { recentlyAuthenticated, recentlyAuthenticatedPage } from '../reauthenticate/recently-authenticated.ts'
import { requireLogin, loggedIn } from '../roles.ts'
import { authenticateRoutes } from './authenticate-routes.tsx'
import { newSecret, offeredSecret, offerSecret } from './keys.ts'
import { ActivatePage, GeneratePage, NewCodesPage, OverviewPage, RecoveryCodesPage } from './pages.tsx'
import { activate, areUnusedCodesOf, deactivate, findTwoFactor, renewCodes } from './second-factor.ts'
import { twoFactorPath, activatePath, deactivatePath, recoveryCodesPath, generateCodesPath } from '../paths.ts'

export const twoFactorRoutes = new Hono<SiteEnv>()
twoFactorRoutes.route('/', authenticateRoutes)

twoFactorRoutes.get('/2fa/', requireLogin, async (c) => {
  const state = await findTwoFactor(c.env, loggedIn(c).user.id)
  return show(c, <OverviewPage state={state} />)
})

twoFactorRoutes.get('/2fa/totp/activate/', requireLogin, recentlyAuthenticatedPage, async (c) => {
  if (await stateOf(c)) return c.redirect(twoFactorPath, 302)
  return offer(c, newSecret())
})
twoFactorRoutes.post('/2fa/totp/activate/', requireLogin, recentlyAuthenticated(activatePath, turnOn))

twoFactorRoutes.get('/2fa/totp/deactivate/', requireLogin, async (c) => {
  if (!(await stateOf(c))) return c.redirect(twoFactorPath, 302)
  return show(
    c,
    <FormPage
      context={contextOf(c)}
      title="Deactivate authenticator app"
      lead="You are about to deactivate your authenticator app. Logging in will no longer ask for a code, and your recovery codes will be deleted. Are you sure?"
      action={deactivatePath}
      submit="Deactivate"
      isDanger
      links={[{ href: twoFactorPath, label: 'Cancel' }]}
    />,
  )
})
twoFactorRoutes.post('/2fa/totp/deactivate/', requireLogin, recentlyAuthenticated(deactivatePath, turnOff))

twoFactorRoutes.get('/2fa/recovery-codes/', requireLogin, async (c) => {
  const state = await stateOf(c)
  return state ? show(c, <RecoveryCodesPage left={state.codesLeft} />) : c.redirect(twoFactorPath, 302)
})
twoFactorRoutes.get('/2fa/recovery-codes/generate/', requireLogin, async (c) => {
  const state = await stateOf(c)
  if (!state) return c.redirect(twoFactorPath, 302)
  return show(c, <GeneratePage context={contextOf(c)} replaces={state.codes} />)
})
twoFactorRoutes.post('/2fa/recovery-codes/generate/', requireLogin, recentlyAuthenticated(generateCodesPath, generate))

/** They are not stored, so the page that shows them posts them; only the user's own unused codes are returned. */
twoFactorRoutes.post('/2fa/recovery-codes/download/', requireLogin, async (c) => {
  await limit(c)
  const codes = textField(await formOf(c), 'codes').split(' ')
  if (!(await areUnusedCodesOf(c.env, loggedIn(c).user.id, codes))) {
    flash(c, 'error', 'These recovery codes are no longer valid. Make new ones.')
    return c.redirect(recoveryCodesPath, 303)
  }
  c.header('content-disposition', 'attachment; filename="class-cords-recovery-codes.txt"')
  return c.text(`${codes.join('\n')}\n`)
})

const stateOf = (c: SiteContext) => findTwoFactor(c.env, loggedIn(c).user.id)

async function limit(c: SiteContext): Promise<void> {
  const retryAfter = await takeLimits(c, [['twoFactor', String(loggedIn(c).user.id)]])
  if (retryAfter !== null) throw tooMany(retryAfter)
}

async function turnOn(c: SiteContext): Promise<Response> {
  const { user } = loggedIn(c)
  await limit(c)
  const form = await formOf(c)
  const now = Date.now()
  const secret = await offeredSecret(c.env, user.id, textField(form, 'offer'), now)
  if (secret === null) {
    flash(c, 'warning', 'That QR code had expired, so nothing was changed. To activate an app, scan a new one.')
    return c.redirect(activatePath, 303)
  }
  const notice = await prepareNotice(c, { kind: 'authenticator_activated', userId: user.id }, now)
  const typed = { secret, code: textField(form, 'code') }
  const result = await activate(c.env, ownerOf(c), typed, now, notice.statements)
  if (result === 'wrong') return offer(c, secret, invalid({ message: 'Incorrect code.' }))
  if (result === 'active') {
    // The browser shows the answer to the last click, and only the answer to the first had the codes.
    flash(
      c,
      'info',
      'Your authenticator app is already active. If you did not see its recovery codes, generate new ones.',
    )
    return c.redirect(twoFactorPath, 303)
  }
  notice.send()
  flash(c, 'success', 'Authenticator app activated.')
  return show(c, <NewCodesPage context={contextOf(c)} codes={result} />)
}

async function turnOff(c: SiteContext): Promise<Response> {
  const { user } = loggedIn(c)
  await limit(c)
  const notice = await prepareNotice(c, { kind: 'authenticator_deactivated', userId: user.id }, Date.now())
  if (await deactivate(c.env, ownerOf(c), notice.statements)) {
    notice.send()
    flash(c, 'success', 'Authenticator app deactivated.')
  }
  return c.redirect(twoFactorPath, 303)
}

async function generate(c: SiteContext): Promise<Response> {
  const { user } = loggedIn(c)
  await limit(c)
  const notice = await prepareNotice(c, { kind: 'recovery_codes_generated', userId: user.id }, Date.now())
  const codes = await renewCodes(c.env, ownerOf(c), textField(await formOf(c), 'replaces'), notice.statements)
  if (!codes) return c.redirect(twoFactorPath, 303)
  if (codes === 'renewed') {
    flash(c, 'info', 'New codes were generated by another click. If you did not see them, generate new ones.')
    return c.redirect(recoveryCodesPath, 303)
  }
  notice.send()
  flash(c, 'success', 'A new set of recovery codes has been generated.')
  return show(c, <NewCodesPage context={contextOf(c)} codes={codes} />)
}

async function offer(c: SiteContext, secret: Uint8Array, shown = noErrors): Promise<Response> {
  const { user } = loggedIn(c)
  const sealed = await offerSecret(c.env, user.id, secret, Date.now())
  const account = user.email ?? user.username
  const message = shown.errors[0]?.message ?? ''
  return show(
    c,
    <ActivatePage context={contextOf(c)} secret={secret} offer={sealed} account={account} message={message} />,
    shown,
  )
}

function show(c: SiteContext, body: ReactElement, { errors, status } = noErrors): Promise<Response> {
  const title = 'Two-factor authentication'
  return showPage(c, { page: 'TwoFactor', title, status, errors, body })
}
