import { and, eq, lt, type SQL, sql } from 'drizzle-orm'
import { into, kept, query, readFirst, type RowOf, statement, template, write, writeTogether } from '../db/query.ts'
import { session, user } from '../db/schema/index.ts'
import { closeSockets } from '../jobs/live-sockets.ts'
import { discordUserFields, discordUserJoins, discordUserOf } from './discord-user.ts'
import type { CookieKind } from './cookies.ts'
import { hashOf, randomToken } from './signing.ts'
import type { CurrentSession, CurrentUser } from './site.ts'

const day = 24 * 60 * 60 * 1000
/** Remembered on this device. */
const REMEMBERED_MS = 30 * day
/** The longest a browser that is never closed stays signed in: django-allauth's (Django's SESSION_COOKIE_AGE) two weeks. */
const BROWSER_MS = 14 * day

/** Seconds the cookie of a new session is kept; null: until the browser is closed. */
export const cookieSeconds = (isPersistent: boolean): number | null => (isPersistent ? REMEMBERED_MS / 1000 : null)

/** What the session list shows of a browser. */
export interface Browser {
  ipAddress: string | null
  userAgent: string | null
  country: string | null
}

const recordKey = (idHash: string) => `session:${idHash}`

/** Values of `is_prefixed`. A version that knows only the first two takes the third for the second. */
const [prefixed, fromBefore, overHttp] = [1, 0, -1]
/** The lowest and highest of these values that a cookie of each kind finds. */
const foundBy: Readonly<Record<CookieKind, readonly [number, number]>> = {
  prefixed: [overHttp, prefixed],
  http: [overHttp, fromBefore],
  old_name: [fromBefore, fromBefore],
}

const sessionOf = kept(() =>
  template(
    {
      created_at: session.createdAt,
      expires_at: session.expiresAt,
      authenticated_at: session.authenticatedAt,
      is_persistent: session.isPersistent,
      last_used_at: session.lastUsedAt,
      user_id: session.userId,
      username: user.username,
      email: user.email,
      is_superuser: user.isSuperuser,
      ...discordUserFields,
    },
    (columns) => sql`SELECT ${columns}
      FROM ${session} JOIN ${user} ON ${user.id} = ${session.userId} ${discordUserJoins}
      WHERE ${session.idHash} = ${sql.placeholder('idHash')} AND ${session.expiresAt} > ${sql.placeholder('now')}
        AND ${user.isActive}
        AND ${session.isPrefixed} BETWEEN ${sql.placeholder('least')} AND ${sql.placeholder('greatest')}`,
  ),
)

/**
 * The session of a cookie, or null. KV and D1 are read together and D1 decides: a session that was ended, has expired, or whose
 * user was disabled is not found, whatever a cached KV record says. A cookie without the prefix could have been planted by another
 * host of the domain, so over https it finds only sessions from before the prefix, and none that started over http.
 */
export async function findSession(
  env: Env,
  { token, kind }: { token: string; kind: CookieKind },
  now: number,
): Promise<{ session: CurrentSession; user: CurrentUser; isRecorded: boolean; lastUsedAt: number } | null> {
  const idHash = await hashOf(token)
  const [least, greatest] = foundBy[kind]
  const [record, row] = await Promise.all([
    // KV only speeds things up: its failure must not log anybody out.
    env.SESSIONS.get(recordKey(idHash)).catch(() => null),
    readFirst(env.DB, sessionOf({ idHash, now, least, greatest })),
  ])
  if (!row) return null
  const discordUser = discordUserOf(row, env.DISCORD_CDN_URL)
  return {
    isRecorded: record !== null,
    lastUsedAt: row.last_used_at ?? row.created_at,
    session: {
      idHash,
      userId: row.user_id,
      createdAt: row.created_at,
      expiresAt: row.expires_at,
      authenticatedAt: row.authenticated_at,
      isPersistent: row.is_persistent,
    },
    user: {
      id: row.user_id,
      username: row.username,
      email: row.email,
      name: discordUser?.display_name ?? row.username,
      is_superuser: row.is_superuser,
      discord_user: discordUser,
    },
  }
}

