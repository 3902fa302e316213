import { createMiddleware } from 'hono/factory'
import type { SiteEnv } from './site.ts'

/** The time zone dates are shown in: where the request comes from, else UTC. */
export const readTimeZone = createMiddleware<SiteEnv>(async function readTimeZone(c, next) {
  const zone = c.req.raw.cf?.timezone
  c.set('timeZone', typeof zone === 'string' && isTimeZone(zone) ? zone : 'UTC')
  await next()
})

/** Asking Intl takes longer than all else around a small page, and there are only some hundred zones. */
const known = new Map<string, boolean>()
const mostKnown = 1000

/** Whether Intl knows it. */
export function isTimeZone(zone: string): boolean {
  let is = known.get(zone)
  if (is === undefined) {
    is = isKnownToIntl(zone)
    if (known.size < mostKnown) known.set(zone, is)
  }
  return is
}

function isKnownToIntl(zone: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: zone })
    return true
  } catch {
    return false
  }
}
