import { createMiddleware } from 'hono/factory'
import { beginSession } from '../db/session.ts'
import { placeOf } from './client-address.ts'
import {
  type CookieKind,
  dropCookie,
  dropSessionCookie,
  newCookieKind,
  readSessionCookie,
  writeSessionCookie,
} from './cookies.ts'
import { tokenFor } from './csrf.ts'
import {
  cookieSeconds,
  createSession,
  deleteSession,
  findSession,
  forgetRecord,
  noteUse,
  recordSession,
  USE_PRECISION_MS,
} from './session-records.ts'
import { hashOf } from './signing.ts'
import type { SiteContext, SiteEnv } from './site.ts'

/** Says who asks. A cookie without a living session is taken away, and the request goes on as nobody's. */
export const readSession = createMiddleware<SiteEnv>(async function readSession(c, next) {
  const cookie = readSessionCookie(c)
  if (cookie !== null) await resume(c, cookie)
  c.set('csrfToken', await tokenFor(c))
  await next()
})

/** The rest of the request reads in the session of the database in which its rights were read: as new as that, and near. */
async function resume(c: SiteContext, cookie: { token: string; kind: CookieKind }): Promise<void> {
  const now = Date.now()
  const { token } = cookie
  const env = { ...c.env, DB: beginSession(c.env.DB, 'first-primary') }
  const found = await findSession(env, cookie, now)
  if (!found) {
    dropSessionCookie(c)
    c.executionCtx.waitUntil(hashOf(token).then((idHash) => forgetRecord(c.env, idHash)))
    return
  }
  c.env = env
  c.set('user', found.user)
  c.set('session', found.session)
  if (now - found.lastUsedAt > USE_PRECISION_MS) c.executionCtx.waitUntil(noteUse(c.env, found.session.idHash, now))
  if (!found.isRecorded) c.executionCtx.waitUntil(recordSession(c.env, found.session, now))
}

/**
 * Signs this browser in as the user, always under a new cookie. False when the password was changed after they showed who they are;
 * then the browser is nobody's.
 */
export async function startSession(
  c: SiteContext,
  { id: userId, password_hash: passwordHash }: { id: number; password_hash: string | null },
  isPersistent: boolean,
): Promise<boolean> {
  const { token, session, isWritten } = await createSession(c.env, {
    userId,
    passwordHash,
    isPersistent,
    kind: newCookieKind(c),
    browser: { ...placeOf(c), userAgent: c.req.header('user-agent') ?? null },
    replaces: c.get('session'),
    now: Date.now(),
  })
  if (!isWritten) {
    await endSession(c)
    return false
  }
  writeSessionCookie(c, token, cookieSeconds(isPersistent))
  dropCookie(c, 'csrf')
  c.set('session', session)
  return true
}

/** Signs this browser out; nothing happens to nobody. */
export async function endSession(c: SiteContext): Promise<void> {
  const session = c.get('session')
  if (session) await deleteSession(c.env, session.idHash)
  dropSessionCookie(c)
  c.set('session', null)
  c.set('user', null)
}
