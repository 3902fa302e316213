import { Hono } from 'hono'
import { createMiddleware } from 'hono/factory'
import { notFound } from '../../web/refusal.ts'
import { hashOf, isSameText } from '../../web/security/signing.ts'
import type { SiteContext, SiteEnv } from '../../web/site.ts'
import { readMetrics } from './metrics.ts'
import { prometheusText, prometheusType } from './prometheus.ts'
import { readStats } from './stats.ts'

/** Only for superusers, and for the secret STATS_TOKEN as a bearer token (RFC 6750 §2.1); everyone else gets 404. */
const mayReadFigures = createMiddleware<SiteEnv>(async function mayReadFigures(c, next) {
  if (!c.get('user')?.is_superuser && !(await hasToken(c))) throw notFound()
  await next()
})

async function hasToken(c: SiteContext): Promise<boolean> {
  const secret = c.env.STATS_TOKEN ?? ''
  const token = /^Bearer +(\S+) *$/i.exec(c.req.header('authorization') ?? '')?.[1]
  if (secret === '' || token === undefined) return false
  // Digests have equal lengths, so that the comparison does not reveal the secret's length.
  return isSameText(await hashOf(token), await hashOf(secret))
}

export const figureRoutes = new Hono<SiteEnv>()

figureRoutes.get('/queues/stats.json', mayReadFigures, async (c) => c.json(await readStats(c.env, Date.now())))

figureRoutes.get('/metrics', mayReadFigures, async (c) =>
  c.body(prometheusText(await readMetrics(c.env, Date.now())), 200, { 'content-type': prometheusType }),
)
