import { and, eq } from 'drizzle-orm'
import { query, write } from '../db/query.ts'
import { user as account } from '../db/schema/index.ts'
import { limitedAddress } from '../web/security/client-address.ts'
import { offerExpiredForm } from '../web/session/expired-form.ts'
import { formOf, textField } from '../web/parse.ts'
import type { SiteContext } from '../web/site.ts'
import { byAddress, giveBack, limited, takeLimits } from './account-limits.ts'
import { clearFailures, failureLimitsOf, giveBackFailure, takeFailure } from './failed-logins.ts'
import { findUserById, findUserByLogin, type LoginUser } from './find-user.ts'
import { hashNewPassword, withHashingSlot, isOutdated, isPasswordOf } from './password-hash.ts'
import type { ProvenAccount } from './known-browser.ts'
import { safeNext } from './next.ts'
import { isTooLong } from './password-rules.ts'
import { logInUser } from './log-in-user.ts'

/** What a login form shows: nothing at first, later what was sent, without the password. */
export interface LoginForm {
  login: string
  remember: boolean
  next: string
  message: string
  status: 200 | 422 | 429
}

/** Checked when there is no user, so that the answer takes as long as for an existing user. */
const dummyHash = 'scrypt$14$8$5$t0oImiyb1Yd-J0MVxErszw$KC7bD8llaf0xFTde51PhwWe2kBUtxWtgoncmIpTjecw'

/**
 * Answers a posted login form: a redirect to `next`, else `home`, or the form again. Both login pages share the limits.
 * The client's are checked before the database is read, the name's and the account's before any hashing; while they
 * cannot be checked, no one can log in.
 * @param page.loginField the name of the field with the username
 */
export async function answerLogin(
  c: SiteContext,
  page: { loginField: string; home: string; showAgain: (form: LoginForm) => Response | Promise<Response> },
): Promise<Response> {
  const form = await formOf(c)
  const sent = typedIn(form, page.loginField)
  const [login, password] = [sent.login.trim(), textField(form, 'password')]
  const wrong = () => page.showAgain({ ...sent, message: 'Invalid username or password.', status: 422 })
  const tooMany = (retryAfter: number) => {
    c.header('retry-after', String(retryAfter))
    return page.showAgain({ ...sent, message: 'Too many failed login attempts. Try again later.', status: 429 })
  }

  if (login === '' || password === '') return wrong()
  const clientRefusedFor = await takeClientAttempt(c)
  if (clientRefusedFor !== null) return tooMany(clientRefusedFor)
  const user = await findUserByLogin(c.env, login)
  const limits = await failureLimitsOf(c, login, user)
  const { refusedFor, isLocked } = await takeFailure(c, limits)
  if (refusedFor !== null) return tooMany(refusedFor)
  const isCorrect = await isCorrectPassword(user, password).catch(async (error: unknown) => {
    // The password was not checked, so it was no guess.
    await Promise.all([giveBackClientAttempt(c), giveBackFailure(c, limits)])
    throw error
  })
  if (!isCorrect || !user || isLocked) return wrong()
  await Promise.all([giveBackClientAttempt(c), clearFailures(c, limits)])
  const password_hash = await renewHash(c.env, user, password)
  const options = { method: 'password', remember: sent.remember, to: sent.next || page.home } as const
  return c.redirect(await logInUser(c, { ...user, password_hash }, options), 303)
}

/** A login form that no one has sent yet: empty, or as it was filled in before its token expired. */
export async function initialLogin(c: SiteContext, page: { path: string; loginField: string }): Promise<LoginForm> {
  const expiredForm = await offerExpiredForm(c, page.path)
  const empty = { login: '', remember: false, next: safeNext(c.req.query('next')) ?? '' }
  return { ...(expiredForm ? typedIn(expiredForm, page.loginField) : empty), message: '', status: 200 }
}

/** What was typed into a login form, without the password. */
const typedIn = (form: FormData, loginField: string): Pick<LoginForm, 'login' | 'remember' | 'next'> => ({
  login: textField(form, loginField),
  remember: textField(form, 'remember') !== '',
  next: safeNext(textField(form, 'next')) ?? '',
})

/**
 * Counts one attempt against the limits of the client's address. Returns null, or the seconds to wait. It counts as a
 * failure, so that simultaneous guesses count too; {@link giveBackClientAttempt} undoes that.
 */
export async function takeClientAttempt(c: SiteContext): Promise<number | null> {
  return limited(async () => {
    const { success } = await c.env.FLOOD_LIMIT.limit({ key: `sign-in:${limitedAddress(c)}` })
    return success ? takeLimits(c, [byAddress(c, 'login'), byAddress(c, 'loginFailed')]) : 60
  })
}

/** Undoes only this attempt; otherwise attackers could reset the limit with an account of their own. */
export function giveBackClientAttempt(c: SiteContext): Promise<void> {
  return giveBack(c, byAddress(c, 'loginFailed'))
}

/** Whether it is the user's password. Takes equally long without a user. */
export async function isCorrectPassword(
  user: Pick<LoginUser, 'password_hash'> | null,
  password: string,
): Promise<boolean> {
  const hash = isTooLong(password) ? null : (user?.password_hash ?? null)
  const fits = await withHashingSlot(() => isPasswordOf(hash ?? dummyHash, password))
  return fits && hash !== null
}

/**
 * Whether a form that sets a password is a second press of one that set it just now: then its password is the user's.
 * Counts as a login under their username, so that such a form helps nobody guess.
 */
export async function isSecondPress(
  c: SiteContext,
  user: ProvenAccount & { username: string },
  password: string,
): Promise<boolean> {
  const limits = await failureLimitsOf(c, user.username, user)
  const { refusedFor, isLocked } = await takeFailure(c, limits)
  if (refusedFor !== null || isLocked) return false
  const isCorrect = await isCorrectPassword(user, password).catch(async (error: unknown) => {
    await giveBackFailure(c, limits)
    throw error
  })
  if (isCorrect) await giveBackFailure(c, limits)
  return isCorrect
}

/** Renews a hash made at other costs. Returns the stored hash; the former one if the password was changed. */
async function renewHash(env: Env, user: LoginUser, password: string): Promise<string | null> {
  if (user.password_hash === null || !isOutdated(user.password_hash)) return user.password_hash
  const hash = await hashNewPassword(password)
  const isUnchanged = and(eq(account.id, user.id), eq(account.passwordHash, user.password_hash))
  const { changes } = await write(env.DB, query.update(account).set({ passwordHash: hash }).where(isUnchanged))
  if (changes === 1) return hash
  const stored = await findUserById(env, user.id)
  return stored && (await isCorrectPassword(stored, password)) ? stored.password_hash : user.password_hash
}
