import { createMiddleware } from 'hono/factory'
import { orWarn } from '../../lib/fallbacks.ts'
import { limitedAddress } from '../security/client-address.ts'
import { tooMany } from '../refusal.ts'
import type { SiteContext, SiteEnv } from '../site.ts'

/** The window of READ_LIMIT in wrangler.toml. */
const WINDOW_SECONDS = 60

/**
 * Counts a public response that is not cached against its client: the signed-in user, else the address, which may be
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
