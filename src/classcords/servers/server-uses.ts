import { and, eq, gte, sql } from 'drizzle-orm'
import { type Database, query, readTogether, type RowOf } from '../../db/query.ts'
import { discordServer, invite, inviteUse } from '../../db/schema/index.ts'
import { DAY_MS } from '../../lib/time.ts'
import { notThere } from '../../web/refusal.ts'
import type { ServerUses } from '../contract.ts'
import { type DirectoryActor, refuseUnlessReviewer } from '../viewer.ts'

const SHOWN_DAYS = 30

const firstDay = (now: number) => Math.floor(now / DAY_MS) - SHOWN_DAYS + 1

export const findTotalUses = (serverId: number) =>
  query
    .select({
      total: sql<number>`(SELECT COALESCE(sum(${invite.usesCount}), 0) FROM ${invite} WHERE ${invite.serverId} = ${discordServer.id})`,
    })
    .from(discordServer)
    .where(eq(discordServer.id, serverId))

/** Uses of a server's invites by day, for those of the last 30 days (UTC) that have one. */
export function findDailyUses(serverId: number, now: number) {
  const day = sql<number>`${inviteUse.usedAt} / ${sql.raw(String(DAY_MS))}`
  return query
    .select({ day, uses: sql<number>`count(*)` })
    .from(invite)
    .innerJoin(inviteUse, eq(inviteUse.inviteId, invite.id))
    .where(and(eq(invite.serverId, serverId), gte(inviteUse.usedAt, firstDay(now) * DAY_MS)))
    .groupBy(day)
}

/** Fills in the days without a use. */
export function usesOf(
  total: number,
  rows: readonly RowOf<ReturnType<typeof findDailyUses>>[],
  now: number,
): ServerUses {
  const uses = new Map(rows.map((row) => [row.day, row.uses]))
  const first = firstDay(now)
  return {
    days: Array.from({ length: SHOWN_DAYS }, (_unused, index) => ({
      day: new Date((first + index) * DAY_MS).toISOString().slice(0, 10),
      uses: uses.get(first + index) ?? 0,
    })),
    total,
  }
}

/** Uses of a server's invites, day by day (UTC). One round trip. @throws forbidden, notThere */
export async function serverUses(db: Database, by: DirectoryActor, serverId: number, now: number): Promise<ServerUses> {
  refuseUnlessReviewer(by)
  const [servers, days] = await readTogether(db, findTotalUses(serverId), findDailyUses(serverId, now))
  const [server] = servers
  if (!server) throw notThere('There is no such server.')
  return usesOf(server.total, days, now)
}
