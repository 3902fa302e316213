import { limitedAddress } from '../web/client-address.ts'
import { limitOf } from '../web/limits.ts'
import type { SiteContext } from '../web/site.ts'

/** A limit of an action: so many in any window. */
export interface Window {
  action: string
  limit: number
  window_ms: number
}

const minute = 60_000

/** django-allauth's limits for what people do to accounts. Those of signing in by password are in sign-in-limits.ts. */
const rules = {
  signUp: { action: 'sign-up', limit: 20, window_ms: minute },
  resetPassword: { action: 'reset-password', limit: 20, window_ms: minute },
  resetPasswordOf: { action: 'reset-password-of', limit: 5, window_ms: minute },
  resetFromKey: { action: 'reset-from-key', limit: 20, window_ms: minute },
  requestCode: { action: 'request-code', limit: 20, window_ms: minute },
  requestCodeOf: { action: 'request-code-of', limit: 3, window_ms: minute },
  confirmAddress: { action: 'confirm-address', limit: 1, window_ms: 3 * minute },
  manageEmail: { action: 'manage-email', limit: 10, window_ms: minute },
  reauthenticate: { action: 'reauthenticate', limit: 10, window_ms: minute },
  /** Journeys to Discord: as many as attempts to sign in. */
  discord: { action: 'discord', limit: 30, window_ms: minute },
  /** Failed second steps: of an address, and of an account as with passwords. */
  secondStep: { action: 'second-step', limit: 10, window_ms: minute },
  secondStepOf: { action: 'second-step-of', limit: 5, window_ms: 5 * minute },
  twoFactor: { action: 'two-factor', limit: 10, window_ms: minute },
  changePassword: { action: 'change-password', limit: 5, window_ms: minute },
} satisfies Record<string, Window>

type RuleName = keyof typeof rules

/** When limits cannot be asked: seconds until trying again makes sense. */
const brokenSeconds = 30

/** Said where a form is shown again because of a limit. */
export const tooManySentence = 'Too many requests. Please wait a moment and try again.'

/** The same with the time, once that is more than a moment. @param seconds to wait */
export function tooManyFor(seconds: number): string {
  return seconds <= 90 ? tooManySentence : `Too many requests. Please try again in ${Math.ceil(seconds / 60)} minutes.`
}

/** The client's own address as a limit's key. */
export const byAddress = (c: SiteContext, rule: RuleName): [RuleName, string] => [rule, limitedAddress(c)]

/**
 * Takes one out of each limit in turn. Answers null, or the seconds to wait as soon as one refuses. While limits cannot be
 * asked everything is refused.
 */
export async function takeLimits(c: SiteContext, asked: readonly [RuleName, string][]): Promise<number | null> {
  return limited(async () => {
    for (const [name, key] of asked) {
      const refusedFor = await take(c, rules[name], key)
      if (refusedFor !== null) return refusedFor
    }
    return null
  })
}

/** Takes one out of one limit. Answers null, or the seconds to wait. Rejects while it cannot be asked, see {@link limited}. */
export async function take(c: SiteContext, { action, ...request }: Window, key: string): Promise<number | null> {
  const answer = await (await limitOf(c.env, action, keyOf(key))).take(request)
  return answer.allowed ? null : Math.max(1, Math.ceil(answer.retry_after_ms / 1000))
}

/** What the limits say; a refusal while they cannot be asked. */
export async function limited(ask: () => Promise<number | null>): Promise<number | null> {
  try {
    return await ask()
  } catch (error) {
    console.error({ event: 'account_limits_failed', error: String(error) })
    return brokenSeconds
  }
}

/** Forgets what was taken: the right code after wrong ones. It failing locks nobody out for long. */
export async function clearLimit(c: SiteContext, name: RuleName, key: string): Promise<void> {
  const limit = await limitOf(c.env, rules[name].action, keyOf(key))
  await limit.clear().catch((error) => console.warn({ event: 'account_limit_not_cleared', error: String(error) }))
}

const keyOf = (key: string): string => key.normalize('NFKC').toLowerCase()
