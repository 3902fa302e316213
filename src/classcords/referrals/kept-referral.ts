import { readCookie, writeCookie } from '../../web/cookies.ts'
import type { SiteContext } from '../../web/site.ts'

const MAX_CODE_LENGTH = 100
const keptSeconds = 24 * 3600

/** The code of the query, else the one this browser was sent before; null when blank. */
export function referralOf(c: SiteContext): string | null {
  return queryReferral(c) ?? clean(readCookie(c, 'referral'))
}

export function queryReferral(c: SiteContext): string | null {
  return clean(c.req.query('referral'))
}

/** Remembers a code until this browser signs in. */
export function keepReferral(c: SiteContext, code: string): void {
  writeCookie(c, 'referral', code, keptSeconds)
}

/** One that is too long is none of ours, and would not fit into a cookie. */
function clean(text: string | undefined): string | null {
  const code = text?.trim() ?? ''
  return code === '' || code.length > MAX_CODE_LENGTH || !/^[\w-]+$/.test(code) ? null : code
}
