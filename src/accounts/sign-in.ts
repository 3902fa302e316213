import { and, eq } from 'drizzle-orm'
import { query, write } from '../db/query.ts'
import { user as account } from '../db/schema/index.ts'
import type { SiteContext } from '../web/site.ts'
import { findUserByLogin, type SignInUser } from './find-user.ts'
import { withHashingSlot } from './hashing-slots.ts'
import { hashPassword, isOutdated, isPasswordOf } from './password-hash.ts'
import { takeAccountAttempt, takeClientAttempt } from './sign-in-limits.ts'
import { signInUser } from './sign-in-user.ts'

interface Credentials {
  /** User name or e-mail address. */
  login: string
  password: string
  /** Whether the browser should still be signed in after it was closed. */
  remember: boolean
  /** Where to go afterwards: a checked path of this site. */
  to: string
}

/** `location`: where to go, as somebody or to what has to be done first. `retryAfter`: seconds. */
type SignInResult =
  | { ok: true; location: string }
  | { ok: false; status: 422; message: string }
  | { ok: false; status: 429; message: string; retryAfter: number }

const longestPassword = 256
const wrong: SignInResult = { ok: false, status: 422, message: 'Invalid username or password.' }

const tooManyAttempts = (retryAfter: number): SignInResult => ({
  ok: false,
  status: 429,
  message: 'Too many failed login attempts. Try again later.',
  retryAfter,
})

/** Of a password nobody has: checked when there is no user, so that the answer takes as long as for one there is. */
const dummyHash = 'scrypt$14$8$5$t0oImiyb1Yd-J0MVxErszw$KC7bD8llaf0xFTde51PhwWe2kBUtxWtgoncmIpTjecw'

/**
 * Signs this browser in by password, under the limits of both log-in pages. The client's are asked before the database, the
 * account's before any hashing; when they cannot be asked, nobody gets in.
 */
export async function signInWithPassword(c: SiteContext, credentials: Credentials): Promise<SignInResult> {
  const login = credentials.login.trim()
  if (login === '' || credentials.password === '') return wrong
  const ofClient = await takeClientAttempt(c)
  if (!ofClient.allowed) return tooManyAttempts(ofClient.retryAfter)
  const user = await findUserByLogin(c.env, login)
  const ofAccount = await takeAccountAttempt(c, login, user)
  if (!ofAccount.allowed) return tooManyAttempts(ofAccount.retryAfter)
  if (!(await isRight(user, credentials.password)) || !user) return wrong
  await Promise.all([ofClient.succeeded(), ofAccount.succeeded()])
  const password_hash = await renewHash(c.env, user, credentials.password)
  const { remember, to } = credentials
  return { ok: true, location: await signInUser(c, { ...user, password_hash }, { method: 'password', remember, to }) }
}

/** Whether it is the user's password; as slow for nobody. */
export async function isRight(user: Pick<SignInUser, 'password_hash'> | null, password: string): Promise<boolean> {
  const hash = password.length > longestPassword ? null : (user?.password_hash ?? null)
  const fits = await withHashingSlot(() => isPasswordOf(hash ?? dummyHash, password.slice(0, longestPassword)))
  return fits && hash !== null
}

/** Raises a stored hash to the present costs, unless the password was changed meanwhile. Answers what is stored of this password. */
async function renewHash(env: Env, user: SignInUser, password: string): Promise<string | null> {
  if (user.password_hash === null || !isOutdated(user.password_hash)) return user.password_hash
  const salt = crypto.getRandomValues(new Uint8Array(16))
  const hash = await withHashingSlot(() => hashPassword(password, salt))
  await write(
    env.DB,
    query
      .update(account)
      .set({ passwordHash: hash })
      .where(and(eq(account.id, user.id), eq(account.passwordHash, user.password_hash))),
  )
  return hash
}
