import { Hono } from 'hono'
import { createMiddleware } from 'hono/factory'
import { flash } from '../../web/session/flash.ts'
import { formOf, textField } from '../../web/parse.ts'
import type { CurrentSession, SiteContext, SiteEnv } from '../../web/site.ts'
import { takeLimits } from '../account-limits.ts'
import { findUserById } from '../find-user.ts'
import { NewPassword, TextInput, yourAccount } from '../pages/form-page.tsx'
import { invalid, noErrors, showForm, tooManyRequests } from '../pages/show-form.tsx'
import { recentlyAuthenticated } from '../reauthenticate/recently-authenticated.ts'
import { requireLogin, loggedIn } from '../roles.ts'
import { isCorrectPassword } from '../log-in.ts'
import { postedPassword } from '../password-rules.ts'
import { findSecondPress, signBackIn, setPassword } from './set-password.ts'
import { type FormError, loggedOut, unauthorized } from '../../web/refusal.ts'
import { changePasswordPath, setPasswordPath, accountPath, resetPath } from '../paths.ts'

export const changePasswordRoutes = new Hono<SiteEnv>()
const changed = 'Password successfully changed.'
const firstSet = 'Password successfully set.'

changePasswordRoutes.get('/password/change/', requireLogin, async (c) =>
  (await storedHash(c)) === null ? c.redirect(setPasswordPath, 302) : showChange(c),
)

changePasswordRoutes.post('/password/change/', secondPress(changed), requireLogin, async (c) => {
  const { user, session } = loggedIn(c)
  const form = await formOf(c)
  const retryAfter = await takeLimits(c, [['changePassword', String(user.id)]])
  if (retryAfter !== null) return showChange(c, tooManyRequests(c, retryAfter))
  const expected = await storedHash(c)
  if (expected === null) return c.redirect(setPasswordPath, 303)
  const { password, errors } = postedPassword(form, { username: user.username, email: user.email ?? '' })
  if (!(await isCorrectPassword({ password_hash: expected }, textField(form, 'oldpassword')))) {
    const again = errors.length === 0 ? await answerSecondPress(c, session, changed) : null
    if (again) return again
    errors.unshift({ field: 'oldpassword', message: 'Please type your current password.' })
  }
  if (errors.length > 0) return showChange(c, invalid(...errors))
  const hash = await setPassword(c, { userId: user.id, password, expected, event: 'password_changed' }, Date.now())
  if (hash === null) return (await answerSecondPress(c, session, changed)) ?? showChange(c, invalid(changedMeanwhile))
  return finish(c, session, hash, changed)
})

changePasswordRoutes.get('/password/set/', requireLogin, async (c) =>
  (await storedHash(c)) === null ? showSet(c) : c.redirect(changePasswordPath, 302),
)

changePasswordRoutes.post(
  '/password/set/',
  secondPress(firstSet),
  requireLogin,
  recentlyAuthenticated(setPasswordPath, setFirstPassword),
)

async function setFirstPassword(c: SiteContext): Promise<Response> {
  const { user, session } = loggedIn(c)
  const form = await formOf(c)
  const retryAfter = await takeLimits(c, [['changePassword', String(user.id)]])
  if (retryAfter !== null) return showSet(c, tooManyRequests(c, retryAfter))
  if ((await storedHash(c)) !== null)
    return (await answerSecondPress(c, session, firstSet)) ?? c.redirect(changePasswordPath, 303)
  const { password, errors } = postedPassword(form, { username: user.username, email: user.email ?? '' })
  if (errors.length > 0) return showSet(c, invalid(...errors))
  const hash = await setPassword(c, { userId: user.id, password, expected: null, event: 'password_set' }, Date.now())
  if (hash === null) return (await answerSecondPress(c, session, firstSet)) ?? showSet(c, invalid(changedMeanwhile))
  return finish(c, session, hash, firstSet)
}

const changedMeanwhile: FormError = { message: 'The password was changed in another window in the meantime.' }

async function storedHash(c: SiteContext): Promise<string | null> {
  return (await findUserById(c.env, loggedIn(c).user.id))?.password_hash ?? null
}

/** Lets a request through unless the first press of its button has ended its session. */
function secondPress(message: string) {
  return createMiddleware<SiteEnv>(async function secondPress(c, next) {
    const ended = c.get('endedSession')
    if (!ended) return next()
    const answer = await answerSecondPress(c, ended, message)
    if (!answer) throw unauthorized(loggedOut)
    return answer
  })
}

/** Like the first press, because the browser may show only this answer; null if there was none. */
async function answerSecondPress(c: SiteContext, session: CurrentSession, message: string): Promise<Response | null> {
  const user = await findSecondPress(c, session, textField(await formOf(c), 'password1'))
  return user && finish(c, session, user.password_hash, message)
}

async function finish(
  c: SiteContext,
  ended: CurrentSession,
  passwordHash: string | null,
  message: string,
): Promise<Response> {
  await signBackIn(c, ended, passwordHash)
  flash(c, 'success', message)
  return c.redirect(accountPath, 303)
}

function showChange(c: SiteContext, { errors, status } = noErrors): Promise<Response> {
  return showForm(c, {
    page: 'PasswordChange',
    title: 'Change password',
    lead: 'Changing it logs out every other browser.',
    action: changePasswordPath,
    submit: 'Change password',
    status,
    errors,
    links: [yourAccount, { href: resetPath, label: 'Forgot your password?' }],
    children: (
      <>
        <TextInput
          name="oldpassword"
          label="Current password"
          type="password"
          autoComplete="current-password"
          errors={errors}
        />
        <NewPassword errors={errors} username={loggedIn(c).user.username} />
      </>
    ),
  })
}

function showSet(c: SiteContext, { errors, status } = noErrors): Promise<Response> {
  return showForm(c, {
    page: 'PasswordSet',
    title: 'Set password',
    lead: 'Your account has no password yet.',
    action: setPasswordPath,
    submit: 'Set password',
    status,
    errors,
    links: [yourAccount],
    children: <NewPassword errors={errors} username={loggedIn(c).user.username} />,
  })
}
