import { createMiddleware } from 'hono/factory'
import type { SiteEnv } from './site.ts'

/** The origin of a configured address, or nothing when it is none. */
function originOf(address: string): string {
  const url = URL.parse(address)
  return url === null ? '' : ` ${url.origin}`
}

/** Discord's origins come from the variables the calls use, so that a stand-in works under the same policy. */
export function contentSecurityPolicy(env: Env): string {
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
  c.header('content-security-policy', contentSecurityPolicy(c.env))
  c.header('x-content-type-options', 'nosniff')
  c.header('x-frame-options', 'DENY')
  // no-referrer would make browsers send `Origin: null` with our own forms.
  c.header('referrer-policy', 'strict-origin-when-cross-origin')
  c.header('cross-origin-opener-policy', 'same-origin')
  c.header('cross-origin-resource-policy', 'same-origin')
  if (new URL(c.req.url).protocol === 'https:')
    c.header('strict-transport-security', 'max-age=31536000; includeSubDomains')
  if (!c.res.headers.has('cache-control')) c.header('cache-control', 'private, no-store')
})
