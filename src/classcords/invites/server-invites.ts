import { readTogether } from '../../db/read-together.ts'
import { forbidden, forbiddenUntil, notThere, signInFirst } from '../../web/refusal.ts'
import { connectionsPath, profilePath } from '../access.ts'
import { isoOrNull } from '../../web/moment.ts'
import type { Invite } from '../contract.ts'
import { renderNotes } from '../notes/markdown.ts'
import { inviteAccess } from '../servers/visibility.ts'
import type { Viewer } from '../viewer.ts'
import { inviteAddress } from './invite-link.ts'

/** An approved, living invite. */
export interface InviteRow {
  id: number
  code: string
  notes_md: string
  expires_at: number | null
  uses_count: number
}

/** What decides who may see the invites of a listed server `s`. */
export const accessColumns = `s.privacy_level = 'private' AS is_private,
  (SELECT json_group_array(school_id) FROM server_school WHERE server_id = s.id) AS school_ids`
export interface AccessRow {
  is_private: number
  school_ids: string
}

const members = 'this private server is for members of its schools.'

/** @throws notThere, signInFirst, forbidden */
export function refuseStrangers<Row extends AccessRow>(viewer: Viewer, server: Row | undefined): asserts server is Row {
  if (!server) throw notThere('There is no such server.')
  const access = inviteAccess(viewer, {
    is_private: server.is_private === 1,
    school_ids: JSON.parse(server.school_ids) as number[],
  })
  if (access === 'sign_in') throw signInFirst('You must log in to view server invites.')
  if (access === 'connect_discord')
    throw forbiddenUntil(`Connect Discord first: ${members}`, { href: connectionsPath, text: 'Connect Discord' })
  if (access === 'select_school')
    throw forbiddenUntil(`Select your school first: ${members}`, { href: profilePath, text: 'Select your school' })
  if (access === 'refused') throw forbidden('This private server belongs to another school.')
}

/** The approved, living invites of a listed server, newest first. One round trip. @throws as {@link refuseStrangers} */
export async function serverInvites(db: D1Database, viewer: Viewer, serverId: number): Promise<Invite[]> {
  const [servers, invites] = await readTogether<[AccessRow[], InviteRow[]]>(
    db,
    db
      .prepare(
        `SELECT ${accessColumns} FROM discord_server s WHERE s.id = ? AND s.is_active AND s.valid_invite_count > 0`,
      )
      .bind(serverId),
    livingInvites(db, serverId),
  )
  refuseStrangers(viewer, servers[0])
  return invites.map((row) => inviteOf(row))
}

/** Rows of {@link InviteRow}, newest first. */
export function livingInvites(db: D1Database, serverId: number): D1PreparedStatement {
  return db
    .prepare(
      `SELECT id, code, notes_md, expires_at, uses_count FROM invite WHERE server_id = ? AND state = 'approved' AND is_valid
       ORDER BY created_at DESC, id DESC LIMIT 100`,
    )
    .bind(serverId)
}

export function inviteOf(row: InviteRow): Invite {
  return {
    id: row.id,
    invite_url: inviteAddress(row.code),
    notes_md: row.notes_md,
    notes_html: renderNotes(row.notes_md),
    expires_at: isoOrNull(row.expires_at),
    uses_count: row.uses_count,
    is_valid: true,
    is_unlimited: row.expires_at === null,
  }
}
