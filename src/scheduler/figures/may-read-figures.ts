import { constantTimeEqual } from 'oslo/crypto'
import { createMiddleware } from 'hono/factory'
import { notThere } from '../../web/refusal.ts'
import { hashOf } from '../../web/signing.ts'
import type { SiteContext, SiteEnv } from '../../web/site.ts'

/**
 * Lets superusers through, and whoever brings the secret STATS_TOKEN as a bearer token (RFC 6750 §2.1); without that secret
 * nobody does. For everybody else there is nothing here.
 */
export const mayReadFigures = createMiddleware<SiteEnv>(async function mayReadFigures(c, next) {
  if (!c.get('user')?.is_superuser && !(await hasToken(c))) throw notThere()
  await next()
})

async function hasToken(c: SiteContext): Promise<boolean> {
  const secret = c.env.STATS_TOKEN ?? ''
  const brought = /^Bearer +(\S+) *$/i.exec(c.req.header('authorization') ?? '')?.[1]
  if (secret === '' || brought === undefined) return false
  // Digests are of one length, so that the comparison says nothing of the secret's.
  const bytes = (text: string) => new TextEncoder().encode(text)
  return constantTimeEqual(bytes(await hashOf(brought)), bytes(await hashOf(secret)))
}
