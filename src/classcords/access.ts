import { loginAddress } from '../accounts/roles.ts'
import { forbidden, forbiddenUntil, signInFirst } from '../web/refusal.ts'
import type { SiteContext } from '../web/site.ts'
import { wantsJson } from '../web/wants-json.ts'
import { type Member, memberOf, type Viewer, viewerOf } from './viewer.ts'

export const welcomePath = '/classcords/'
export const loginPath = '/classcords/login/'
export const profilePath = '/classcords/profile/'
/** Where a chat account is linked. */
export const connectionsPath = '/accounts/3rdparty/'

/** Where a chat account is connected, on the way to a page. */
export function connectAddress(path: string): string {
  // Paths are looked up without their slash.
  const next = path.endsWith('/') ? path : `${path}/`
  return `/accounts/discord/login/?${new URLSearchParams({ process: 'connect', next })}`
}

/** Where somebody must go first who has a chat account and no school; null for everybody else. */
export function schoolFirst(c: SiteContext, viewer: Viewer): Response | null {
  return viewer.chat && viewer.schoolId === null ? c.redirect(profilePath, 302) : null
}

/** Sends somebody to sign in, and back afterwards. @throws signInFirst for JSON */
export function toLogin(c: SiteContext): Response {
  if (wantsJson(c)) throw signInFirst('You must be logged in')
  return c.redirect(loginAddress(c, loginPath), 302)
}

/**
 * Lets people with a chat account (and a school) into a page; answers where everybody else is sent.
 * @throws signInFirst for JSON, forbidden for who is signed in without a chat account or the right
 */
export function enter(c: SiteContext, options: { managersOnly?: boolean } = {}): Member | Response {
  const viewer = viewerOf(c)
  const { user, chat } = viewer
  if (!user) return toLogin(c)
  if (!chat) {
    const way = { href: connectAddress(c.req.path), text: 'Connect Discord' }
    throw forbiddenUntil('Connect Discord first: this page is for people with a linked Discord account.', way)
  }
  if (options.managersOnly && !viewer.isManager) throw forbidden('This page is for managers of the directory.')
  return schoolFirst(c, viewer) ?? memberOf(c)
}
