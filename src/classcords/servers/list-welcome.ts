import { readTogether } from '../../db/read-together.ts'
import type { WelcomeProps } from '../contract.ts'
import { pendingCount } from '../invites/pending-count.ts'
import type { Viewer } from '../viewer.ts'
import { placeholders } from './placeholders.ts'
import { serverColumns, serverOf, type ServerRow } from './server-row.ts'
import { scopeOf } from './visibility.ts'

const newest = 10

/** What the welcome page shows: all featured servers, the newest 10 public and the newest 10 private ones. One round trip. */
export async function listWelcome(env: Env, viewer: Viewer, referral: string | null): Promise<WelcomeProps> {
  const { schoolId, withPrivate } = scopeOf(viewer)
  const some = (isPrivate: 0 | 1) => `SELECT * FROM (
    SELECT server_id, 1 AS part, created_at FROM listing
    WHERE school_id = ?1 AND rank = 1 AND is_private = ${isPrivate} ORDER BY created_at DESC, server_id DESC LIMIT ${newest})`
  const parts = [
    `SELECT server_id, 0 AS part, created_at FROM listing WHERE school_id = ?1 AND rank = 0 ${withPrivate ? '' : 'AND NOT is_private'}`,
    some(0),
    ...(withPrivate ? [some(1)] : []),
  ]
  const [rows, pending] = await readTogether<[ServerRow[], { pending: number }[]]>(
    env.DB,
    env.DB.prepare(
      `SELECT ${serverColumns} FROM (${parts.join(' UNION ALL ')}) p JOIN discord_server s ON s.id = p.server_id
       ORDER BY p.part, p.created_at DESC, s.id DESC`,
    ).bind(schoolId),
    pendingCount(env.DB, viewer),
  )
  const servers = rows.map((row) => serverOf(row, env.DISCORD_CDN_URL))
  return {
    servers: viewer.chat ? servers : [...servers, ...placeholders()],
    pending_invites_count: pending[0]?.pending ?? 0,
    referral,
  }
}
