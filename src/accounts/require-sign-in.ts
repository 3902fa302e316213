import { createMiddleware } from 'hono/factory'
import { signInFirst } from '../web/refusal.ts'
import type { CurrentSession, CurrentUser, SiteContext, SiteEnv } from '../web/site.ts'
import { wantsJson } from '../web/wants-json.ts'
import { loginAddress } from './roles.ts'

/** Lets everybody through who is signed in; others are sent to the login page, which leads back. */
export const requireSignIn = createMiddleware<SiteEnv>(async function requireSignIn(c, next) {
  if (c.get('user')) return next()
  if (wantsJson(c)) throw signInFirst()
  return c.redirect(loginAddress(c, '/accounts/login/'), c.req.method === 'GET' || c.req.method === 'HEAD' ? 302 : 303)
})

/** Who is signed in, after {@link requireSignIn}. */
export function signedIn(c: SiteContext): { user: CurrentUser; session: CurrentSession } {
  const [user, session] = [c.get('user'), c.get('session')]
  if (!user || !session) throw signInFirst()
  return { user, session }
}
