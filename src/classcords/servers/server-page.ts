import { readTogether } from '../../db/read-together.ts'
import type { ServerProps } from '../contract.ts'
import {
  accessColumns,
  type AccessRow,
  inviteOf,
  type InviteRow,
  livingInvites,
  refuseStrangers,
} from '../invites/server-invites.ts'
import type { Viewer } from '../viewer.ts'
import { serverColumns, serverOf, type ServerRow } from './server-row.ts'

/**
 * A listed server and its invites; null for a private one when nobody is signed in. One round trip.
 * @throws notThere, forbidden
 */
export async function serverPage(env: Env, viewer: Viewer, serverId: number): Promise<ServerProps | null> {
  const [servers, invites] = await readTogether<[(ServerRow & AccessRow)[], InviteRow[]]>(
    env.DB,
    env.DB.prepare(
      `SELECT ${serverColumns}, ${accessColumns} FROM discord_server s
       WHERE s.id = ? AND s.is_active AND s.valid_invite_count > 0`,
    ).bind(serverId),
    livingInvites(env.DB, serverId),
  )
  const [row] = servers
  if (row?.is_private === 1 && !viewer.user) return null
  refuseStrangers(viewer, row)
  return { server: serverOf(row, env.DISCORD_CDN_URL), invites: invites.map((invite) => inviteOf(invite)) }
}
