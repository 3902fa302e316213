import { eq, sql } from 'drizzle-orm'
import { type Query, query, writeTogether, refusalIn, refuseUnless } from '../../db/query.ts'
import { loginCode, user } from '../../db/schema/index.ts'
import type { SiteContext } from '../../web/site.ts'
import { findUserById } from '../find-user.ts'
import { hashNewPassword } from '../password-hash.ts'
import { rememberBrowser } from '../known-browser.ts'
import { prepareNotice } from '../mails/post-notice.ts'
import { ownerOf, refuseUnlessConfirmed } from '../owner.ts'
import { deleteSessionsOf, deleteSessionRecords } from '../sessions/sessions.ts'
import { startSession } from '../sessions/start-session.ts'
import { deleteUnusedResetKeys } from './password-resets.ts'

type PasswordEvent = 'password_changed' | 'password_set' | 'password_was_reset'

interface NewPassword {
  userId: number
  password: string
  /** The stored hash that it replaces. */
  expected: string | null
  event: PasswordEvent
  /** Uses a mailed key up; changes one row, or none when the key is no longer valid. */
  usingKey?: Query
}

/**
 * Sets a new password, ends every session, deletes mailed reset links and codes, and stores a notice to the owner, all
 * in one batch. Returns the new hash; null when the stored hash is no longer `expected`, or the mailed key is no longer
 * valid.
 */
export async function setPassword(
  c: SiteContext,
  { userId, password, expected, event, usingKey }: NewPassword,
  now: number,
): Promise<string | null> {
  if (event === 'password_set') refuseUnlessConfirmed(ownerOf(c))
  const hash = await hashNewPassword(password)
  const notice = await prepareNotice(c, { kind: event, userId }, now)
  const hasChangedOne = refuseUnless(sql`changes() = 1`, 'The password or the link was used in the meantime.')
  try {
    const [ended] = await writeTogether(c.env.DB, [
      deleteSessionsOf(userId),
      ...(usingKey ? [usingKey, hasChangedOne] : []),
      query
        .update(user)
        .set({ passwordHash: hash })
        .where(sql`${user.id} = ${userId} AND ${user.passwordHash} IS ${expected}`),
      hasChangedOne,
      ...notice.statements,
      deleteUnusedResetKeys(userId),
      query.delete(loginCode).where(eq(loginCode.userId, userId)),
    ])
    await deleteSessionRecords(c.env, ended.rows)
  } catch (error) {
    if (refusalIn(error) === null) throw error
    return null
  }
  notice.send()
  return hash
}

/** Signs the browser that changed the password in again, with a new cookie. @param passwordHash the new one's */
export async function signBackIn(c: SiteContext, passwordHash: string): Promise<void> {
  const session = c.get('session')
  if (!session) return
  const found = await findUserById(c.env, session.userId)
  const account = { id: session.userId, password_hash: passwordHash, created_at: found?.created_at ?? 0 }
  if (await startSession(c, account, session.isPersistent)) await rememberBrowser(c, account)
}
