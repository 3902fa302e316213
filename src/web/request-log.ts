import { createMiddleware } from 'hono/factory'
import type { SiteContext, SiteEnv } from './site.ts'
import { routeOf } from './routing.ts'

/** One wide log line per request: the route and how it ended. No addresses, names, paths or tokens. */
export const logRequest = createMiddleware<SiteEnv>(async function logRequest(c, next) {
  const startedAt = Date.now()
  begin(c)
  await next()
  console.log({
    event: 'request',
    id: c.get('requestId'),
    ray: c.req.header('cf-ray') ?? null,
    method: c.req.method,
    route: routeOf(c),
    status: c.res.status,
    ms: Date.now() - startedAt,
    user: c.get('user')?.id ?? null,
  })
})

/** Nothing is known yet. An error page may be needed before anything more is. */
function begin(c: SiteContext): void {
  c.set('requestId', crypto.randomUUID())
  c.set('user', null)
  c.set('session', null)
  c.set('csrfToken', '')
  c.set('timeZone', 'UTC')
  c.set('messages', [])
  c.set('areMessagesShown', false)
  c.set('form', undefined)
}
