import { and, eq, gte, sql } from 'drizzle-orm'
import { type Database, query, readTogether } from '../../db/query.ts'
import { discordServer, invite, inviteUse } from '../../db/schema/index.ts'
import { notThere } from '../../web/refusal.ts'
import type { ServerUses } from '../contract.ts'
import { type DirectoryActor, refuseUnlessReviewer } from '../viewer.ts'

const dayMs = 24 * 3600_000
const shownDays = 30

/** Uses of a server's invites, day by day (UTC). One round trip. @throws forbidden, notThere */
export async function serverUses(db: Database, by: DirectoryActor, serverId: number, now: number): Promise<ServerUses> {
  refuseUnlessReviewer(by)
  const today = Math.floor(now / dayMs)
  const first = today - shownDays + 1
  const day = sql<number>`${inviteUse.usedAt} / ${sql.raw(String(dayMs))}`
  const [servers, counts] = await readTogether(
    db,
    query
      .select({
        total: sql<number>`(SELECT COALESCE(sum(${invite.usesCount}), 0) FROM ${invite} WHERE ${invite.serverId} = ${discordServer.id})`,
      })
      .from(discordServer)
      .where(eq(discordServer.id, serverId)),
    query
      .select({ day, uses: sql<number>`count(*)` })
      .from(invite)
      .innerJoin(inviteUse, eq(inviteUse.inviteId, invite.id))
      .where(and(eq(invite.serverId, serverId), gte(inviteUse.usedAt, first * dayMs)))
      .groupBy(day),
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
