import { deleteCookie, getCookie, setCookie } from 'hono/cookie'
import type { SiteContext } from '../site.ts'

/**
 * The cookies besides the session's. `flash` is signed, `referral` is the code of a referral link, `browser` says which
 * accounts were used in this browser, `account` is a signature of the user who was last logged in. `kept_form` is
 * encrypted: what was typed into a form that had expired. The others are 256 random bits each: `reset` is the key of a
 * mailed link, `code` identifies who requested a login code, `oauth` who went to Discord, `sign_up` who came back from
 * there as a new user, `second_step` who still has to enter a code.
 */
type CookieName =
  | 'session'
  | 'csrf'
  | 'flash'
  | 'reset'
  | 'code'
  | 'oauth'
  | 'sign_up'
  | 'second_step'
  | 'referral'
  | 'browser'
  | 'account'
  | 'kept_form'

/** Over http, as in development, browsers refuse what only https may have. */
export const isHttps = (c: SiteContext): boolean => c.req.url.startsWith('https:')

/** Browsers accept a cookie with this prefix only from this host over https: no other host can plant one. */
const nameOf = (c: SiteContext, name: CookieName): string => (isHttps(c) ? `__Host-${name}` : name)

export function readCookie(c: SiteContext, name: CookieName): string | undefined {
  return getCookie(c, nameOf(c, name))
}

/** @param seconds how long the browser keeps it; null: until the browser is closed */
export function writeCookie(c: SiteContext, name: CookieName, value: string, seconds: number | null): void {
  setCookie(c, nameOf(c, name), value, {
    path: '/',
    httpOnly: true,
    sameSite: 'Lax',
    secure: isHttps(c),
    ...(seconds === null ? {} : { maxAge: seconds }),
  })
}

export function dropCookie(c: SiteContext, name: CookieName): void {
  drop(c, nameOf(c, name))
}

/** How a browser stores its session cookie: over https with the prefix, over http, or over https under the old name. */
export type CookieKind = 'prefixed' | 'http' | 'old_name'

/** Over https the name without the prefix is also read, for sessions from before the prefix was added. */
export function readSessionCookie(c: SiteContext): { token: string; kind: CookieKind } | null {
  const token = readCookie(c, 'session')
  if (token !== undefined) return { token, kind: newCookieKind(c) }
  const old = getCookie(c, 'session')
  return old === undefined ? null : { token: old, kind: 'old_name' }
}

export function dropSessionCookie(c: SiteContext): void {
  dropCookie(c, 'session')
  if (isHttps(c) && getCookie(c, 'session') !== undefined) drop(c, 'session')
}

/** Writes the cookie of a new session, replacing any earlier one. */
export function writeSessionCookie(c: SiteContext, token: string, seconds: number | null): void {
  if (isHttps(c) && getCookie(c, 'session') !== undefined) drop(c, 'session')
  writeCookie(c, 'session', token, seconds)
}

/** The cookie of a session that begins with this request. */
export const newCookieKind = (c: SiteContext): 'prefixed' | 'http' => (isHttps(c) ? 'prefixed' : 'http')

const drop = (c: SiteContext, name: string): unknown =>
  deleteCookie(c, name, { path: '/', httpOnly: true, sameSite: 'Lax', secure: isHttps(c) })
