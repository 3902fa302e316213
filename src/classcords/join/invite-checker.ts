import { DurableObject } from 'cloudflare:workers'
import { discordTools, type Lookup, lookUpInvite } from '../discord/look-up-invite.ts'
import { SharedChecks } from './shared-checks.ts'

/** The timeout of one request: a person is waiting for the redirect. */
const TIMEOUT_MS = 2500

/** All locations share Discord's rate limit. Keeps answers in memory only. */
export class Checker extends DurableObject<Env> {
  readonly #checks = new SharedChecks({
    look: (code) => lookUpInvite(this.env, code, { ...discordTools, timeoutMs: TIMEOUT_MS }, 1),
    now: () => Date.now(),
    wait: (ms) => scheduler.wait(ms),
  })

  /** What Discord says about an invite's code, at most a minute old. */
  check(code: string): Promise<Lookup> {
    return this.#checks.check(code)
  }
}
