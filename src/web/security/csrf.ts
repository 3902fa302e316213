import { createMiddleware } from 'hono/factory'
import { readCookie, readSessionCookie, writeCookie } from './cookies.ts'
import { keepExpiredForm } from '../session/expired-form.ts'
import { optionalField } from '../parse.ts'
import { forbidden, loggedOut, unauthorized } from '../refusal.ts'
import { isSigned, randomToken, signatureOf } from './signing.ts'
import type { SiteContext, SiteEnv } from '../site.ts'

const safeMethods = new Set(['GET', 'HEAD', 'OPTIONS'])
const purpose = 'csrf'
const expired = 'Forbidden: this form has expired. Please try again.'

/** Paths whose callers sign their requests, so there is no browser whose cookies could be abused. */
const signedCalls = [
  /^\/notify\/sms\/(?:inbound|status)\/?$/,
  /^\/notify\/email\/events\/?$/,
  /^\/notify\/unsubscribe\/[^/]+\/?$/,
  /^\/push\/seen\/?$/,
]

/** A call by our service worker, signed with its device's token: no form and no other site can send that header. */
const isDeviceCall = (c: SiteContext, pathname: string): boolean =>
  /^\/push\/subscribe\/?$/.test(pathname) && c.req.header('x-device-token') !== undefined

function isSignedCall(c: SiteContext): boolean {
  const { pathname } = new URL(c.req.url)
  return signedCalls.some((path) => path.test(pathname)) || isDeviceCall(c, pathname)
}

/** What a token is bound to: the session, or, for visitors, a cookie made for this purpose. */
function holderOf(c: SiteContext): string | null {
  const session = c.get('session') ?? c.get('endedSession')
  if (session) return `session:${session.idHash}`
  const anonymous = readCookie(c, 'csrf')
  return anonymous === undefined ? null : `anonymous:${anonymous}`
}

/** The token lives as long as the session; a visitor without one gets a cookie to bind it to. */
export async function tokenFor(c: SiteContext): Promise<string> {
  const holder = holderOf(c)
  if (holder !== null) return signatureOf(c.env, purpose, holder)
  if (!safeMethods.has(c.req.method)) return ''
  const value = randomToken()
  writeCookie(c, 'csrf', value, null)
  return signatureOf(c.env, purpose, `anonymous:${value}`)
}

/** Refuses every change that does not come from one of our own pages in this browser with this session's token. */
export const csrfProtection = createMiddleware<SiteEnv>(async function csrfProtection(c, next) {
  if (!safeMethods.has(c.req.method) && !isSignedCall(c)) {
    if (!isSameOrigin(c)) throw forbidden('Forbidden: this request came from another site.')
    if (!(await hasToken(c))) {
      await keepExpiredForm(c)
      throw isLoggedOut(c) ? unauthorized(loggedOut) : forbidden(expired)
    }
  }
  await next()
})

/**
 * Browsers state the origin of a change in at least one of two headers that pages cannot set. A null Origin says
 * nothing (a privacy setting), so in that case Sec-Fetch-Site alone decides; if both headers are missing, the request
 * is refused.
 */
function isSameOrigin(c: SiteContext): boolean {
  const site = c.req.header('sec-fetch-site')
  const origin = c.req.header('origin')
  if (site !== undefined && site !== 'same-origin') return false
  if (origin !== undefined && origin !== 'null') return origin === new URL(c.req.url).origin
  return site === 'same-origin'
}

/** Whether the cookie's session was ended elsewhere or has expired. */
const isLoggedOut = (c: SiteContext) => c.get('session') === null && readSessionCookie(c) !== null

async function hasToken(c: SiteContext): Promise<boolean> {
  const holder = holderOf(c)
  if (holder === null) return false
  const sent = c.req.header('x-csrftoken') ?? (await optionalField(c, 'csrf_token'))
  return isSigned(c.env, purpose, holder, sent)
}
