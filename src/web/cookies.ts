import { deleteCookie, getCookie, setCookie } from 'hono/cookie'
import type { SiteContext } from './site.ts'

/**
 * `flash` is signed, `referral` a code somebody was sent, the others are 256 random bits each: `reset` the key of a mailed link,
 * `code` who asked for a sign-in code, `oauth` who went to Discord, `sign_up` who came from there and is new, `second_step` who
 * still has to show a code.
 */
type CookieName = 'session' | 'csrf' | 'flash' | 'reset' | 'code' | 'oauth' | 'sign_up' | 'second_step' | 'referral'

const isHttps = (c: SiteContext) => new URL(c.req.url).protocol === 'https:'

export function readCookie(c: SiteContext, name: CookieName): string | undefined {
  return getCookie(c, name)
}

/** @param seconds how long the browser keeps it; null: until it is closed */
export function writeCookie(c: SiteContext, name: CookieName, value: string, seconds: number | null): void {
  setCookie(c, name, value, {
    path: '/',
    httpOnly: true,
    sameSite: 'Lax',
    secure: isHttps(c),
    ...(seconds === null ? {} : { maxAge: seconds }),
  })
}

export function dropCookie(c: SiteContext, name: CookieName): void {
  deleteCookie(c, name, { path: '/', httpOnly: true, sameSite: 'Lax', secure: isHttps(c) })
}
