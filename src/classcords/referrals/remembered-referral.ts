import { readCookie, writeCookie } from '../../web/security/cookies.ts'
import type { SiteContext } from '../../web/site.ts'

const MAX_CODE_LENGTH = 100
const KEEP_SECONDS = 24 * 3600

/** The code in the query, or else the one remembered in this browser's cookie; null when there is none. */
export function referralOf(c: SiteContext): string | null {
  return queryReferral(c) ?? referralCodeIn(readCookie(c, 'referral'))
}

export function queryReferral(c: SiteContext): string | null {
  return referralCodeIn(c.req.query('referral'))
}

/** Whether the query has a referral that is not a code. */
export function hasInvalidReferral(c: SiteContext): boolean {
  return (c.req.query('referral') ?? '').trim() !== '' && queryReferral(c) === null
}

/** Remembers a code until a person logs in with this browser. */
export function rememberReferral(c: SiteContext, code: string): void {
  writeCookie(c, 'referral', code, KEEP_SECONDS)
}

/**
 * The code in a text that is a code, a referral link, or a message that contains a link; null if what was found cannot
 * be a code of ours and might not fit into a cookie.
 */
function referralCodeIn(text: string | undefined): string | null {
  const typed = text?.trim() ?? ''
  const code = /\/classcords\/referral\/([\w-]+)(?:[/?#\s]|$)/.exec(typed)?.[1] ?? typed
  return code === '' || code.length > MAX_CODE_LENGTH || !/^[\w-]+$/.test(code) ? null : code
}
