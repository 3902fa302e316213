import { Hono } from 'hono'
import { Button } from '../../../client/components/button.tsx'
import { PostForm } from '../../../client/components/post-form.tsx'
import { flash } from '../../web/session/flash.ts'
import { contextOf } from '../../web/page/page.tsx'
import { formOf, hasForm, textField } from '../../web/parse.ts'
import { limitReads } from '../../web/limits/limits.ts'
import type { SiteContext, SiteEnv } from '../../web/site.ts'
import { byAddress, takeLimits } from '../account-limits.ts'
import { claimAccount } from '../claim-account.ts'
import { clearFailuresOf } from '../failed-logins.ts'
import { knownBrowser } from '../known-browser.ts'
import { prepareNotice } from '../mails/prepare-notice.ts'
import { withNext } from '../next.ts'
import { NewPassword, logIn } from '../pages/form-page.tsx'
import { showNotice, invalid, noErrors, showForm, tooManyRequests } from '../pages/show-form.tsx'
import { postedPassword } from '../password-rules.ts'
import { isSecondPress } from '../log-in.ts'
import {
  confirmAddress,
  type ConfirmationKey,
  type PendingConfirmation,
  findConfirmationKey,
  useClaimingKey,
} from './confirm-address.ts'
import { sendConfirmation } from './send-confirmation.ts'
import { loginPath, confirmEmailPath, emailPath } from '../paths.ts'

export const confirmRoutes = new Hono<SiteEnv>()

confirmRoutes.get('/confirm-email/', (c) =>
  showNotice(c, {
    page: 'VerificationSent',
    title: 'Verify Your Email Address',
    text: (
      <>
        {c.req.query('none') !== undefined ? (
          <p>No email was sent to you just now. To get a link that confirms your address, log in again later.</p>
        ) : (
          <>
            <p>
              We have sent an email to you. Follow the link in it to finish; it works for 3 days. If the email does not
              arrive within a few minutes, check your spam folder.
            </p>
            <p className="muted small">Logging in again sends another link, at most one every 3 minutes.</p>
          </>
        )}
      </>
    ),
    links: [logIn],
  }),
)

confirmRoutes.get('/confirm-email/:key/', limitReads, async (c) =>
  showKey(c, c.req.param('key'), await findConfirmationKey(c.env, c.req.param('key'), Date.now())),
)

confirmRoutes.post('/confirm-email/:key/', limitReads, async (c) => {
  const key = c.req.param('key')
  const now = Date.now()
  const form = hasForm(c) ? await formOf(c) : new FormData()
  const found = await findConfirmationKey(c.env, key, now)
  if (textField(form, 'action') === 'resend') {
    if (found.kind !== 'live' && found.kind !== 'expired') return showKey(c, key, found)
    return c.redirect(await sendConfirmation(c, found), 303)
  }
  if (found.kind !== 'live') return answerUnusable(c, found, { key, form, now })
  const mode = await confirmationModeOf(c, found)
  if (mode === 'log_in') return showLogin(c, key, found)
  if (mode === 'claim') return claim(c, found, { key, form, now })
  const notice = await noticeOf(c, found, '', now)
  if (!(await confirmAddress(c.env, key, now, notice.statements)))
    return answerUnusable(c, await findConfirmationKey(c.env, key, now), { key, form, now })
  notice.send()
  return finish(c, found.address)
})

/**
 * What is needed besides the link. Nothing in a browser where someone logged in to the account or created it (`own`).
 * In any other browser, the person who reads the email may not be the one who created the account: an account without a
 * confirmed address is claimed with a new password (`claim`); for any other, the owner has to log in (`log_in`).
 */
async function confirmationModeOf(c: SiteContext, found: PendingConfirmation): Promise<'own' | 'claim' | 'log_in'> {
  if (c.get('user')?.id === found.userId || (await knownBrowser(c, found.account)) !== null) return 'own'
  return found.isClaimable ? 'claim' : 'log_in'
}

/** A posted form that confirms an address. */
interface PostedKey {
  key: string
  form: FormData
  now: number
}

/** Confirms nothing again: a second press is answered like the first, because a browser may show only its answer. */
async function answerUnusable(c: SiteContext, found: ConfirmationKey, { key, form }: PostedKey): Promise<Response> {
  if (found.kind !== 'done') return showKey(c, key, found)
  const password = textField(form, 'password1')
  const isRepeated =
    (await confirmationModeOf(c, found)) === 'own' ||
    (password !== '' &&
      (await takeLimits(c, [byAddress(c, 'resetFromKey')])) === null &&
      (await isSecondPress(c, { ...found.account, username: found.username }, password)))
  return isRepeated ? finish(c, found.address) : showKey(c, key, found)
}

