import { desc, sql } from 'drizzle-orm'
import * as z from 'zod/mini'
import {
  type Database,
  prepared,
  query,
  readTogether,
  type RowOf,
  type RowOfFields,
  template,
  parameter,
  condition,
} from '../../db/query.ts'
import { invite, serverSchool } from '../../db/schema/index.ts'
import { forbidden, forbiddenUntil, notFound, unauthorized } from '../../web/refusal.ts'
import { connectionsPath } from '../../accounts/paths.ts'
import { profilePath } from '../access.ts'
import { isoOrNull } from '../../lib/time.ts'
import type { Invite, ServerInvites } from '../contract.ts'
import { renderNotes } from './notes.ts'
import { isListed, jsonList, presenceFields, presenceOf } from '../servers/server-row.ts'
import type { Viewer } from '../viewer.ts'
import { inviteAddress } from './invite-link.ts'
import { theServer, serverTable } from '../aliases.ts'

/** The columns that decide who may see the invites of a listed server. */
export const accessFields = {
  is_private: condition(sql`${theServer.privacyLevel} = 'private'`),
  school_ids: jsonList(
    z.number(),
    sql`(SELECT json_group_array(${serverSchool.schoolId}) FROM ${serverSchool} WHERE ${serverSchool.serverId} = ${theServer.id})`,
  ),
}
type AccessRow = RowOfFields<typeof accessFields>

export const findAccess = prepared(() =>
  template(
    { ...accessFields, ...presenceFields },
    (columns) =>
      sql`SELECT ${columns} FROM ${serverTable} WHERE ${theServer.id} = ${parameter('server')} AND ${isListed}`,
  ),
)

export const findValidInvites = prepared(() =>
  query
    .select({
      id: invite.id,
      code: invite.code,
      notes_md: invite.notesMd,
      expires_at: invite.expiresAt,
      uses_count: invite.usesCount,
    })
    .from(invite)
    .where(sql`${invite.serverId} = ${parameter('server')} AND ${invite.state} = 'approved' AND ${invite.isValid}`)
    .orderBy(desc(invite.createdAt), desc(invite.id))
    .limit(100),
)
type InviteRow = RowOf<ReturnType<typeof findValidInvites>>

const members = 'this private server is for members of its schools.'

/** A private server's invites are for members of its schools, managers and superusers. @throws notFound, unauthorized, forbidden */
export function refuseWithoutAccess<Row extends AccessRow>(
  viewer: Pick<Viewer, 'schoolId' | 'isManager' | 'isSuperuser'> & { user: unknown; discordUser: unknown },
  server: Row | undefined,
): asserts server is Row {
  if (!server) throw notFound('There is no such server.')
  if (!server.is_private || viewer.isManager || viewer.isSuperuser) return
  if (!viewer.user) throw unauthorized('You must log in to view server invites.')
  if (!viewer.discordUser)
    throw forbiddenUntil(`Connect Discord first: ${members}`, { href: connectionsPath, text: 'Connect Discord' })
  if (viewer.schoolId === null)
    throw forbiddenUntil(`Select your school first: ${members}`, { href: profilePath, text: 'Select your school' })
  if (!server.school_ids.includes(viewer.schoolId)) throw forbidden('This private server belongs to another school.')
}

/** Newest first. One round trip. @throws as {@link refuseWithoutAccess} */
export async function serverInvites(db: Database, viewer: Viewer, serverId: number): Promise<ServerInvites> {
  const [servers, invites] = await readTogether(
    db,
    findAccess({ server: serverId }),
    findValidInvites({ server: serverId }),
  )
  const [server] = servers
  refuseWithoutAccess(viewer, server)
  return { invites: invites.map(inviteOf), presence: presenceOf(server) }
}

export const inviteOf = ({ code, expires_at, ...row }: InviteRow): Invite => ({
  ...row,
  invite_url: inviteAddress(code),
  notes_html: renderNotes(row.notes_md),
  expires_at: isoOrNull(expires_at),
  is_valid: true,
  is_unlimited: expires_at === null,
})
