import { sql } from 'drizzle-orm'
import { Hono } from 'hono'
import { writeTogether } from '../../db/query.ts'
import { emptyForm } from '../../web/edge/edge-cache.ts'
import { offerExpiredForm } from '../../web/session/expired-form.ts'
import { formOf, textField } from '../../web/parse.ts'
import type { SiteContext, SiteEnv } from '../../web/site.ts'
import { byAddress, takeLimits } from '../account-limits.ts'
import { notAnAddress, typedAddress } from '../../notify/email/mail-address.ts'
import { answerUnverified } from '../email/send-confirmation.ts'
import { findUserByAddress, type MailedUser } from '../find-user.ts'
import { mailLimitKeyOf, takeMail, takeOtherSpelling } from '../mail-limits.ts'
import { passwordResetMail } from '../mails/mails.ts'
import { type NewMail, queueMails, prepareMail } from '../mails/post-mail.ts'
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
  await mailResetLink(c, address, user, Date.now())
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
async function mailResetLink(c: SiteContext, typed: string, user: MailedUser | null, now: number): Promise<void> {
  const owner = user?.is_verified ? user : null
  const isTooMuch = (await takeOtherSpelling(c, 'link', typed)) !== null && owner === null
  const key = await makeResetKey(owner ?? { id: 0, last_login_at: null, address: typed }, now)
  const other = await answerUnverified(c.env, typed, owner ? null : user, now)
  const newMail: NewMail = owner
    ? {
        kind: 'password_reset',
        address: owner.address,
        userId: owner.id,
        mail: passwordResetMail(owner.username, siteAddress(c.env, key.path)),
      }
    : other.newMail
  const mail = await prepareMail(c.env, newMail, now, isTooMuch ? sql`false` : undefined)
  await writeTogether(c.env.DB, [key.adding, other.adding, mail.statement])
  if (!isTooMuch) queueMails(c, [mail])
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
