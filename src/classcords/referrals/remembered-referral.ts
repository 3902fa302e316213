import { readCookie, writeCookie } from '../../web/cookies.ts'
import type { SiteContext } from '../../web/site.ts'

const MAX_CODE_LENGTH = 100
const KEEP_SECONDS = 24 * 3600

/** The code in the query, else the one remembered for this browser; null when blank. */
export function referralOf(c: SiteContext): string | null {
  return queryReferral(c) ?? clean(readCookie(c, 'referral'))
}

export function queryReferral(c: SiteContext): string | null {
  return clean(c.req.query('referral'))
}

/** Whether the query has a referral that cannot be a code. */
export function hasNoReferral(c: SiteContext): boolean {
  return (c.req.query('referral') ?? '').trim() !== '' && queryReferral(c) === null
}

/** Remembers a code until a person logs in with this browser. */
export function rememberReferral(c: SiteContext, code: string): void {
  writeCookie(c, 'referral', code, KEEP_SECONDS)
}

/**
 * The code from a text that is a code, a referral's link, or a message that contains one; null unless it can be one of
 * ours, which also fits into a cookie.
 */
function clean(text: string | undefined): string | null {
  const typed = text?.trim() ?? ''
  const code = /\/classcords\/referral\/([\w-]+)(?:[/?#\s]|$)/.exec(typed)?.[1] ?? typed
  return code === '' || code.length > MAX_CODE_LENGTH || !/^[\w-]+$/.test(code) ? null : code
}
