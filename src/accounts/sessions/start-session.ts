import { eq, type SQL, sql } from 'drizzle-orm'
import { into, query, statement, writeTogether } from '../../db/query.ts'
import { session, user } from '../../db/schema/index.ts'
import { DAY_MS } from '../../lib/time.ts'
import { placeOf } from '../../web/security/client-address.ts'
import { dropCookie, dropSessionCookie, newCookieKind, writeSessionCookie } from '../../web/security/cookies.ts'
import { flash } from '../../web/session/flash.ts'
import { recordSession, storedPrefix } from '../../web/session/session-records.ts'
import { hashOf, randomToken } from '../../web/security/signing.ts'
import type { CurrentSession, SiteContext } from '../../web/site.ts'
import { deleteSessionsWhere, endSessionsWhere, deleteSessionRecords } from './sessions.ts'

/** Remembered on this device. */
const REMEMBERED_MS = 30 * DAY_MS
/** A browser that is never closed stays logged in for two weeks: Django's SESSION_COOKIE_AGE. */
const BROWSER_MS = 14 * DAY_MS

/** Seconds the cookie of a new session is kept; null: until the browser is closed. */
const cookieSeconds = (isPersistent: boolean): number | null => (isPersistent ? REMEMBERED_MS / 1000 : null)

/**
 * Logs the browser in, always with a new cookie; logs it out and returns false if the password was changed since, or the
 * user was disabled.
 * @param only a condition on `user` that must still hold
 */
export async function startSession(
  c: SiteContext,
  { id: userId, password_hash: passwordHash }: { id: number; password_hash: string | null },
  isPersistent: boolean,
  only?: SQL,
): Promise<boolean> {
  const { token, session, isWritten } = await createSession(c.env, {
    userId,
    passwordHash,
    isPersistent,
    kind: newCookieKind(c),
    browser: { ...placeOf(c), userAgent: c.req.header('user-agent') ?? null },
    replaces: c.get('session'),
    now: Date.now(),
    only,
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

/** Logs this browser out and says so, if someone was logged in. */
export async function logOut(c: SiteContext): Promise<void> {
  if (c.get('user')) flash(c, 'success', 'You have signed out.')
  await endSession(c)
}

/** Logs this browser out; does nothing where no one is logged in. */
export async function endSession(c: SiteContext): Promise<void> {
  const current = c.get('session')
  if (current) await endSessionsWhere(c.env, eq(session.idHash, current.idHash))
  dropSessionCookie(c)
  c.set('session', null)
  c.set('user', null)
}

/**
 * Adds a session and ends the one it replaces; returns the cookie's value, which is not stored. It is not added when
 * the password was changed after the user authenticated, or the user was disabled, as both end every session; nor if
 * `only`, a condition on `user`, does not hold.
 */
export async function createSession(
  env: Env,
  asked: {
    userId: number
    isPersistent: boolean
    kind: 'prefixed' | 'http'
    browser: Record<'ipAddress' | 'userAgent' | 'country', string | null>
    replaces: CurrentSession | null
    now: number
    /** The password's hash when they authenticated; null for none. */
    passwordHash: string | null
    only?: SQL | undefined
  },
): Promise<{ token: string; session: CurrentSession; isWritten: boolean }> {
  const { now, userId, isPersistent, browser, replaces, only = sql`true` } = asked
  const token = randomToken()
  const created: CurrentSession = {
    idHash: await hashOf(token),
    userId,
    createdAt: now,
    expiresAt: now + (isPersistent ? REMEMBERED_MS : BROWSER_MS),
    authenticatedAt: now,
    isPersistent,
  }
  const isLoggedIn = sql`${user.id} = ${userId}
    AND EXISTS (SELECT 1 FROM ${session} WHERE ${session.idHash} = ${created.idHash})`
  const [ended, written] = await writeTogether(env.DB, [
    deleteSessionsWhere(sql`${session.idHash} = ${replaces?.idHash ?? ''}`),
    statement(sql`INSERT INTO ${into(
      session,
      session.idHash,
      session.userId,
      session.createdAt,
      session.expiresAt,
      session.authenticatedAt,
      session.isPersistent,
      session.isPrefixed,
      session.ipAddress,
      session.userAgent,
      session.country,
    )}
      SELECT ${created.idHash}, ${user.id}, ${now}, ${created.expiresAt}, ${now}, ${Number(isPersistent)},
        ${storedPrefix(asked.kind)}, ${browser.ipAddress},
        ${browser.userAgent?.slice(0, 300) ?? null}, ${browser.country}
      FROM ${user} WHERE ${user.id} = ${userId} AND ${user.isActive} AND ${user.passwordHash} IS ${asked.passwordHash}
        AND ${only}`),
    query.update(user).set({ lastLoginAt: now }).where(isLoggedIn),
  ])
  const isWritten = written.changes === 1
  await Promise.all([isWritten ? recordSession(env, created, now) : null, deleteSessionRecords(env, ended.rows)])
  return { token, session: created, isWritten }
}
