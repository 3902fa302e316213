import { and, eq, gte, sql } from 'drizzle-orm'
import {
  constant,
  type Database,
  parameter,
  prepared,
  query,
  readTogether,
  type RowOf,
  template,
} from '../../db/query.ts'
import { discordServer, invite, inviteUse } from '../../db/schema/index.ts'
import { DAY_MS } from '../../lib/time.ts'
import { notFound } from '../../web/refusal.ts'
import type { ServerProps, ServerUses } from '../contract.ts'
import { accessFields, findValidInvites, inviteOf, refuseWithoutAccess } from '../invites/server-invites.ts'
import { type DirectoryActor, refuseUnlessReviewer, type Viewer } from '../viewer.ts'
import { isListed, presenceOf, serverFields, serverOf } from './server-row.ts'
import { theServer, serverTable } from '../aliases.ts'

const findServer = prepared(() =>
  template(
    { ...serverFields, ...accessFields },
    (columns) =>
      sql`SELECT ${columns} FROM ${serverTable} WHERE ${theServer.id} = ${parameter('server')} AND ${isListed}`,
  ),
)

/** With uses for managers; null for a private server if no one is logged in. @throws notFound, forbidden */
export async function serverPage(
  env: Env,
  viewer: Viewer,
  serverId: number,
  now: number,
): Promise<Omit<ServerProps, 'refused_report'> | null> {
  const found = [findServer({ server: serverId }), findValidInvites({ server: serverId })] as const
  const [servers, invites, totals, days] = viewer.isManager
    ? await readTogether(env.DB, ...found, findTotalUses(serverId), findDailyUses(serverId, now))
    : [...(await readTogether(env.DB, ...found)), [], []]
  const [row] = servers
  if (row?.is_private && !viewer.user) return null
  refuseWithoutAccess(viewer, row)
  const [used] = totals
  return {
    server: serverOf(row, env.DISCORD_CDN_URL),
    invites: invites.map(inviteOf),
    presence: presenceOf(row),
    uses: used ? usesOf(used.total, days, now) : null,
  }
}

const SHOWN_DAYS = 30

const firstDay = (now: number) => Math.floor(now / DAY_MS) - SHOWN_DAYS + 1

const findTotalUses = (serverId: number) =>
  query
    .select({
      total: sql<number>`(SELECT COALESCE(sum(${invite.usesCount}), 0) FROM ${invite} WHERE ${invite.serverId} = ${discordServer.id})`,
    })
    .from(discordServer)
    .where(eq(discordServer.id, serverId))

/** Uses of a server's invites by day, for those of the last 30 days (UTC) that have one. */
function findDailyUses(serverId: number, now: number) {
  const day = sql<number>`${inviteUse.usedAt} / ${constant(DAY_MS)}`
  return query
    .select({ day, uses: sql<number>`count(*)` })
    .from(invite)
    .innerJoin(inviteUse, eq(inviteUse.inviteId, invite.id))
    .where(and(eq(invite.serverId, serverId), gte(inviteUse.usedAt, firstDay(now) * DAY_MS)))
    .groupBy(day)
}

/** Fills in the days without a use. */
function usesOf(total: number, rows: readonly RowOf<ReturnType<typeof findDailyUses>>[], now: number): ServerUses {
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

/** Uses of a server's invites, day by day (UTC). One round trip. @throws forbidden, notFound */
export async function serverUses(db: Database, by: DirectoryActor, serverId: number, now: number): Promise<ServerUses> {
  refuseUnlessReviewer(by)
  const [servers, days] = await readTogether(db, findTotalUses(serverId), findDailyUses(serverId, now))
  const [server] = servers
  if (!server) throw notFound('There is no such server.')
  return usesOf(server.total, days, now)
}
