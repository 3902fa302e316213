import { readTogether } from '../../db/read-together.ts'
import { notThere, refused } from '../../web/refusal.ts'
import type { Viewer } from '../viewer.ts'
import { type AccessRow, accessColumns, refuseStrangers } from './server-invites.ts'

/** Within it, somebody's clicks on an invite are one use. */
export const hourMs = 3600_000

/**
 * Counts that somebody joined, once an hour a person. `visitor` names them: `user:` and an id, or the hash of a cookie. The hour is
 * in the statement: clicks at once count once. @throws notThere, refused (no longer valid), and what refuses strangers
 */
export async function trackUsage(
  db: D1Database,
  viewer: Viewer,
  inviteId: number,
  asked: { visitor: string; now: number },
): Promise<void> {
  const [rows] = await readTogether<[(AccessRow & { is_alive: number })[]]>(
    db,
    db
      .prepare(
        `SELECT ${accessColumns}, i.is_valid AND s.is_active AND (i.expires_at IS NULL OR i.expires_at > ?2) AS is_alive
         FROM invite i JOIN discord_server s ON s.id = i.server_id WHERE i.id = ?1 AND i.state = 'approved'`,
      )
      .bind(inviteId, asked.now),
  )
  const [invite] = rows
  if (!invite) throw notThere('There is no such invite.')
  refuseStrangers(viewer, invite)
  if (!invite.is_alive) throw refused('This invite is no longer valid')
  await db
    .prepare(
      `INSERT INTO invite_use (invite_id, visitor, used_at) SELECT ?1, ?2, ?3
       WHERE NOT EXISTS (SELECT 1 FROM invite_use WHERE invite_id = ?1 AND visitor = ?2 AND used_at > ?3 - ${hourMs})`,
    )
    .bind(inviteId, asked.visitor, asked.now)
    .run()
}
