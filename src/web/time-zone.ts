import { createMiddleware } from 'hono/factory'
import { isTimeZone } from '../lib/time-zone.ts'
import type { SiteEnv } from './site.ts'

/** The time zone in which dates are shown: the request's location, or UTC. */
export const readTimeZone = createMiddleware<SiteEnv>(async function readTimeZone(c, next) {
  const zone = c.req.raw.cf?.timezone
  c.set('timeZone', typeof zone === 'string' && isTimeZone(zone) ? zone : 'UTC')
  await next()
})
