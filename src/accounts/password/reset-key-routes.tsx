import { Hono } from 'hono'
import { dropCookie, readCookie, writeCookie } from '../../web/security/cookies.ts'
import { flash } from '../../web/session/flash.ts'
import { formOf, textField } from '../../web/parse.ts'
import { limitReads } from '../../web/limits/limits.ts'
import type { SiteContext, SiteEnv } from '../../web/site.ts'
import { byAddress, takeLimits } from '../account-limits.ts'
import { claimAccount } from '../claim-account.ts'
import { clearFailuresOf } from '../failed-logins.ts'
import { NewPassword, logIn } from '../pages/form-page.tsx'
import { showNotice, invalid, noErrors, showForm, tooManyRequests } from '../pages/show-form.tsx'
import { isSecondPress } from '../log-in.ts'
import { postedPassword } from '../password-rules.ts'
import { findJustReset, findResetOwner, type ResetOwner, useResetKey, type UserKey } from './password-resets.ts'
import { setPassword } from './set-password.ts'
import { resetPath } from '../paths.ts'

export const resetKeyRoutes = new Hono<SiteEnv>()

/** Replaces the key in the URL once it is in a cookie, because URLs end up in histories and Referer headers. */
const placeholder = 'set-password'
/** Seconds the cookie is kept. */
const COOKIE_SECONDS = 3600

resetKeyRoutes.get('/password/reset/key/done/', (c) =>
  showNotice(c, {
    page: 'PasswordResetFromKeyDone',
    title: 'Change password',
    text: <p>Your password is now changed.</p>,
    links: [logIn],
  }),
)

resetKeyRoutes.get('/password/reset/key/:uidkey/', limitReads, async (c) => {
  const { userId, uid, key } = readPath(c)
  const owner = await findResetOwner(c.env, { userId, key }, Date.now())
  if (!owner) return badToken(c)
  if (c.req.param('uidkey').endsWith(`-${placeholder}`)) return show(c, uid, owner)
  writeCookie(c, 'reset', key, COOKIE_SECONDS)
  return c.redirect(`${resetPath}key/${uid}-${placeholder}/`, 302)
})

resetKeyRoutes.post('/password/reset/key/:uidkey/', limitReads, async (c) => {
  const { userId, uid, key } = readPath(c)
  const form = await formOf(c)
  const now = Date.now()
  const retryAfter = await takeLimits(c, [byAddress(c, 'resetFromKey')])
  const owner = await findResetOwner(c.env, { userId, key }, now)
  if (!owner) return retryAfter === null ? answerUsed(c, { userId, key }, form) : badToken(c)
  if (retryAfter !== null) return show(c, uid, owner, tooManyRequests(c, retryAfter))
  const { password, errors } = postedPassword(form, { username: owner.username, email: owner.email ?? '' })
  if (errors.length > 0) return show(c, uid, owner, invalid(...errors))
  const { claims, password_hash: expected } = owner
  const usingKey = await useResetKey({ userId, key }, { claiming: claims !== null }, now)
  const isSet =
    claims === null
      ? (await setPassword(c, { userId, password, expected, event: 'password_was_reset', usingKey }, now)) !== null
      : await claimAccount(c, { userId, address: claims, password, usingKey, notice: [] }, now)
  if (!isSet) return answerUsed(c, { userId, key }, form)
  await clearFailuresOf(c, { userId, username: owner.username })
  return finish(c)
})

/** Sets nothing again: a second press is answered like the first, because a browser may show only its answer. */
async function answerUsed(c: SiteContext, resetKey: UserKey, form: FormData): Promise<Response> {
  // The first answer deletes the cookie, so only a press before that has it.
  const user = readCookie(c, 'reset') === resetKey.key ? await findJustReset(c.env, resetKey, Date.now()) : null
  return user && (await isSecondPress(c, user, textField(form, 'password1'))) ? finish(c) : badToken(c)
}

function finish(c: SiteContext): Response {
  dropCookie(c, 'reset')
  flash(c, 'success', 'Password successfully changed.')
  return c.redirect(`${resetPath}key/done/`, 303)
}

/** User and key of `{uidb36}-{key}`; the key comes from the cookie when the address holds the placeholder. */
function readPath(c: SiteContext): { userId: number; uid: string; key: string } {
  const [, uid = '', key = ''] = /^([0-9a-z]{1,11})-(.+)$/.exec(c.req.param('uidkey') ?? '') ?? []
  const userId = Number.parseInt(uid, 36)
  const isHere = key === placeholder
  return {
    userId: Number.isSafeInteger(userId) ? userId : 0,
    uid,
    key: isHere ? (readCookie(c, 'reset') ?? '') : key,
  }
}

function badToken(c: SiteContext): Promise<Response> {
  return showNotice(c, {
    page: 'PasswordResetFromKey',
    title: 'Bad Token',
    status: 404,
    error:
      'The password reset link was invalid, possibly because it has already been used. Please request a new password reset.',
    links: [{ href: resetPath, label: 'Request a new password reset' }],
  })
}

function show(c: SiteContext, uid: string, owner: ResetOwner, { errors, status } = noErrors): Promise<Response> {
  return showForm(c, {
    page: 'PasswordResetFromKey',
    title: 'Change password',
    lead: `Choose a new password for ${owner.username}. ${
      owner.claims === null
        ? 'Every browser will be logged out.'
        : 'For your safety, everything set up before is removed: the old password, sessions, connected accounts, other email addresses and two-factor authentication.'
    }`,
    action: `${resetPath}key/${uid}-${placeholder}/`,
    submit: 'Change password',
    status,
    errors,
    children: <NewPassword errors={errors} username={owner.username} />,
  })
}
