import { closeSockets } from '../jobs/live-sockets.ts'
import { discordUserColumns, discordUserJoins, discordUserOf, type DiscordUserRow } from './discord-user.ts'
import type { CookieKind } from './cookies.ts'
import { hashOf, randomToken } from './signing.ts'
import type { CurrentSession, CurrentUser } from './site.ts'

const day = 24 * 60 * 60 * 1000
/** Remembered on this device. */
const rememberedMs = 30 * day
/** The longest a browser that is never closed stays signed in: django-allauth's (Django's SESSION_COOKIE_AGE) two weeks. */
const browserMs = 14 * day

/** Seconds the cookie of a new session is kept; null: until the browser is closed. */
export const cookieSeconds = (isPersistent: boolean): number | null => (isPersistent ? rememberedMs / 1000 : null)

/** What is told about the browser for the session list. */
export interface Browser {
  ipAddress: string | null
  userAgent: string | null
  country: string | null
}

const recordKey = (idHash: string) => `session:${idHash}`

/** What `is_prefixed` says of a session. A version that knows only the first two takes the third for the second. */
const [prefixed, fromBefore, overHttp] = [1, 0, -1]
/** The least and the greatest of it that a cookie finds. */
const foundBy: Readonly<Record<CookieKind, readonly [number, number]>> = {
  prefixed: [overHttp, prefixed],
  http: [overHttp, fromBefore],
  old_name: [fromBefore, fromBefore],
}

type SessionRow = (DiscordUserRow | { discord_user_id: null }) & {
  created_at: number
  expires_at: number
  authenticated_at: number
  is_persistent: number
  last_used_at: number | null
  user_id: number
  username: string
  email: string | null
  is_superuser: number
}

/**
 * The living session of a cookie, or null. KV and D1 are asked at once and D1 decides: a session that was ended, has expired,
 * or whose user was disabled has no row here, whatever a cached KV record says. By the name without the prefix, which another
 * host of the domain could have planted, https finds only sessions from before the prefix: none that began over http since.
 */
export async function findSession(
  env: Env,
  { token, kind }: { token: string; kind: CookieKind },
  now: number,
): Promise<{ session: CurrentSession; user: CurrentUser; isRecorded: boolean; lastUsedAt: number } | null> {
  const idHash = await hashOf(token)
  const [record, row] = await Promise.all([
    // KV only speeds things up: its failure must not sign anybody out.
    env.SESSIONS.get(recordKey(idHash)).catch(() => null),
    env.DB.prepare(
      `SELECT session.created_at, expires_at, authenticated_at, is_persistent, last_used_at, session.user_id, user.username,
         user.email, is_superuser, ${discordUserColumns}
       FROM session JOIN user ON user.id = session.user_id ${discordUserJoins}
       WHERE id_hash = ?1 AND expires_at > ?2 AND user.is_active AND is_prefixed BETWEEN ?3 AND ?4`,
    )
      .bind(idHash, now, ...foundBy[kind])
      .first<SessionRow>(),
  ])
  if (!row) return null
  const discordUser = row.discord_user_id === null ? null : discordUserOf(row, env.DISCORD_CDN_URL)
  return {
    isRecorded: record !== null,
    lastUsedAt: row.last_used_at ?? row.created_at,
    session: {
      idHash,
      userId: row.user_id,
      createdAt: row.created_at,
      expiresAt: row.expires_at,
      authenticatedAt: row.authenticated_at,
      isPersistent: row.is_persistent === 1,
    },
    user: {
      id: row.user_id,
      username: row.username,
      email: row.email,
      name: discordUser?.display_name ?? row.username,
      is_superuser: row.is_superuser === 1,
      discord_user: discordUser,
    },
  }
}

/**
 * Writes a new session and ends the one it replaces; answers the cookie's value, which is stored nowhere. It is not written when the
 * password was changed after they showed who they are: that ended every session, and this would be one more.
 */
