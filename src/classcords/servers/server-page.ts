import { sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/sqlite-core'
import { kept, readTogether, template } from '../../db/query.ts'
import { discordServer } from '../../db/schema/index.ts'
import type { ServerProps } from '../contract.ts'
import { accessFields, findValidInvites, inviteOf, refuseWithoutAccess } from '../invites/server-invites.ts'
import type { Viewer } from '../viewer.ts'
import { isListed, presenceOf, serverFields, serverOf } from './server-row.ts'
import { findDailyUses, findTotalUses, usesOf } from './server-uses.ts'

const s = alias(discordServer, 's')

const findServer = kept(() =>
  template(
    { ...serverFields, ...accessFields },
    (columns) =>
      sql`SELECT ${columns} FROM ${discordServer} ${s} WHERE ${s.id} = ${sql.placeholder('server')} AND ${isListed}`,
  ),
)

/** With uses for managers; null for a private server if no one is logged in. @throws notThere, forbidden */
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
    invites: invites.map((invite) => inviteOf(invite)),
    presence: presenceOf(row),
    uses: used ? usesOf(used.total, days, now) : null,
  }
}
