import { and, eq, gt, lt, sql } from 'drizzle-orm'
import { prepared, query, readFirst, template, write, parameter } from '../../db/query.ts'
import { session, user } from '../../db/schema/index.ts'
import { orWarn } from '../../lib/fallbacks.ts'
import { withTimeout } from '../../lib/time.ts'
import { discordUserFields, discordUserJoins, discordUserOf } from '../discord-user.ts'
import type { CookieKind } from '../security/cookies.ts'
import { hashOf } from '../security/signing.ts'
import type { CurrentSession, CurrentUser } from '../site.ts'

const recordKey = (idHash: string) => `session:${idHash}`

/** Values of `is_prefixed`. An older version that knows only the first two treats the third like the second. */
const [prefixed, fromBefore, overHttp] = [1, 0, -1]

/** The `is_prefixed` value of a session that begins with this kind of cookie. */
export const storedPrefix = (kind: 'prefixed' | 'http'): number => (kind === 'prefixed' ? prefixed : overHttp)

const foundBy: Readonly<Record<CookieKind, readonly [number, number]>> = {
  prefixed: [overHttp, prefixed],
  http: [overHttp, fromBefore],
  old_name: [fromBefore, fromBefore],
}

const sessionOf = prepared(() =>
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
      WHERE ${session.idHash} = ${parameter('idHash')} AND ${session.expiresAt} > ${parameter('since')}
        AND ${user.isActive}
        AND ${session.isPrefixed} BETWEEN ${parameter('least')} AND ${parameter('greatest')}`,
  ),
)

/**
 * The session of a cookie, or null. D1 alone decides: a session that was ended, has expired, or whose user was disabled
 * is not found, whatever a cached KV record says. Another host of the domain could have planted a cookie without the
 * prefix, so over https it finds only sessions from before the prefix, and none that started over http.
 * @param since ms since epoch; a session that expired later is found, too
 */
export async function findSession(
  env: Env,
  { token, kind }: { token: string; kind: CookieKind },
  since: number,
): Promise<{ session: CurrentSession; user: CurrentUser; lastUsedAt: number } | null> {
  const idHash = await hashOf(token)
  const [least, greatest] = foundBy[kind]
  const row = await readFirst(env.DB, sessionOf({ idHash, since, least, greatest }))
  if (!row) return null
  const discordUser = discordUserOf(row, env.DISCORD_CDN_URL)
  return {
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

/** How long a login or logout waits for KV. */
const MAX_WAIT_MS = 2000

/** How precisely a session's last use is stored, so that not every request writes. */
export const USE_PRECISION_MS = 10 * 60_000

export async function noteUse(env: Env, idHash: string, now: number): Promise<void> {
  const used = query
    .update(session)
    .set({ lastUsedAt: now })
    .where(and(eq(session.idHash, idHash), lt(sql`coalesce(${session.lastUsedAt}, 0)`, now - USE_PRECISION_MS)))
  await orWarn(write(env.DB, used), { event: 'session_record', act: 'use' }, null)
}

export const renewAuthentication = (idHash: string, now: number) =>
  query.update(session).set({ authenticatedAt: now }).where(eq(session.idHash, idHash))

export async function wasAuthenticatedAfter(env: Env, idHash: string, since: number): Promise<boolean> {
  const isRecent = and(eq(session.idHash, idHash), gt(session.authenticatedAt, since))
  return (await readFirst(env.DB, query.select({ id: session.idHash }).from(session).where(isRecent))) !== null
}

/** Writes the session's record to KV. A lost one is written again by the next request. */
export async function recordSession(env: Env, current: CurrentSession, now: number): Promise<void> {
  // KV refuses lifetimes under 60 s.
  const expirationTtl = Math.max(60, Math.ceil((current.expiresAt - now) / 1000))
  const record = { user_id: current.userId, created_at: current.createdAt, expires_at: current.expiresAt }
  await noted('write', env.SESSIONS.put(recordKey(current.idHash), JSON.stringify(record), { expirationTtl }))
}

/**
 * Writes a missing record of a cookie's session, or deletes the record of one that has ended. No response waits for
 * this. It reads first, because a read costs the least, and anyone can make up a cookie.
 */
export async function repairRecord(
  env: Env,
  { token, session: current, now }: { token: string; session: CurrentSession | null; now: number },
): Promise<void> {
  const idHash = current?.idHash ?? (await hashOf(token))
  const record = await env.SESSIONS.get(recordKey(idHash)).catch(() => null)
  if (current && record === null) await recordSession(env, current, now)
  if (!current && record !== null) await deleteRecord(env, idHash)
}

export async function deleteRecord(env: Env, idHash: string): Promise<void> {
  await noted('delete', env.SESSIONS.delete(recordKey(idHash)))
}

const noted = (act: string, done: Promise<unknown>) =>
  orWarn(withTimeout(done, MAX_WAIT_MS), { event: 'session_record', act }, null)
