import type { MiddlewareHandler } from 'hono'
import { connectHref } from '../../client/islands/classcords/server-text.ts'
import { loginAddress } from '../accounts/roles.ts'
import { forbidden, forbiddenUntil, unauthorized } from '../web/refusal.ts'
import type { SiteContext, SiteEnv } from '../web/site.ts'
import { wantsJson } from '../web/wants-json.ts'
import { type Viewer, viewerOf } from './viewer.ts'

export const welcomePath = '/classcords/'
export const directoryLoginPath = '/classcords/login/'
export const profilePath = '/classcords/profile/'

/** People with a Discord account but no school select one on the profile; null for everyone else. */
export function redirectToSchoolChoice(c: SiteContext, viewer: Viewer): Response | null {
  return viewer.discordUser && viewer.schoolId === null ? c.redirect(profilePath, 302) : null
}

/** Redirects to the login page, which leads back to this page. @throws unauthorized for JSON */
export function redirectToLogin(c: SiteContext): Response {
  if (wantsJson(c)) throw unauthorized('You must be logged in')
  return c.redirect(loginAddress(c, directoryLoginPath), 302)
}

/** Null for people with a Discord account. @throws unauthorized for JSON, forbidden for users without one */
function redirectWithoutDiscord(c: SiteContext): Response | null {
  const { user, discordUser } = viewerOf(c)
  if (!user) return redirectToLogin(c)
  if (discordUser) return null
  // The router drops the slash at the end of a path.
  const nextStep = { href: connectHref(`${c.req.path.replace(/\/$/, '')}/`), text: 'Connect Discord' }
  throw forbiddenUntil('Connect Discord first: this page is for people with a linked Discord account.', nextStep)
}

/** Everyone with a Discord account, with or without a school, so that a form never loses its text. */
export const discordUsersOnly: MiddlewareHandler<SiteEnv> = async (c, next) => redirectWithoutDiscord(c) ?? next()

/** Redirects others to the step they miss. @throws unauthorized for JSON, forbidden without a Discord account */
export const membersOnly: MiddlewareHandler<SiteEnv> = async (c, next) =>
  redirectWithoutDiscord(c) ?? redirectToSchoolChoice(c, viewerOf(c)) ?? next()

/** {@link membersOnly} for managers. @throws forbidden for other members */
export const managersOnly: MiddlewareHandler<SiteEnv> = async (c, next) => {
  const { discordUser, isManager } = viewerOf(c)
  if (discordUser && !isManager) throw forbidden('This page is for managers of the directory.')
  return membersOnly(c, next)
}
