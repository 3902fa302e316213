import { DAY_MS } from '../../src/lib/time.ts'
import { hashOf, randomToken } from '../../src/web/security/signing.ts'
import { storedPrefix } from '../../src/web/session/session-records.ts'
import type { App } from './app.ts'
import type { Visit } from './visit.ts'

/**
 * Begins a session of this account without the login page or Discord's, which have journeys of their own: those to
 * elsewhere need not wait. @returns the value of its cookie
 */
export async function newSession(app: App, username: string): Promise<string> {
  const token = randomToken()
  const now = Date.now()
  await app.sql(
    `INSERT INTO session (id_hash, user_id, created_at, expires_at, authenticated_at, is_persistent, is_prefixed)
      SELECT ?1, id, ?2, ?2 + ?3, ?2, 0, ?4 FROM user WHERE username = ?5`,
    await hashOf(token),
    now,
    DAY_MS,
    storedPrefix('http'),
    username,
  )
  return token
}

/** Begins a session like {@link newSession} in this person's browser. */
export async function beginSession(app: App, visit: Visit, username: string): Promise<void> {
  const value = await newSession(app, username)
  await visit.addCookie({ name: 'session', value, url: app.url, httpOnly: true, sameSite: 'Lax' })
}
