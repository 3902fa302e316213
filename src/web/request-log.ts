import { createMiddleware } from 'hono/factory'
import type { SiteContext, SiteEnv } from './site.ts'
import { routeOf } from './routing.ts'

/** Writes one log line per request with its route and outcome, but no addresses, names, paths or tokens. */
export const logRequest = createMiddleware<SiteEnv>(async function logRequest(c, next) {
  const startedAt = Date.now()
  begin(c)
  await next()
  if (c.get('isLogged')) return
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

/** Empty at first, because an error page may be needed before anything is known. */
function begin(c: SiteContext): void {
  c.set('requestId', crypto.randomUUID())
  c.set('isLogged', false)
  c.set('user', null)
  c.set('session', null)
  c.set('csrfToken', '')
  c.set('timeZone', 'UTC')
  c.set('messages', [])
  c.set('areMessagesShown', false)
  c.set('form', undefined)
}
