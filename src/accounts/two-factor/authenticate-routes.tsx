import { Hono } from 'hono'
import { dropCookie, readCookie } from '../../web/security/cookies.ts'
import { flash } from '../../web/session/flash.ts'
import { contextOf, showPage } from '../../web/page/page.tsx'
import { formOf, textField } from '../../web/parse.ts'
import { limitReads } from '../../web/limits/limits.ts'
import type { SiteContext, SiteEnv } from '../../web/site.ts'
import { byAddress, clearLimit, giveBack, takeLimits } from '../account-limits.ts'
import { limitKeyOf } from '../known-browser.ts'
import { FormPage } from '../pages/form-page.tsx'
import { invalid, noErrors, tooManyRequests } from '../pages/show-form.tsx'
import { completeLogin } from '../log-in-user.ts'
import { CodeField } from './pages.tsx'
import { findTwoFactor, kindOfCode, takeCode } from './second-factor.ts'
import { codeSignature, findSecondStep, passSecondStep, type WaitingStep } from './second-step.ts'
import { loginPath, authenticatePath } from '../paths.ts'

export const authenticateRoutes = new Hono<SiteEnv>()

const path = '/2fa/authenticate/'

authenticateRoutes.get(path, limitReads, async (c) => ((await waitingOf(c)) ? show(c) : c.redirect(loginPath, 302)))

authenticateRoutes.post(path, limitReads, async (c) => {
  const code = textField(await formOf(c), 'code')
  const found = await waitingOf(c)
  if (!found) return startAgain(c)
  const { token, waiting } = found
  const { user, options } = waiting
  const now = Date.now()
  const limitKey = await limitKeyOf(c, user)
  const retryAfter = await takeLimits(c, [byAddress(c, 'secondStep'), ['secondStepOf', limitKey]])
  if (retryAfter !== null)
    return show(c, tooManyRequests(c, retryAfter, 'Too many failed login attempts. Try again later.'))
  const isTaken = (await takeCode(c.env, user.id, code, now, await passSecondStep(c.env, token, code, now))) !== null
  if (!isTaken) {
    const left = await findSecondStep(c.env, token, now)
    if (!left) return startAgain(c)
    if (left.passedWith !== (await codeSignature(c.env, token, code)))
      return show(c, invalid({ message: 'Incorrect code.' }))
  }
  await giveBack(c, byAddress(c, 'secondStep'))
  await clearLimit(c, 'secondStepOf', limitKey)
  const to = await completeLogin(c, user, options)
  // Last, so that a login that failed halfway can be tried again.
  dropCookie(c, 'second_step')
  if (kindOfCode(code) === 'recovery') await warnOfUse(c, user.id)
  return c.redirect(to, 303)
})

/** For a login that was completed by another click, has expired, or ended with a new password. */
function startAgain(c: SiteContext): Response {
  if (!c.get('user')) flash(c, 'warning', 'This login has expired or was already completed. Please log in again.')
  return c.redirect(loginPath, 303)
}

async function waitingOf(c: SiteContext): Promise<{ token: string; waiting: WaitingStep } | null> {
  const token = readCookie(c, 'second_step')
  const waiting = token === undefined ? null : await findSecondStep(c.env, token, Date.now())
  return token !== undefined && waiting ? { token, waiting } : null
}

async function warnOfUse(c: SiteContext, userId: number): Promise<void> {
  const left = (await findTwoFactor(c.env, userId))?.codesLeft ?? 0
  const count = left === 1 ? '1 recovery code' : `${left} recovery codes`
  flash(c, 'warning', `You used a recovery code. It cannot be used again. You have ${count} left.`)
}

function show(c: SiteContext, { errors, status } = noErrors): Promise<Response> {
  const title = 'Two-factor authentication'
  return showPage(c, {
    page: 'Authenticate',
    title,
    status,
    errors,
    body: (
      <FormPage
        context={contextOf(c)}
        title={title}
        lead="Your account is protected by two-factor authentication. Please enter an authenticator code:"
        action={authenticatePath}
        submit="Log in"
        links={[{ href: loginPath, label: 'Cancel' }]}
      >
        <CodeField
          label="Code"
          help="The 6-digit code from your authenticator app, or a recovery code. Each recovery code works once."
          error={errors[0]?.message ?? ''}
          isLong
        />
      </FormPage>
    ),
  })
}
