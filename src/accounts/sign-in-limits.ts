import { limitedAddress } from '../web/client-address.ts'
import { limitOf, type Limit } from '../web/limits.ts'
import type { SiteContext } from '../web/site.ts'
import type { SignInUser } from './find-user.ts'
import { budgetOf } from './known-browser.ts'

/** django-allauth's limits: all attempts of an address, its failures, and the failures of one account. */
const limits = {
  attempts: { limit: 30, window_ms: 60_000 },
  failuresOfAddress: { limit: 10, window_ms: 60_000 },
  failuresOfAccount: { limit: 5, window_ms: 300_000 },
}
/** When limits cannot be asked: seconds until trying again makes sense. */
const brokenSeconds = 30
const action = 'sign-in-failed-account'

export type Attempt =
  | { allowed: true; succeeded(): Promise<void> }
  /** `retryAfter`: seconds */
  | { allowed: false; retryAfter: number }

/**
 * Takes one attempt out of the limits of the client's address before anything is looked at: as a failure, so that a hundred
 * guesses at once are counted too. `succeeded` takes the failure back. Nobody is let in while the limits cannot be asked.
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
    // Only this attempt is forgiven, or one's own account would free an attacker.
    return { allowed: true, succeeded: () => forgive(() => failures.take({ ...limits.failuresOfAddress, cost: -1 })) }
  })
}

/**
 * The same for the account that is meant, after it was looked up and before any hashing: one budget however it is called, one for
 * each name that is nobody's, and one for each browser in which somebody got into the account before. `succeeded` forgets all
 * failures in that budget.
 */
export async function takeAccountAttempt(c: SiteContext, login: string, user: SignInUser | null): Promise<Attempt> {
  return answered(async () => {
    const failures = await limitOf(c.env, action, accountKey(user ? await budgetOf(c, user) : login))
    const refusedFor = await refusal(failures, limits.failuresOfAccount)
    if (refusedFor !== null) return { allowed: false, retryAfter: refusedFor }
    return { allowed: true, succeeded: () => forgive(() => failures.clear()) }
  })
}

async function answered(ask: () => Promise<Attempt>): Promise<Attempt> {
  try {
    return await ask()
  } catch (error) {
    console.error({ event: 'sign_in_limits_failed', error: String(error) })
    return { allowed: false, retryAfter: brokenSeconds }
  }
}

/** Failing to forgive keeps nobody out for long. */
async function forgive(act: () => Promise<unknown>): Promise<void> {
  await act().catch(() => console.warn({ event: 'sign_in_limits_not_cleared' }))
}

/** Forgets the failures of somebody who got a new password by mail. */
export async function forgiveAccount(env: Env, username: string): Promise<void> {
  await forgive(async () => (await limitOf(env, action, accountKey(username))).clear())
}

/** Seconds to wait, or null when it was taken. */
async function refusal(limit: Limit, request: { limit: number; window_ms: number }): Promise<number | null> {
  const answer = await limit.take(request)
  return answer.allowed ? null : Math.max(1, Math.ceil(answer.retry_after_ms / 1000))
}

/** One key for all spellings of a name, whether or not there is such an account. */
function accountKey(name: string): string {
  return name.normalize('NFKC').toLowerCase()
}
