import { readTogether } from '../../db/read-together.ts'
import { notThere } from '../../web/refusal.ts'
import type { ServerUses } from '../contract.ts'

const dayMs = 24 * 3600_000
const shownDays = 30

/** Uses of a server's invites, day by day (UTC). One round trip. @throws notThere */
export async function serverUses(db: D1Database, serverId: number, now: number): Promise<ServerUses> {
  const today = Math.floor(now / dayMs)
  const first = today - shownDays + 1
  const [servers, counts] = await readTogether<[{ total: number }[], { day: number; uses: number }[]]>(
    db,
    db
      .prepare(
        `SELECT (SELECT COALESCE(sum(uses_count), 0) FROM invite WHERE server_id = s.id) AS total FROM discord_server s WHERE s.id = ?`,
      )
      .bind(serverId),
    db
      .prepare(
        `SELECT u.used_at / ${dayMs} AS day, count(*) AS uses FROM invite i JOIN invite_use u ON u.invite_id = i.id
         WHERE i.server_id = ? AND u.used_at >= ? GROUP BY day`,
      )
      .bind(serverId, first * dayMs),
  )
  const [server] = servers
  if (!server) throw notThere('There is no such server.')
  const uses = new Map(counts.map((row) => [row.day, row.uses]))
  return {
    days: Array.from({ length: shownDays }, (_unused, index) => ({
      day: new Date((first + index) * dayMs).toISOString().slice(0, 10),
      uses: uses.get(first + index) ?? 0,
    })),
    total: server.total,
  }
}
