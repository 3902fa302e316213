import { Hono } from 'hono'
import { writeTogether } from '../../db/query.ts'
import { emptyForm } from '../../web/edge/edge-cache.ts'
import { offerExpiredForm } from '../../web/session/expired-form.ts'
import { formOf, textField } from '../../web/parse.ts'
import type { SiteContext, SiteEnv } from '../../web/site.ts'
import { byAddress, takeLimits } from '../account-limits.ts'
import { notAnAddress, typedAddress } from '../../notify/email/mail-address.ts'
import { type AskedAddress, prepareAccessMail, verifiedOwner } from '../email/send-confirmation.ts'
import { findUserByAddress } from '../find-user.ts'
import { mailLimitKeyOf, takeMail } from '../mail-limits.ts'
import { passwordResetMail } from '../mails/mails.ts'
import { queueMails } from '../mails/prepare-mail.ts'
import { siteAddress } from '../mails/links.ts'
import { TextInput, logIn } from '../pages/form-page.tsx'
import { showNotice, invalid, noErrors, showForm, tooManyRequests } from '../pages/show-form.tsx'
import { makeResetKey } from './password-resets.ts'
import { codeLoginPath, resetPath } from '../paths.ts'

export const resetRoutes = new Hono<SiteEnv>()
/** The same for every address, whether it has an account or not. */
const earlierLinks =
  'If links were sent to this address in the last 3 days and you have not logged in since, they may still work: check the mailbox and its spam folder.'

resetRoutes.get('/password/reset/', emptyForm, async (c) => {
  const expiredForm = await offerExpiredForm(c, resetPath)
  return show(c, expiredForm ? textField(expiredForm, 'email') : '')
})

resetRoutes.post('/password/reset/', async (c) => {
  const typed = textField(await formOf(c), 'email')
  const address = typedAddress(typed)
  const retryAfter = await takeLimits(c, [byAddress(c, 'resetPassword')])
  if (retryAfter !== null) return show(c, typed, tooManyRequests(c, retryAfter))
  if (address === null) return show(c, typed, invalid({ field: 'email', message: notAnAddress }))
  const user = await findUserByAddress(c.env, address)
  const limitKey = await mailLimitKeyOf(c, address, user)
  const refusedFor = (await takeLimits(c, [['resetPasswordOf', limitKey.key]])) ?? (await takeMail(c, 'link', limitKey))
  if (refusedFor !== null) {
    const { errors, status } = tooManyRequests(c, refusedFor)
    return show(c, typed, { errors: [...errors, { message: earlierLinks }], status })
  }
  await mailResetLink(c, { typed: address, user }, Date.now())
  return c.redirect(`${resetPath}done/`, 303)
})

resetRoutes.get('/password/reset/done/', (c) =>
  showNotice(c, {
    page: 'PasswordResetDone',
    title: 'Password reset',
    text: (
      <>
        <p>We have sent you an email. If you have not received it please check your spam folder.</p>
        <p className="muted small">The link in it works once, for 3 days at most.</p>
      </>
    ),
    links: [logIn],
  }),
)

/** The same work and the same answer for every address: only the mailbox's owner learns whether there is an account. */
async function mailResetLink(c: SiteContext, asked: AskedAddress, now: number): Promise<void> {
  const key = await makeResetKey(verifiedOwner(asked) ?? { id: 0, last_login_at: null, address: asked.typed }, now)
  const link = siteAddress(c.env, key.path)
  const { mails, statements } = await prepareAccessMail(c, 'link', asked, {
    mailTo: ({ username }) => ({ kind: 'password_reset', mail: passwordResetMail(username, link) }),
    now,
  })
  await writeTogether(c.env.DB, [key.adding, ...statements])
  queueMails(c, mails)
}

function show(c: SiteContext, email: string, { errors, status } = noErrors): Promise<Response> {
  return showForm(c, {
    page: 'PasswordReset',
    title: 'Password reset',
    lead: 'Enter your email address, and we will send you a link to choose a new password.',
    action: resetPath,
    submit: 'Send link',
    status,
    errors,
    links: [logIn, { href: codeLoginPath, label: 'Log in with a code' }],
    children: (
      <TextInput name="email" label="Email address" type="email" autoComplete="email" value={email} errors={errors} />
    ),
  })
}
