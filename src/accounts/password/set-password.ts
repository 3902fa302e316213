import { forgetEnded, type EndedSession } from '../../web/session-records.ts'
import { startSession } from '../../web/session.ts'
import type { SiteContext } from '../../web/site.ts'
import { withHashingSlot } from '../hashing-slots.ts'
import { rememberBrowser } from '../known-browser.ts'
import { postNotice } from '../mails/post-notice.ts'
import { hashPassword } from '../password-hash.ts'
import { endAllSessions } from '../sessions/sessions.ts'

type PasswordEvent = 'password_changed' | 'password_set' | 'password_was_reset'

/**
 * Gives somebody a new password if the stored hash still is `expected`: every session ends at once everywhere, every mailed
 * reset link dies, and the owner is told. False when the password was changed by another request meanwhile.
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
): Promise<boolean> {
  const hash = await withHashingSlot(() => hashPassword(password, crypto.getRandomValues(new Uint8Array(16))))
  const changed = await c.env.DB.prepare('UPDATE user SET password_hash = ? WHERE id = ? AND password_hash IS ?')
    .bind(hash, userId, expected)
    .run()
  if (changed.meta.changes !== 1) return false
  const [ended] = await c.env.DB.batch<EndedSession>([
    endAllSessions(c.env, userId),
    c.env.DB.prepare('DELETE FROM password_reset WHERE user_id = ?').bind(userId),
    c.env.DB.prepare('DELETE FROM sign_in_code WHERE user_id = ?').bind(userId),
  ])
  await forgetEnded(c.env, ended?.results ?? [])
  await postNotice(c, { kind: event, userId }, now)
  return true
}

/** Signs the browser that changed the password in again, under a new cookie. */
export async function goOnSignedIn(c: SiteContext): Promise<void> {
  const session = c.get('session')
  if (!session) return
  await startSession(c, session.userId, session.isPersistent)
  await rememberBrowser(c, session.userId)
}
