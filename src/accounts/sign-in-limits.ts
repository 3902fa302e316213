import { limitedAddress } from '../web/client-address.ts'
import { limitOf, type Limit } from '../web/limits.ts'
import type { SiteContext } from '../web/site.ts'
import type { SignInUser } from './find-user.ts'
import { budgetOf } from './known-browser.ts'

/** django-allauth's limits: all attempts of a client address, its failures, and the failures of one account. */
const limits = {
  attempts: { limit: 30, window_ms: 60_000 },
  failuresOfAddress: { limit: 10, window_ms: 60_000 },
  failuresOfAccount: { limit: 5, window_ms: 300_000 },
}
/** While limits cannot be checked: seconds until it makes sense to try again. */
const RETRY_SECONDS = 30
const action = 'sign-in-failed-account'

type Attempt =
  | { allowed: true; succeeded(): Promise<void> }
  /** `retryAfter`: seconds */
  | { allowed: false; retryAfter: number }

/**
 * Counts one attempt against the limits of the client's address before anything is looked up. It counts as a failure,
 * so that simultaneous guesses count too; `succeeded` undoes that. Nobody can log in while the limits cannot be
 * checked.
 */
export async function takeClientAttempt(c: SiteContext): Promise<Attempt> {
  const address = limitedAddress(c)
  return answered(async () => {
    if (!(await c.env.FLOOD_LIMIT.limit({ key: `sign-in:${address}` })).success)
      return { allowed: false, retryAfter: 60 }
    const [attempts, failures] = await Promise.all([
      limitOf(c.env, 'sign-in', address),
      limitOf(c.env, 'sign-in-failed', address),
    ])
    const refusedFor = (await refusal(attempts, limits.attempts)) ?? (await refusal(failures, limits.failuresOfAddress))
    if (refusedFor !== null) return { allowed: false, retryAfter: refusedFor }
    // Undoes only this attempt; otherwise attackers could reset the limit with an account of their own.
    return {
      allowed: true,
      succeeded: () => tryToClear(() => failures.take({ ...limits.failuresOfAddress, cost: -1 })),
    }
  })
}

/**
 * The same for the account, after it was looked up and before any hashing. There is one limit for each account, however
 * it is named, one for each name without an account, and one for each browser in which somebody has logged in to the
 * account before. `succeeded` clears all failures of that limit.
 */
export async function takeAccountAttempt(c: SiteContext, login: string, user: SignInUser | null): Promise<Attempt> {
  return answered(async () => {
    const failures = await limitOf(c.env, action, accountKey(user ? await budgetOf(c, user) : login))
    const refusedFor = await refusal(failures, limits.failuresOfAccount)
    if (refusedFor !== null) return { allowed: false, retryAfter: refusedFor }
    return { allowed: true, succeeded: () => tryToClear(() => failures.clear()) }
  })
}

async function answered(ask: () => Promise<Attempt>): Promise<Attempt> {
  try {
    return await ask()
  } catch (error) {
    console.error({ event: 'sign_in_limits_failed', error: String(error) })
    return { allowed: false, retryAfter: RETRY_SECONDS }
  }
}

/** When this fails, nobody is locked out for long. */
async function tryToClear(act: () => Promise<unknown>): Promise<void> {
  await act().catch(() => console.warn({ event: 'sign_in_limits_not_cleared' }))
}

/** Clears the failures of a user who set a new password through a mailed link. */
export async function clearFailures(env: Env, username: string): Promise<void> {
  await tryToClear(async () => (await limitOf(env, action, accountKey(username))).clear())
}

/** Seconds to wait, or null when it was counted. */
async function refusal(limit: Limit, request: { limit: number; window_ms: number }): Promise<number | null> {
  const answer = await limit.take(request)
  return answer.allowed ? null : Math.max(1, Math.ceil(answer.retry_after_ms / 1000))
}

/** One key for all spellings of a name, whether or not the account exists. */
function accountKey(name: string): string {
  return name.normalize('NFKC').toLowerCase()
}
