import { sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/sqlite-core'
import { kept, readTogether, template } from '../../db/query.ts'
import { discordServer } from '../../db/schema/index.ts'
import type { ServerProps } from '../contract.ts'
import {
  accessFields,
  findValidInvites,
  inviteOf,
  isListed,
  presenceFields,
  presenceOf,
  refuseWithoutAccess,
} from '../invites/server-invites.ts'
import type { Viewer } from '../viewer.ts'
import { serverFields, serverOf } from './server-row.ts'

const s = alias(discordServer, 's')

const findServer = kept(() =>
  template(
    { ...serverFields, ...accessFields, ...presenceFields },
    (columns) =>
      sql`SELECT ${columns} FROM ${discordServer} ${s} WHERE ${s.id} = ${sql.placeholder('server')} AND ${isListed}`,
  ),
)

/**
 * A listed server and its invites; null for a private one when nobody is logged in. One round trip.
 * @throws notThere, forbidden
 */
export async function serverPage(env: Env, viewer: Viewer, serverId: number): Promise<ServerProps | null> {
  const [servers, invites] = await readTogether(
    env.DB,
    findServer({ server: serverId }),
    findValidInvites({ server: serverId }),
  )
  const [row] = servers
  if (row?.is_private && !viewer.user) return null
  refuseWithoutAccess(viewer, row)
  return {
    server: serverOf(row, env.DISCORD_CDN_URL),
    invites: invites.map((invite) => inviteOf(invite)),
    presence: presenceOf(row),
  }
}
