import { sql } from 'drizzle-orm'
import { readTogether, template } from '../../db/query.ts'
import { forbiddenUntil } from '../../web/refusal.ts'
import { profilePath } from '../access.ts'
import type { School, ValidateDiscordInvite } from '../contract.ts'
import { iconAddress } from '../discord/invite-answer.ts'
import { findChoosableSchools, findSchool } from '../schools/catalog.ts'
import { existingServerOf, isAtSchool, isKnown, serverFields } from '../servers/server-row.ts'
import type { Member } from '../viewer.ts'
import { refuseIfSubmitted } from './own-pending.ts'
import { verifyLink } from './verify-link.ts'
import { theServer, serverTable } from '../aliases.ts'

/**
 * The known server with a Discord id at a school; null: at any school. Also one that is not listed, so that a new link
 * does not change what is stored about it.
 */
const findKnownServer = (guildId: string, schoolId: number | null) =>
  template(
    serverFields,
    (columns) => sql`SELECT ${columns} FROM ${serverTable}
      WHERE ${theServer.serverId} = ${guildId} AND ${isKnown} AND ${isAtSchool(theServer.id, schoolId)}`,
  )

/**
 * A known server's stored information is submitted if the member may submit for one of its schools. `replaces`: one's
 * own pending invite, which is being edited. @throws as {@link verifyLink}, forbidden, conflict
 */
export async function validateInvite(
  env: Env,
  member: Member,
  { typed, replaces }: { typed: string; replaces: number | null },
  now: number,
): Promise<ValidateDiscordInvite> {
  refuseWithoutSchool(member)
  const invite = await verifyLink(env, typed, now)
  await refuseIfSubmitted(env.DB, member, invite, replaces)
  const [servers, available] = await readTogether(
    env.DB,
    findKnownServer(invite.guild_id, member.isManager ? null : member.schoolId),
    member.isManager || member.schoolId === null ? findChoosableSchools() : findSchool(member.schoolId),
  )
  const [server] = servers
  return {
    guild_info: {
      id: invite.guild_id,
      name: invite.name,
      icon_url: iconAddress(env.DISCORD_CDN_URL, invite.guild_id, invite.icon),
    },
    existing_server_info: server
      ? ownSchoolFirst(existingServerOf(server, env.DISCORD_CDN_URL), member.schoolId)
      : null,
    is_new_server: server === undefined,
    available_schools: available,
  }
}

/** @throws forbidden for a member without a school, unless they are a manager */
export function refuseWithoutSchool({ isManager, schoolId }: Pick<Member, 'isManager' | 'schoolId'>): void {
  if (!isManager && schoolId === null)
    throw forbiddenUntil('Select your school first', { href: profilePath, text: 'Select your school' })
}

/** Puts the member's school first, because the page submits a known server for its first school. */
function ownSchoolFirst<Server extends { schools: School[] }>(server: Server, schoolId: number | null): Server {
  const own = server.schools.filter(({ id }) => id === schoolId)
  return { ...server, schools: [...own, ...server.schools.filter(({ id }) => id !== schoolId)] }
}
