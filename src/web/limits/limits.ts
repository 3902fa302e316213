import { bytesOf } from '../../lib/text.ts'
import { withTimeout } from '../../lib/time.ts'
import type { Limiter, TakeAnswer, TakeRequest } from './limiter.ts'
import { createMiddleware } from 'hono/factory'
import { orWarn } from '../../lib/fallbacks.ts'
import { limitedAddress } from '../security/client-address.ts'
import { tooMany } from '../refusal.ts'
import type { SiteContext, SiteEnv } from '../site.ts'

export type Limit = Pick<Limiter, 'take' | 'giveBack' | 'reserve' | 'clear'>

/**
 * The exact limit of one key for one action. `action` is a fixed word with one window; `key` (an address, a user, an
 * IP) is hashed and never stored. Every call rejects if the limiter does not answer in time: the caller decides whether
 * that means no (login) or yes (reads).
 */
export async function limitOf(env: Env, action: string, key: string): Promise<Limit> {
  const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', bytesOf(`${action}\n${key}`)))
  const name = `${action}:${[...hash].map((byte) => byte.toString(16).padStart(2, '0')).join('')}`
  const stub = () => (env.LIMITER as DurableObjectNamespace<Limiter>).get(env.LIMITER.idFromName(name))
  return {
    take: (request) => withTimeout(stub().take(request)),
    giveBack: (id) => withTimeout(stub().giveBack(id)),
    reserve: (request) => withTimeout(stub().reserve(request)),
    clear: () => withTimeout(stub().clear()),
  }
}

/** How long {@link takeOrAllow} waits, in ms. */
const MAX_WAIT_MS = 2000

/** Counts against a limit that refuses no one while it does not answer; null if it did not. */
export async function takeOrAllow(
  env: Env,
  action: string,
  key: string,
  rule: TakeRequest,
): Promise<TakeAnswer | null> {
  const taken = limitOf(env, action, key).then((limit) => limit.take(rule))
  return orWarn(withTimeout(taken, MAX_WAIT_MS), { event: 'limit_failed', action }, null)
}

/** Counts like {@link takeOrAllow}. @throws tooMany */
export async function refuseOver(env: Env, action: string, key: string, rule: TakeRequest): Promise<void> {
  const answer = await takeOrAllow(env, action, key, rule)
  if (answer?.allowed === false) throw tooMany(answer.retry_after_ms / 1000)
}

/** The window of READ_LIMIT in wrangler.toml. */
const WINDOW_SECONDS = 60

/**
 * Counts a public response that is not cached against its client: the logged-in user, else the address, which may be
 * shared by a campus. Each location counts separately, and everything is allowed if the limit cannot be checked.
 * @throws tooMany
 */
export async function takeRead(c: SiteContext): Promise<void> {
  const user = c.get('user')
  const key = user === null ? `address:${limitedAddress(c)}` : `user:${user.id}`
  const limit = await orWarn(c.env.READ_LIMIT.limit({ key }), { event: 'read_limit_failed' }, null)
  if (limit?.success === false) throw tooMany(WINDOW_SECONDS)
}

export const limitReads = createMiddleware<SiteEnv>(async function limitReads(c, next) {
  await takeRead(c)
  await next()
})
