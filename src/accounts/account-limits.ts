import { MINUTE_MS } from '../lib/time.ts'
import { limitedAddress } from '../web/security/client-address.ts'
import { limitOf } from '../web/limits/limits.ts'
import type { SiteContext } from '../web/site.ts'

/** At most `limit` of an action in any period of `window_ms`. */
export interface LimitRule {
  action: string
  limit: number
  window_ms: number
}

/**
 * django-allauth's limits for account actions. A name ending in `Of` limits one account, mailbox or username where a
 * client address has a limit of its own.
 */
const rules = {
  /** Logins with a password: all attempts of a client address, its failures, those under one name and of one account. */
  login: { action: 'sign-in', limit: 30, window_ms: MINUTE_MS },
  loginFailed: { action: 'sign-in-failed', limit: 10, window_ms: MINUTE_MS },
  loginFailedAs: { action: 'sign-in-failed-name', limit: 5, window_ms: 5 * MINUTE_MS },
  loginFailedOf: { action: 'sign-in-failed-account', limit: 5, window_ms: 5 * MINUTE_MS },
  signUp: { action: 'sign-up', limit: 20, window_ms: MINUTE_MS },
  resetPassword: { action: 'reset-password', limit: 20, window_ms: MINUTE_MS },
  resetPasswordOf: { action: 'reset-password-of', limit: 5, window_ms: MINUTE_MS },
  resetFromKey: { action: 'reset-from-key', limit: 20, window_ms: MINUTE_MS },
  requestCode: { action: 'request-code', limit: 20, window_ms: MINUTE_MS },
  requestCodeOf: { action: 'request-code-of', limit: 3, window_ms: MINUTE_MS },
  confirmAddress: { action: 'confirm-address', limit: 1, window_ms: 3 * MINUTE_MS },
  manageEmail: { action: 'manage-email', limit: 10, window_ms: MINUTE_MS },
  reauthenticate: { action: 'reauthenticate', limit: 10, window_ms: MINUTE_MS },
  /** Redirects to Discord have the same limit as login attempts. */
  discord: { action: 'discord', limit: 30, window_ms: MINUTE_MS },
  secondStep: { action: 'second-step', limit: 10, window_ms: MINUTE_MS },
  secondStepOf: { action: 'second-step-of', limit: 5, window_ms: 5 * MINUTE_MS },
  twoFactor: { action: 'two-factor', limit: 10, window_ms: MINUTE_MS },
  changePassword: { action: 'change-password', limit: 5, window_ms: MINUTE_MS },
} satisfies Record<string, LimitRule>

type RuleName = keyof typeof rules

/** While limits cannot be checked: seconds until it makes sense to try again. */
export const RETRY_SECONDS = 30

export const byAddress = (c: SiteContext, rule: RuleName): [RuleName, string] => [rule, limitedAddress(c)]

/** Counts one action against each limit in turn. Null, or the seconds to wait; refuses if limits cannot be checked. */
export async function takeLimits(c: SiteContext, asked: readonly [RuleName, string][]): Promise<number | null> {
  return limited(async () => {
    for (const [name, key] of asked) {
      const refusedFor = await take(c, rules[name], key)
      if (refusedFor !== null) return refusedFor
    }
    return null
  })
}

/** Counts one action, where a person must learn why it is refused. Null, or the seconds to wait. */
export async function takeTurn(c: SiteContext, [name, key]: [RuleName, string]): Promise<number | 'unchecked' | null> {
  return limited(() => take(c, rules[name], key), 'unchecked')
}

/** Counts one action. Null, or the seconds to wait. Rejects while the limit cannot be checked, see {@link limited}. */
export async function take(c: SiteContext, { action, ...request }: LimitRule, key: string): Promise<number | null> {
  const answer = await (await limitOf(c.env, action, keyOf(key))).take({ ...request, id: c.get('requestId') })
  return answer.allowed ? null : Math.max(1, Math.ceil(answer.retry_after_ms / 1000))
}

/** The answer of the limits; a refusal while they cannot be checked. */
export async function limited<Refused = number>(
  ask: () => Promise<number | null>,
  unchecked: number | Refused = RETRY_SECONDS,
): Promise<number | Refused | null> {
  try {
    return await ask()
  } catch (error) {
    console.error({ event: 'account_limits_failed', error: String(error) })
    return unchecked
  }
}

/** Takes back what this request counted, as after a login that succeeded. */
export async function giveBack(c: SiteContext, [name, key]: [RuleName, string]): Promise<void> {
  await giveBackTaken(c, rules[name], key)
}

/** Takes back what {@link take} counted for this request. */
export async function giveBackTaken(c: SiteContext, { action }: LimitRule, key: string): Promise<void> {
  await orLog(async () => (await limitOf(c.env, action, keyOf(key))).giveBack(c.get('requestId')))
}

/** Resets a limit, as after the right code. */
export async function clearLimit(c: SiteContext, name: RuleName, key: string): Promise<void> {
  await orLog(async () => (await limitOf(c.env, rules[name].action, keyOf(key))).clear())
}

/** A failure is only logged: a limit ends on its own within minutes. */
async function orLog(act: () => Promise<unknown>): Promise<void> {
  await act().catch((error) => console.warn({ event: 'account_limit_not_cleared', error: String(error) }))
}

/** One key for all spellings with which a name is found: only the letter case of a–z is ignored. */
const keyOf = (key: string): string => key.replace(/[A-Z]/g, (letter) => letter.toLowerCase())
