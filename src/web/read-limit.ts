import { createMiddleware } from 'hono/factory'
import { limitedAddress } from './client-address.ts'
import { tooMany } from './refusal.ts'
import type { SiteContext, SiteEnv } from './site.ts'

/** The window of READ_LIMIT in wrangler.toml. */
const windowSeconds = 60

/**
 * Takes one out of what a client may read of public answers that are not kept: an address, of which a campus has few, or whoever is
 * signed in. It is counted by each location for itself, and everything is allowed while it cannot be asked. @throws tooMany
 */
export async function takeRead(c: SiteContext): Promise<void> {
  const user = c.get('user')
  const key = user === null ? `address:${limitedAddress(c)}` : `user:${user.id}`
  if (!(await isAllowed(c.env, key))) throw tooMany(windowSeconds)
}

async function isAllowed(env: Env, key: string): Promise<boolean> {
  try {
    return (await env.READ_LIMIT.limit({ key })).success
  } catch (error) {
    console.warn({ event: 'read_limit_failed', error: String(error) })
    return true
  }
}

/** For routes whose answer is not kept at all. */
export const limitReads = createMiddleware<SiteEnv>(async function limitReads(c, next) {
  await takeRead(c)
  await next()
})
