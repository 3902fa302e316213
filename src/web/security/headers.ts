import { createMiddleware } from 'hono/factory'
import { secureHeaders } from 'hono/secure-headers'
import { isHttps } from './cookies.ts'
import type { SiteContext, SiteEnv } from '../site.ts'

/** The origin of a configured address, or nothing if it is not an address. */
const originOf = (address: string): string => URL.parse(address)?.origin ?? ''

/** Discord's origins come from the variables that the calls use, so that a stand-in works under the same policy. */
const setSecurityHeaders = secureHeaders({
  contentSecurityPolicy: {
    defaultSrc: ["'none'"],
    scriptSrc: ["'self'"],
    styleSrc: ["'self'"],
    fontSrc: ["'self'"],
    connectSrc: ["'self'"],
    imgSrc: ["'self'", 'data:', (c: SiteContext) => originOf(c.env.DISCORD_CDN_URL)],
    manifestSrc: ["'self'"],
    workerSrc: ["'self'"],
    formAction: ["'self'", (c: SiteContext) => originOf(c.env.DISCORD_OAUTH_URL)],
    baseUri: ["'none'"],
    frameAncestors: ["'none'"],
  },
  xFrameOptions: 'DENY',
  // no-referrer would make browsers send `Origin: null` with our own forms.
  referrerPolicy: 'strict-origin-when-cross-origin',
  // Set below, only over https.
  strictTransportSecurity: false,
  originAgentCluster: false,
  xDnsPrefetchControl: false,
  xDownloadOptions: false,
  xPermittedCrossDomainPolicies: false,
  xXssProtection: false,
})
const nothingNext = async () => {}

/** Unless the page says otherwise, no one else may store it. Afterwards the response's headers can be changed. */
function keepPrivate(c: SiteContext): void {
  const caching = c.res.headers.get('cache-control') ?? 'private, no-store'
  try {
    c.res.headers.set('cache-control', caching)
  } catch {
    // The headers of a fetched response are read-only, so c.header copies it. No other is copied: that makes its body a stream.
    c.header('cache-control', caching)
  }
}

/** The headers of every response from the Worker; static files have theirs in `client`. */
export const securityHeaders = createMiddleware<SiteEnv>(async function securityHeaders(c, next) {
  await next()
  // An upgraded connection has no page to protect, and its response cannot be copied.
  if (c.res.status === 101) return
  keepPrivate(c)
  await setSecurityHeaders(c, nothingNext)
  if (isHttps(c)) c.res.headers.set('strict-transport-security', 'max-age=31536000; includeSubDomains')
})

/** At the site's own address, leads from http to https, so that no password is sent unencrypted. Elsewhere, as in development, http works. */
export const requireHttps = createMiddleware<SiteEnv>(async function requireHttps(c, next) {
  if (isHttps(c)) return next()
  const { host, pathname, search } = new URL(c.req.url)
  return c.env.APP_URL === `https://${host}` ? c.redirect(c.env.APP_URL + pathname + search, 308) : next()
})
