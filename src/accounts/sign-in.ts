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
  /** Username or email address. */
  login: string
  password: string
  /** Whether the browser should still be signed in after it was closed. */
  remember: boolean
  /** Where to go afterwards: a checked path of this site. */
  to: string
}

/** `location`: where to go, signed in or to what has to be done first. `retryAfter`: seconds. */
type SignInResult =
  | { ok: true; location: string }
  | { ok: false; status: 422; message: string }
  | { ok: false; status: 429; message: string; retryAfter: number }

const MAX_PASSWORD_LENGTH = 256
const wrong: SignInResult = { ok: false, status: 422, message: 'Invalid username or password.' }

const tooManyAttempts = (retryAfter: number): SignInResult => ({
  ok: false,
  status: 429,
  message: 'Too many failed login attempts. Try again later.',
  retryAfter,
})

/**
 * The hash of a password nobody has: checked when there is no user, so that the answer takes as long as for an existing
 * user.
 */
const dummyHash = 'scrypt$14$8$5$t0oImiyb1Yd-J0MVxErszw$KC7bD8llaf0xFTde51PhwWe2kBUtxWtgoncmIpTjecw'

/**
 * Signs this browser in by password, under the limits that both login pages share. The client's are checked before the
 * database is read, the account's before any hashing; while they cannot be checked, nobody can log in.
 */
export async function signInWithPassword(c: SiteContext, credentials: Credentials): Promise<SignInResult> {
  const login = credentials.login.trim()
  if (login === '' || credentials.password === '') return wrong
  const ofClient = await takeClientAttempt(c)
  if (!ofClient.allowed) return tooManyAttempts(ofClient.retryAfter)
  const user = await findUserByLogin(c.env, login)
  const ofAccount = await takeAccountAttempt(c, login, user)
  if (!ofAccount.allowed) return tooManyAttempts(ofAccount.retryAfter)
  if (!(await isCorrectPassword(user, credentials.password)) || !user) return wrong
  await Promise.all([ofClient.succeeded(), ofAccount.succeeded()])
  const password_hash = await renewHash(c.env, user, credentials.password)
  const { remember, to } = credentials
  return { ok: true, location: await signInUser(c, { ...user, password_hash }, { method: 'password', remember, to }) }
}

/** Whether it is the user's password. Takes equally long without a user. */
export async function isCorrectPassword(
  user: Pick<SignInUser, 'password_hash'> | null,
  password: string,
): Promise<boolean> {
  const hash = password.length > MAX_PASSWORD_LENGTH ? null : (user?.password_hash ?? null)
  const fits = await withHashingSlot(() => isPasswordOf(hash ?? dummyHash, password.slice(0, MAX_PASSWORD_LENGTH)))
  return fits && hash !== null
}

/**
 * Renews a stored hash at the current costs, unless the password was changed in the meantime. Returns the hash that is
 * stored.
 */
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
