import { endedColumns, forgetEnded, type EndedSession } from '../../web/session-records.ts'

/** A signed-in browser as its owner sees it. `id` names it in a form; the cookie cannot be told from it. Times: ms since epoch. */
export interface ListedSession {
  id: string
  created_at: number
  last_used_at: number
  ip_address: string | null
  country: string | null
  user_agent: string | null
  is_persistent: number
}

const publicId = 'substr(id_hash, 1, 16)'
export const publicIdOf = (idHash: string): string => idHash.slice(0, 16)

/** The newest 100 living sessions of somebody, the one last used first. */
export async function listSessions(env: Env, userId: number, now: number): Promise<ListedSession[]> {
  const { results } = await env.DB.prepare(
    `SELECT ${publicId} AS id, created_at, coalesce(last_used_at, created_at) AS last_used_at, ip_address, country, user_agent,
       is_persistent
     FROM session WHERE user_id = ? AND expires_at > ? ORDER BY last_used_at DESC, created_at DESC LIMIT 100`,
  )
    .bind(userId, now)
    .all<ListedSession>()
  return results
}

/** Ends one of somebody's sessions; false when it is not theirs or gone. */
export async function endOneSession(env: Env, userId: number, id: string): Promise<boolean> {
  return (await endThose(env, env.DB.prepare(endedBy(`AND ${publicId} = ?`)).bind(userId, id))) > 0
}

/** Ends all of somebody's sessions but the one kept; answers how many. */
export async function endOtherSessions(env: Env, userId: number, keptIdHash: string): Promise<number> {
  return endThose(env, env.DB.prepare(endedBy('AND id_hash <> ?')).bind(userId, keptIdHash))
}

/**
 * Every session of somebody, for a batch: the rows decide, so they are over at once everywhere. {@link forgetEnded} takes what
 * it returns ({@link EndedSession}) and does the rest.
 */
export function endAllSessions(env: Env, userId: number): D1PreparedStatement {
  return env.DB.prepare(endedBy('')).bind(userId)
}

const endedBy = (which: string) => `DELETE FROM session WHERE user_id = ? ${which} RETURNING ${endedColumns}`

async function endThose(env: Env, statement: D1PreparedStatement): Promise<number> {
  const { results } = await statement.all<EndedSession>()
  await forgetEnded(env, results)
  return results.length
}
