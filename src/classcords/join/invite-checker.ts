import { DurableObject } from 'cloudflare:workers'
import { discordTools, type LookedUp, lookUpInvite } from '../discord/look-up-invite.ts'
import { SharedChecks } from './shared-checks.ts'

/** The timeout of one request: a person is waiting for the redirect. */
const TIMEOUT_MS = 2500

/**
 * The one place that asks Discord on behalf of people who press Join. It stores nothing; forgotten answers are
 * requested again.
 */
export class Checker extends DurableObject<Env> {
  readonly #checks = new SharedChecks({
    look: (code) => lookUpInvite(this.env, code, { ...discordTools, timeoutMs: TIMEOUT_MS }, 1),
    now: () => Date.now(),
    wait: (ms) => scheduler.wait(ms),
  })

  /** What Discord says about an invite's code, at most a minute old. */
  check(code: string): Promise<LookedUp> {
    return this.#checks.check(code)
  }
}
