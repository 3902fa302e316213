import { createMiddleware } from 'hono/factory'
import type { SiteEnv } from './site.ts'

/** The origin of a configured address, or nothing when it is none. */
function originOf(address: string): string {
  const url = URL.parse(address)
  return url === null ? '' : ` ${url.origin}`
}

/** Discord's origins come from the variables the calls use, so that a stand-in works under the same policy. */
function contentSecurityPolicy(env: Env): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "connect-src 'self'",
    `img-src 'self' data:${originOf(env.DISCORD_CDN_URL)}`,
    `form-action 'self'${originOf(env.DISCORD_OAUTH_URL)}`,
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ')
}

/** Headers of every answer of the Worker; static files have theirs in `client`. */
export const secure = createMiddleware<SiteEnv>(async function secure(c, next) {
  await next()
  // An upgraded connection has no page to protect, and its answer cannot be copied.
  if (c.res.status === 101) return
  // The first makes the answer ours to write on (one that was fetched is not); each further c.header would copy it again.
  c.header('content-security-policy', contentSecurityPolicy(c.env))
  const { headers } = c.res
  headers.set('x-content-type-options', 'nosniff')
  headers.set('x-frame-options', 'DENY')
  // no-referrer would make browsers send `Origin: null` with our own forms.
  headers.set('referrer-policy', 'strict-origin-when-cross-origin')
  headers.set('cross-origin-opener-policy', 'same-origin')
  headers.set('cross-origin-resource-policy', 'same-origin')
  if (c.req.url.startsWith('https:')) headers.set('strict-transport-security', 'max-age=31536000; includeSubDomains')
  if (!headers.has('cache-control')) headers.set('cache-control', 'private, no-store')
})
