import { createMiddleware } from 'hono/factory'
import { forbidden, notFound, unauthorized } from '../web/refusal.ts'
import type { CurrentSession, CurrentUser, SiteContext, SiteEnv } from '../web/site.ts'
import { wantsJson } from '../web/wants-json.ts'
import { withNext } from './next.ts'
import { loginPath } from './paths.ts'

type Area = 'class_tracker' | 'scheduler' | 'admin'

const loginPages: Readonly<Record<Area, string>> = {
  class_tracker: '/class_tracker/login_view/',
  scheduler: loginPath,
  admin: loginPath,
}

/**
 * Lets superusers through. A user who is not logged in is sent to the area's login page (an API call: 401). For others
 * the scheduler and the admin do not exist (404), and the class tracker is forbidden (403).
 */
export const requireSuperuser = ({ area }: { area: Area }) =>
  createMiddleware<SiteEnv>(async function requireSuperuser(c, next) {
    const user = c.get('user')
    if (!user) {
      if (wantsJson(c)) throw unauthorized()
      return c.redirect(loginAddress(c, loginPages[area]), 302)
    }
    if (!user.is_superuser) throw area === 'class_tracker' ? forbidden('This page is for staff.') : notFound()
    return next()
  })

/** The address of a login page that leads back to this request's page. */
export function loginAddress(c: SiteContext, page: string): string {
  if (!isRead(c)) return page
  const { pathname, search } = new URL(c.req.url)
  return withNext(page, pathname + search)
}

const isRead = (c: SiteContext): boolean => c.req.method === 'GET' || c.req.method === 'HEAD'

/** Lets logged-in users through; others are sent to the login page, which leads back. */
export const requireLogin = createMiddleware<SiteEnv>(async function requireLogin(c, next) {
  if (c.get('user')) return next()
  if (wantsJson(c)) throw unauthorized()
  return c.redirect(loginAddress(c, loginPath), isRead(c) ? 302 : 303)
})

/** Who is logged in, after {@link requireLogin}. */
export function loggedIn(c: SiteContext): { user: CurrentUser; session: CurrentSession } {
  const [user, session] = [c.get('user'), c.get('session')]
  if (!user || !session) throw unauthorized()
  return { user, session }
}