async function claim(c: SiteContext, found: PendingConfirmation, { key, form, now }: PostedKey): Promise<Response> {
  const { userId, username, address } = found
  const { password, errors } = postedPassword(form, { username, email: address })
  if (errors.length > 0) return showClaim(c, key, found, invalid(...errors))
  const retryAfter = await takeLimits(c, [byAddress(c, 'resetFromKey')])
  if (retryAfter !== null) return showClaim(c, key, found, tooManyRequests(c, retryAfter))
  const usingKey = await useClaimingKey(key, now)
  const more = ' A new password was set, and everyone who used the previous one was logged out.'
  const notice = await noticeOf(c, found, more, now)
  if (!(await claimAccount(c, { userId, address, password, usingKey, notice: notice.statements }, now)))
    return answerUnusable(c, await findConfirmationKey(c.env, key, now), { key, form, now })
  notice.send()
  await clearFailuresOf(c, { userId, username })
  return finish(c, address)
}

/** Sent to the new address only if it is the account's first: the person who added another one may not be the owner. */
function noticeOf(c: SiteContext, { userId, address, isClaimable }: PendingConfirmation, more: string, now: number) {
  const detail = `Confirmed address: ${address}.${more}`
  const to = isClaimable ? { to: address } : {}
  return prepareNotice(c, { kind: 'address_confirmed', userId, detail, ...to }, now)
}

function finish(c: SiteContext, address: string): Response {
  flash(c, 'success', `You have confirmed ${address}.`)
  return c.redirect(c.get('user') ? emailPath : loginPath, 303)
}

const pathOf = (key: string) => `${confirmEmailPath}${encodeURIComponent(key)}/`

const page = 'ConfirmEmail'
const title = 'Confirm email address'

async function showKey(c: SiteContext, key: string, found: ConfirmationKey): Promise<Response> {
  if (found.kind === 'live') return showLive(c, key, found)
  if (found.kind === 'taken') {
    return showNotice(c, {
      page,
      title,
      status: 409,
      error: `Unable to confirm ${found.address} because it is already confirmed by a different account.`,
      links: [logIn],
    })
  }
  const isExpired = found.kind === 'expired'
  return showNotice(c, {
    page,
    title,
    status: 404,
    error: 'This email confirmation link expired or is invalid.',
    text: isExpired ? <KeyForm c={c} path={pathOf(key)} action="resend" label="Send a new link" /> : null,
    links: isExpired ? [] : [{ href: emailPath, label: 'Ask for a new link' }],
  })
}

async function showLive(c: SiteContext, key: string, found: PendingConfirmation): Promise<Response> {
  const mode = await confirmationModeOf(c, found)
  if (mode === 'claim') return showClaim(c, key, found)
  if (mode === 'log_in') return showLogin(c, key, found)
  return showNotice(c, {
    page,
    title,
    text: (
      <>
        <p>
          Please confirm that <strong>{found.address}</strong>
          {` is an email address of the user ${found.username}.`}
        </p>
        <KeyForm c={c} path={pathOf(key)} action="confirm" label="Confirm" />
      </>
    ),
    links: [],
  })
}

function showClaim(
  c: SiteContext,
  key: string,
  { username, address }: PendingConfirmation,
  { errors, status } = noErrors,
): Promise<Response> {
  return showForm(c, {
    page,
    title,
    lead: `Please confirm that ${address} is an email address of the user ${username}, and choose a password. This browser does not know that account, so for your safety everything set up before is removed: the old password, sessions, connected accounts, other email addresses and two-factor authentication.`,
    action: pathOf(key),
    submit: 'Confirm',
    status,
    errors,
    children: (
      <>
        <NewPassword errors={errors} username={username} />
        <p className="muted small">
          To keep everything as you set it up, open the link in the browser you signed up with, or log in here first and
          open it again.
          {` If ${username} is not the username you chose, do not confirm it: log in with your own, and you get another link.`}
        </p>
      </>
    ),
    links: [logInFirst(key)],
  })
}

function showLogin(c: SiteContext, key: string, { address }: PendingConfirmation): Promise<Response> {
  const user = c.get('user')
  return showNotice(c, {
    page,
    title,
    status: 403,
    error: `Someone added ${address} to their account in another browser.`,
    text: (
      <p>
        If it was you, {user ? `log out (you are ${user.name} here) and ` : ''}log in to that account to confirm the
        address. If not, you can ignore this: it stays unconfirmed.
      </p>
    ),
    links: [logInFirst(key)],
  })
}

const logInFirst = (key: string) => ({
  href: withNext(loginPath, pathOf(key)),
  label: 'Log in',
})

function KeyForm({ c, path, action, label }: { c: SiteContext; path: string; action: string; label: string }) {
  return (
    <PostForm context={contextOf(c)} action={path}>
      <input type="hidden" name="action" value={action} />
      <Button kind="primary" type="submit">
        {label}
      </Button>
    </PostForm>
  )
}