export async function createSession(
  env: Env,
  asked: {
    userId: number
    isPersistent: boolean
    kind: 'prefixed' | 'http'
    browser: Browser
    replaces: CurrentSession | null
    now: number
    /** What was stored of the password when they showed who they are; absent: not compared. */
    passwordHash?: string | null
  },
): Promise<{ token: string; session: CurrentSession; isWritten: boolean }> {
  const { now, userId, isPersistent, browser, replaces } = asked
  const token = randomToken()
  const session: CurrentSession = {
    idHash: await hashOf(token),
    userId,
    createdAt: now,
    expiresAt: now + (isPersistent ? rememberedMs : browserMs),
    authenticatedAt: now,
    isPersistent,
  }
  const [ended, written] = await env.DB.batch<EndedSession>([
    env.DB.prepare(`DELETE FROM session WHERE id_hash = ? RETURNING ${endedColumns}`).bind(replaces?.idHash ?? ''),
    env.DB.prepare(
      `INSERT INTO session (id_hash, user_id, created_at, expires_at, authenticated_at, is_persistent, is_prefixed, ip_address,
         user_agent, country)
       SELECT ?, id, ?, ?, ?, ?, ?, ?, ?, ? FROM user WHERE id = ? AND (? OR password_hash IS ?)`,
    ).bind(
      session.idHash,
      now,
      session.expiresAt,
      now,
      isPersistent ? 1 : 0,
      asked.kind === 'prefixed' ? prefixed : overHttp,
      browser.ipAddress,
      browser.userAgent?.slice(0, 300) ?? null,
      browser.country,
      userId,
      asked.passwordHash === undefined ? 1 : 0,
      asked.passwordHash ?? null,
    ),
    env.DB.prepare(
      'UPDATE user SET last_sign_in_at = ?1 WHERE id = ?2 AND EXISTS (SELECT 1 FROM session WHERE id_hash = ?3)',
    ).bind(now, userId, session.idHash),
  ])
  const isWritten = written?.meta.changes === 1
  await Promise.all([isWritten ? recordSession(env, session, now) : null, forgetEnded(env, ended?.results ?? [])])
  return { token, session, isWritten }
}

/** A session's last use is only kept to this: one write in a while instead of one a request. */
export const usePrecisionMs = 10 * 60_000

export async function noteUse(env: Env, idHash: string, now: number): Promise<void> {
  await env.DB.prepare('UPDATE session SET last_used_at = ?1 WHERE id_hash = ?2 AND coalesce(last_used_at, 0) < ?3')
    .bind(now, idHash, now - usePrecisionMs)
    .run()
    .catch(noted('use'))
}

/** Marks that the person behind the session has just shown again who they are. */
export async function renewAuthentication(env: Env, idHash: string, now: number): Promise<void> {
  await env.DB.prepare('UPDATE session SET authenticated_at = ? WHERE id_hash = ?').bind(now, idHash).run()
}

/** Ends a session everywhere at once: its row is gone before this returns. */
export async function deleteSession(env: Env, idHash: string): Promise<void> {
  const { results } = await env.DB.prepare(`DELETE FROM session WHERE id_hash = ? RETURNING ${endedColumns}`)
    .bind(idHash)
    .all<EndedSession>()
  await forgetEnded(env, results)
}

/** What a statement that deletes sessions has to return, so that {@link forgetEnded} can do the rest. */
export interface EndedSession {
  id_hash: string
  is_superuser: number
}
export const endedColumns = 'id_hash, (SELECT is_superuser FROM user WHERE user.id = session.user_id) AS is_superuser'

/** The rest of ending sessions, once their rows are gone: their records in KV, and what superusers watched live in them. */
export async function forgetEnded(env: Env, ended: readonly EndedSession[]): Promise<void> {
  const sessionHashes = ended.flatMap(({ id_hash, is_superuser }) => (is_superuser === 1 ? [id_hash] : []))
  await Promise.all([closeSockets(env, { sessionHashes }), ...ended.map(({ id_hash }) => forgetRecord(env, id_hash))])
}

/** The immutable record in KV. Losing it costs nothing: the next request writes it again. */
export async function recordSession(env: Env, session: CurrentSession, now: number): Promise<void> {
  // KV refuses lifetimes under 60 s.
  const expirationTtl = Math.max(60, Math.ceil((session.expiresAt - now) / 1000))
  const record = { user_id: session.userId, created_at: session.createdAt, expires_at: session.expiresAt }
  await env.SESSIONS.put(recordKey(session.idHash), JSON.stringify(record), { expirationTtl }).catch(noted('write'))
}

export async function forgetRecord(env: Env, idHash: string): Promise<void> {
  await env.SESSIONS.delete(recordKey(idHash)).catch(noted('delete'))
}

const noted = (act: string) => (error: unknown) => console.warn({ event: 'session_record', act, error: String(error) })
