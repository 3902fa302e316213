import { and, between, eq, sql } from 'drizzle-orm'
import { type Query, query, readFirst, writeTogether, refusalIn, refuseUnless } from '../../db/query.ts'
import { loginCode, session, user } from '../../db/schema/index.ts'
import type { CurrentSession, SiteContext } from '../../web/site.ts'
import { findUserById, type LoginUser, loginUserFields } from '../find-user.ts'
import { hashNewPassword } from '../password-hash.ts'
import { isSecondPress } from '../log-in.ts'
import { rememberBrowser } from '../known-browser.ts'
import { prepareNotice } from '../mails/prepare-notice.ts'
import { ownerOf, refuseUnlessConfirmed, whileLoggedIn } from '../owner.ts'
import { SECOND_PRESS_MS } from '../durations.ts'
import { loggedIn } from '../roles.ts'
import { deleteSessionsWhere, deleteSessionRecords } from '../sessions/sessions.ts'
import { startSession } from '../sessions/start-session.ts'
import { deleteUnusedResetKeys } from './password-resets.ts'

type PasswordEvent = 'password_changed' | 'password_set' | 'password_was_reset'

interface PasswordChange {
  userId: number
  password: string
  /** The stored hash that it replaces. */
  expected: string | null
  event: PasswordEvent
  /** Uses a mailed key up; changes one row, or none when the key is no longer valid. */
  usingKey?: Query
}

const usedMeanwhile = 'The password or the link was used in the meantime.'

/**
 * Sets a new password, ends every session, deletes mailed reset links and codes, and stores a notice to the owner, all
 * in one batch. The row of the session that asked is kept as an expired one, so that a second press is recognized.
 * Returns the new hash; null when the stored hash is no longer `expected`, or the mailed key is no longer valid.
 */
export async function setPassword(
  c: SiteContext,
  { userId, password, expected, event, usingKey }: PasswordChange,
  now: number,
): Promise<string | null> {
  if (event === 'password_set') refuseUnlessConfirmed(ownerOf(c))
  const own = event === 'password_was_reset' ? null : loggedIn(c)
  const hash = await hashNewPassword(password)
  const notice = await prepareNotice(c, { kind: event, userId }, now)
  const hasChangedOne = refuseUnless(sql`changes() = 1`, usedMeanwhile)
  try {
    const [deleted] = await writeTogether(c.env.DB, [
      deleteSessionsWhere(sql`${session.userId} = ${userId} AND ${session.idHash} <> ${own?.session.idHash ?? ''}`),
      ...(usingKey ? [usingKey, hasChangedOne] : []),
      query
        .update(user)
        .set({ passwordHash: hash })
        .where(sql`${user.id} = ${userId} AND ${user.passwordHash} IS ${expected}`),
      hasChangedOne,
      ...notice.statements,
      ...(own
        ? [
            whileLoggedIn(ownerOf(c)),
            query.update(session).set({ expiresAt: now }).where(eq(session.idHash, own.session.idHash)),
          ]
        : []),
      deleteUnusedResetKeys(userId),
      query.delete(loginCode).where(eq(loginCode.userId, userId)),
    ])
    const ended = own && { id_hash: own.session.idHash, is_superuser: own.user.is_superuser }
    await deleteSessionRecords(c.env, ended ? [ended, ...deleted.rows] : deleted.rows)
  } catch (error) {
    if (refusalIn(error) !== usedMeanwhile) throw error
    return null
  }
  notice.send()
  return hash
}

/** Signs the browser that changed the password in again, with a new cookie. @param passwordHash the new one's */
export async function signBackIn(c: SiteContext, ended: CurrentSession, passwordHash: string | null): Promise<void> {
  const found = await findUserById(c.env, ended.userId)
  const account = { id: ended.userId, password_hash: passwordHash, created_at: found?.created_at ?? 0 }
  c.set('session', null)
  if (await startSession(c, account, ended.isPersistent)) await rememberBrowser(c, account)
}

/** The user whose password was set within the last minute by another press of a form with this session, or null. */
export async function findSecondPress(
  c: SiteContext,
  { idHash }: CurrentSession,
  password: string,
): Promise<LoginUser | null> {
  const now = Date.now()
  const found = await readFirst(
    c.env.DB,
    query
      .select(loginUserFields)
      .from(session)
      .innerJoin(user, eq(user.id, session.userId))
      .where(
        and(
          eq(session.idHash, idHash),
          between(session.expiresAt, now - SECOND_PRESS_MS, now),
          eq(user.isActive, true),
        ),
      ),
  )
  return found && (await isSecondPress(c, found, password)) ? found : null
}