/**
 * Adds a session and ends the one it replaces; answers the cookie's value, which is not stored. It is not added when the password
 * was changed after the user showed who they are, as that ended every session.
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
    /** The password's hash when they showed who they are; absent: not compared. */
    passwordHash?: string | null
  },
): Promise<{ token: string; session: CurrentSession; isWritten: boolean }> {
  const { now, userId, isPersistent, browser, replaces } = asked
  const token = randomToken()
  const created: CurrentSession = {
    idHash: await hashOf(token),
    userId,
    createdAt: now,
    expiresAt: now + (isPersistent ? REMEMBERED_MS : BROWSER_MS),
    authenticatedAt: now,
    isPersistent,
  }
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
        ${asked.kind === 'prefixed' ? prefixed : overHttp}, ${browser.ipAddress},
        ${browser.userAgent?.slice(0, 300) ?? null}, ${browser.country}
      FROM ${user} WHERE ${user.id} = ${userId}
        AND (${Number(asked.passwordHash === undefined)} OR ${user.passwordHash} IS ${asked.passwordHash ?? null})`),
    query
      .update(user)
      .set({ lastSignInAt: now })
      .where(
        sql`${user.id} = ${userId} AND EXISTS (SELECT 1 FROM ${session} WHERE ${session.idHash} = ${created.idHash})`,
      ),
  ])
  const isWritten = written.changes === 1
  await Promise.all([isWritten ? recordSession(env, created, now) : null, forgetEnded(env, ended.rows)])
  return { token, session: created, isWritten }
}

/** The precision of a session's last use, so that not every request writes. */
export const USE_PRECISION_MS = 10 * 60_000

export async function noteUse(env: Env, idHash: string, now: number): Promise<void> {
  const used = query
    .update(session)
    .set({ lastUsedAt: now })
    .where(and(eq(session.idHash, idHash), lt(sql`coalesce(${session.lastUsedAt}, 0)`, now - USE_PRECISION_MS)))
  await write(env.DB, used).catch(noted('use'))
}

/** Records that the user of the session has just confirmed who they are. */
export async function renewAuthentication(env: Env, idHash: string, now: number): Promise<void> {
  await write(env.DB, query.update(session).set({ authenticatedAt: now }).where(eq(session.idHash, idHash)))
}

/** Ends a session, everywhere at once: its row is gone when this returns. */
export async function deleteSession(env: Env, idHash: string): Promise<void> {
  const { rows } = await write(env.DB, deleteSessionsWhere(eq(session.idHash, idHash)))
  await forgetEnded(env, rows)
}

/** Deletes sessions; {@link forgetEnded} takes what it returns and does the rest. */
export function deleteSessionsWhere(which: SQL) {
  const fields = {
    id_hash: session.idHash,
    is_superuser: sql<boolean>`(SELECT ${user.isSuperuser} FROM ${user} WHERE ${user.id} = ${session.userId})`.mapWith(
      Boolean,
    ),
  }
  return template(fields, (columns) => sql`DELETE FROM ${session} WHERE ${which} RETURNING ${columns}`)
}
export type EndedSession = RowOf<ReturnType<typeof deleteSessionsWhere>>

/** Finishes ending sessions once their rows are gone: deletes their records in KV, and closes superusers' live pages. */
export async function forgetEnded(env: Env, ended: readonly EndedSession[]): Promise<void> {
  const sessionHashes = ended.flatMap(({ id_hash, is_superuser }) => (is_superuser ? [id_hash] : []))
  await Promise.all([closeSockets(env, { sessionHashes }), ...ended.map(({ id_hash }) => forgetRecord(env, id_hash))])
}

/** Writes the session's record to KV. A lost one is written again by the next request. */
export async function recordSession(env: Env, current: CurrentSession, now: number): Promise<void> {
  // KV refuses lifetimes under 60 s.
  const expirationTtl = Math.max(60, Math.ceil((current.expiresAt - now) / 1000))
  const record = { user_id: current.userId, created_at: current.createdAt, expires_at: current.expiresAt }
  await env.SESSIONS.put(recordKey(current.idHash), JSON.stringify(record), { expirationTtl }).catch(noted('write'))
}

export async function forgetRecord(env: Env, idHash: string): Promise<void> {
  await env.SESSIONS.delete(recordKey(idHash)).catch(noted('delete'))
}

const noted = (act: string) => (error: unknown) => console.warn({ event: 'session_record', act, error: String(error) })
