import { Hono } from 'hono'
import { sql } from 'drizzle-orm'
import { refusalIn, refuseUnless, writeTogether } from '../../db/query.ts'
import { dropCookie, readCookie, writeCookie } from '../../web/security/cookies.ts'
import { emptyForm } from '../../web/edge/edge-cache.ts'
import { flash } from '../../web/session/flash.ts'
import { offerExpiredForm } from '../../web/session/expired-form.ts'
import { formOf, textField } from '../../web/parse.ts'
import { limitReads } from '../../web/limits/limits.ts'
import type { SiteContext, SiteEnv } from '../../web/site.ts'
import { byAddress, takeLimits } from '../account-limits.ts'
import { notAnAddress, typedAddress } from '../../notify/email/mail-address.ts'
import { findUserByAddress, type MailedUser } from '../find-user.ts'
import { mailLimitKeyOf, takeMail } from '../mail-limits.ts'
import { queueMails } from '../mails/prepare-mail.ts'
import { safeNext } from '../next.ts'
import { invalid, tooManyRequests } from '../pages/show-form.tsx'
import { logInUser } from '../log-in-user.ts'
import { findPendingAddress, makeCode, renewCode, tryCode } from './codes.ts'
import { showConfirm, showRequest } from './pages.tsx'
import { type AskedAddress, prepareAccessMail, verifiedOwner } from '../email/send-confirmation.ts'
import { loginCodeMail } from '../mails/mails.ts'
import { codeLoginPath, loginPath, confirmCodePath } from '../paths.ts'
import { LOGIN_SECONDS } from '../durations.ts'

export const codeRoutes = new Hono<SiteEnv>()
const expired = 'This code has expired. Please ask for a new one.'

codeRoutes.get('/login/code/', emptyForm, async (c) => {
  const next = safeNext(c.req.query('next')) ?? ''
  if (c.get('user')) return c.redirect(next || '/', 302)
  const expiredForm = await offerExpiredForm(c, codeLoginPath)
  return showRequest(c, expiredForm ? typedIn(expiredForm) : { email: '', next })
})

codeRoutes.post('/login/code/', async (c) => {
  const { email, next } = typedIn(await formOf(c))
  const address = typedAddress(email)
  const retryAfter = await takeLimits(c, [byAddress(c, 'requestCode')])
  if (retryAfter !== null) return showRequest(c, { email, next }, tooManyRequests(c, retryAfter))
  if (address === null) {
    return showRequest(c, { email, next }, invalid({ field: 'email', message: notAnAddress }))
  }
  const user = await findUserByAddress(c.env, address)
  const refusedFor = await takeCodeMail(c, address, user)
  if (refusedFor !== null) return showRequest(c, { email, next }, tooManyRequests(c, refusedFor))
  await begin(c, { typed: address, user }, next)
  flash(c, 'info', `A sign-in code has been sent to ${address}.`)
  return c.redirect(confirmCodePath, 303)
})

codeRoutes.get('/login/code/confirm/', limitReads, async (c) => {
  const address = await findPendingAddress(c.env, readCookie(c, 'code'), Date.now())
  return address !== null ? showConfirm(c, address) : c.redirect(loginPath, 302)
})

codeRoutes.post('/login/code/confirm/', limitReads, async (c) => {
  const form = await formOf(c)
  const cookie = readCookie(c, 'code')
  const address = await findPendingAddress(c.env, cookie, Date.now())
  const isResend = textField(form, 'action') === 'resend'
  const code = textField(form, 'code')
  if (cookie === undefined || (address === null && isResend)) return end(c, expired)
  // The first press of two may have used the code; if not, it has expired, and there is no address to show.
  if (address === null) return confirm(c, { cookie, address: '' }, code, 'Incorrect code.')
  const pending = { cookie, address }
  if (isResend) {
    const answer = await resend(c, pending)
    return answer ?? confirm(c, pending, '', 'We can’t send another code. Please enter the most recent one.')
  }
  // Only a guess counts as a try.
  if (code.trim() === '') return showConfirm(c, address, invalid({ field: 'code', message: 'This field is required.' }))
  return confirm(c, pending, code, 'Incorrect code.')
})

