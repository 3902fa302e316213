import { limitedAddress } from '../web/client-address.ts'
import { limitOf, type Limit } from '../web/limits.ts'
import type { SiteContext } from '../web/site.ts'

/** django-allauth's limits: all attempts of an address, its failures, and the failures of one account key. */
const limits = {
  attempts: { limit: 30, window_ms: 60_000 },
  failuresOfAddress: { limit: 10, window_ms: 60_000 },
  failuresOfAccount: { limit: 5, window_ms: 300_000 },
}
/** When limits cannot be asked: seconds until trying again makes sense. */
const brokenSeconds = 30

export type Attempt =
  | { allowed: true; succeeded(): Promise<void> }
  /** `retryAfter`: seconds */
  | { allowed: false; retryAfter: number }

/**
 * Takes one attempt out of every limit before anything is looked at: as a failure, so that a hundred guesses at once are
 * counted too. `succeeded` takes the failure back. Nobody is let in while the limits cannot be asked.
 */
export async function takeSignInAttempt(c: SiteContext, login: string): Promise<Attempt> {
  const address = limitedAddress(c)
  try {
    if (!(await c.env.FLOOD_LIMIT.limit({ key: `sign-in:${address}` })).success)
      return { allowed: false, retryAfter: 60 }
    const [attempts, ofAddress, ofAccount] = await Promise.all([
      limitOf(c.env, 'sign-in', address),
      limitOf(c.env, 'sign-in-failed', address),
      limitOf(c.env, 'sign-in-failed-account', accountKey(login)),
    ])
    const refusedFor =
      (await refusal(attempts, limits.attempts)) ??
      (await refusal(ofAddress, limits.failuresOfAddress)) ??
      (await refusal(ofAccount, limits.failuresOfAccount))
    if (refusedFor !== null) return { allowed: false, retryAfter: refusedFor }
    return { allowed: true, succeeded: () => forgive(ofAddress, ofAccount) }
  } catch (error) {
    console.error({ event: 'sign_in_limits_failed', error: String(error) })
    return { allowed: false, retryAfter: brokenSeconds }
  }
}

/** The account's failures are forgotten; of the address only this attempt, or one's own account would free an attacker. */
async function forgive(ofAddress: Limit, ofAccount: Limit): Promise<void> {
  const returned = await Promise.allSettled([
    ofAddress.take({ ...limits.failuresOfAddress, cost: -1 }),
    ofAccount.clear(),
  ])
  for (const { status } of returned) if (status === 'rejected') console.warn({ event: 'sign_in_limits_not_cleared' })
}

/** Forgets the failures of every login of somebody who got a new password by mail. */
export async function forgiveAccount(env: Env, userId: number): Promise<void> {
  const { results } = await env.DB.prepare(
    'SELECT username AS login FROM user WHERE id = ?1 UNION SELECT address FROM email_address WHERE user_id = ?1',
  )
    .bind(userId)
    .all<{ login: string }>()
  const cleared = results.map(async ({ login }) =>
    (await limitOf(env, 'sign-in-failed-account', accountKey(login))).clear(),
  )
  const missed = (await Promise.allSettled(cleared)).some(({ status }) => status === 'rejected')
  if (missed) console.warn({ event: 'sign_in_limits_not_cleared' })
}

/** Seconds to wait, or null when it was taken. */
async function refusal(limit: Limit, request: { limit: number; window_ms: number }): Promise<number | null> {
  const answer = await limit.take(request)
  return answer.allowed ? null : Math.max(1, Math.ceil(answer.retry_after_ms / 1000))
}

/** One key for all spellings of a login, whether or not there is such an account. */
function accountKey(login: string): string {
  return login.normalize('NFKC').toLowerCase()
}
