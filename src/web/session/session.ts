import { createMiddleware } from 'hono/factory'
import { beginSession } from '../../db/session.ts'
import { MINUTE_MS } from '../../lib/time.ts'
import { type CookieKind, dropSessionCookie, readSessionCookie } from '../security/cookies.ts'
import { tokenFor } from '../security/csrf.ts'
import { rememberAccount } from './expired-form.ts'
import { findSession, noteUse, repairRecord, USE_PRECISION_MS } from './session-records.ts'
import type { SiteContext, SiteEnv } from '../site.ts'

/** Forms that end their own session: a second press of the button still has the old cookie. */
const passwordForms = /^\/accounts\/password\/(?:change|set)\/?$/

/** Identifies the user. A cookie without an active session is removed, and the request continues as a visitor's. */
export const readSession = createMiddleware<SiteEnv>(async function readSession(c, next) {
  const cookie = readSessionCookie(c)
  if (cookie !== null) await loadSession(c, cookie)
  c.set('csrfToken', await tokenFor(c))
  await next()
})

/** The rest of the request uses the same database session, so that it reads a nearby copy that is at least as new. */
async function loadSession(c: SiteContext, cookie: { token: string; kind: CookieKind }): Promise<void> {
  const now = Date.now()
  const env = { ...c.env, DB: beginSession(c.env.DB, 'first-primary') }
  const recent = await findSession(env, cookie, now - MINUTE_MS)
  const found = recent !== null && recent.session.expiresAt > now ? recent : null
  c.executionCtx.waitUntil(repairRecord(c.env, { token: cookie.token, session: found?.session ?? null, now }))
  if (!found) {
    // If a new password just replaced the session, the browser may get its new cookie before this answer.
    if (!recent) dropSessionCookie(c)
    else if (passwordForms.test(new URL(c.req.url).pathname)) c.set('endedSession', recent.session)
    return
  }
  c.env = env
  c.set('user', found.user)
  c.set('session', found.session)
  // Forms are on pages, so a page has set it before one is sent.
  if (c.req.method === 'GET') await rememberAccount(c, found.user.id)
  if (now - found.lastUsedAt > USE_PRECISION_MS) c.executionCtx.waitUntil(noteUse(c.env, found.session.idHash, now))
}