const typedIn = (form: FormData) => ({
  email: textField(form, 'email'),
  next: safeNext(textField(form, 'next')) ?? '',
})

/** Counts a code against the limits of the address. Returns null, or the seconds to wait. */
async function takeCodeMail(c: SiteContext, address: string, user: MailedUser | null): Promise<number | null> {
  const limitKey = await mailLimitKeyOf(c, address, user)
  return (await takeLimits(c, [['requestCodeOf', limitKey.key]])) ?? (await takeMail(c, 'code', limitKey))
}

/** The same work and the same answer for every address. */
async function begin(c: SiteContext, asked: AskedAddress, next: string): Promise<void> {
  const now = Date.now()
  const { cookie, code, adding } = await makeCode(
    c.env,
    { userId: verifiedOwner(asked)?.id ?? null, address: asked.typed, next },
    now,
  )
  const { mails, statements } = await prepareCodeMail(c, asked, code, now)
  await writeTogether(c.env.DB, [adding, ...statements])
  queueMails(c, mails)
  writeCookie(c, 'code', cookie, LOGIN_SECONDS)
}

/** The address that a code was asked for, as it was typed, and the cookie of the browser that asked for it. */
interface Pending {
  cookie: string
  address: string
}

/** Null when the code was already resent twice; another request then counts as a try. */
async function resend(c: SiteContext, { cookie, address }: Pending): Promise<Response | null> {
  const user = await findUserByAddress(c.env, address)
  const retryAfter = (await takeLimits(c, [byAddress(c, 'requestCode')])) ?? (await takeCodeMail(c, address, user))
  if (retryAfter !== null) {
    flash(c, 'error', 'Be patient, you are sending too many requests.')
    return c.redirect(confirmCodePath, 303)
  }
  const now = Date.now()
  const asked = { typed: address, user }
  const { code, renewing } = await renewCode(c.env, cookie, verifiedOwner(asked)?.id ?? null, now)
  const { mails, statements } = await prepareCodeMail(c, asked, code, now)
  try {
    const isRenewed = refuseUnless(sql`changes() = 1`, 'This code cannot be sent again.')
    await writeTogether(c.env.DB, [renewing, isRenewed, ...statements])
  } catch (error) {
    if (refusalIn(error) === null) throw error
    return null
  }
  queueMails(c, mails)
  flash(c, 'info', `A sign-in code has been sent to ${address}.`)
  return c.redirect(confirmCodePath, 303)
}

/** @param error shown with the form when it was not the right code */
async function confirm(c: SiteContext, { cookie, address }: Pending, typed: string, error: string): Promise<Response> {
  const outcome = await tryCode(c.env, cookie, typed, Date.now())
  if (outcome.kind === 'gone') return end(c, expired)
  if (outcome.kind === 'wrong') {
    if (outcome.triesLeft === 0) return end(c, 'Too many failed login attempts. Try again later.')
    return showConfirm(c, address, invalid({ field: 'code', message: error }))
  }
  const { user, address: mailedTo, next } = outcome
  const to = await logInUser(c, user, { method: 'code', address: mailedTo, remember: false, to: next || '/' })
  // Last, so that a login that failed halfway can be tried again.
  dropCookie(c, 'code')
  return c.redirect(to, 303)
}

function end(c: SiteContext, message: string): Response {
  dropCookie(c, 'code')
  flash(c, 'error', message)
  return c.redirect(codeLoginPath, 303)
}

const prepareCodeMail = (c: SiteContext, asked: AskedAddress, code: string, now: number) =>
  prepareAccessMail(c, 'code', asked, {
    mailTo: () => ({ kind: 'sign_in_code', mail: loginCodeMail(code) }),
    now,
  })
