import { eq, sql } from 'drizzle-orm'
import { query, write, writeTogether } from '../../db/query.ts'
import { passwordReset, signInCode, user } from '../../db/schema/index.ts'
import { forgetEnded } from '../sessions/end-sessions.ts'
import { startSession } from '../sessions/start-session.ts'
import type { SiteContext } from '../../web/site.ts'
import { findUserById } from '../find-user.ts'
import { withHashingSlot } from '../hashing-slots.ts'
import { rememberBrowser } from '../known-browser.ts'
import { postNotice } from '../mails/post-notice.ts'
import { ownerOf, refuseUnlessConfirmed } from '../owner.ts'
import { hashPassword } from '../password-hash.ts'
import { endAllSessions } from '../sessions/sessions.ts'

type PasswordEvent = 'password_changed' | 'password_set' | 'password_was_reset'

/**
 * Sets a new password if the stored hash still is `expected`: every session ends at once, mailed reset links and codes
 * stop working, and the owner is notified. Returns the new hash; null when another request changed the password in the
 * meantime.
 */
export async function setPassword(
  c: SiteContext,
  {
    userId,
    password,
    expected,
    event,
  }: { userId: number; password: string; expected: string | null; event: PasswordEvent },
  now: number,
): Promise<string | null> {
  if (event === 'password_set') refuseUnlessConfirmed(ownerOf(c))
  const hash = await withHashingSlot(() => hashPassword(password, crypto.getRandomValues(new Uint8Array(16))))
  const changed = await write(
    c.env.DB,
    query
      .update(user)
      .set({ passwordHash: hash })
      .where(sql`${user.id} = ${userId} AND ${user.passwordHash} IS ${expected}`),
  )
  if (changed.changes !== 1) return null
  const [ended] = await writeTogether(c.env.DB, [
    endAllSessions(userId),
    query.delete(passwordReset).where(eq(passwordReset.userId, userId)),
    query.delete(signInCode).where(eq(signInCode.userId, userId)),
  ])
  await forgetEnded(c.env, ended.rows)
  await postNotice(c, { kind: event, userId }, now)
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
