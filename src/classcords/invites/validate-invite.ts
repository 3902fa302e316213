import { readTogether } from '../../db/read-together.ts'
import { forbidden } from '../../web/refusal.ts'
import type { School, ValidateDiscordInvite } from '../contract.ts'
import { iconAddress } from '../discord/invite-answer.ts'
import { choosableSchools } from '../schools/catalogue.ts'
import { existingServerOf, serverColumns, type ServerRow } from '../servers/server-row.ts'
import type { Member } from '../viewer.ts'
import { refuseTaken } from './taken-code.ts'
import { verifyLink } from './verify-link.ts'

/**
 * Step one of a submission. A server counts as known when it is listed at a school the person may submit for: then its stored
 * information is submitted; for everybody else's school it is new. @throws as {@link verifyLink}, forbidden, conflict
 */
export async function validateInvite(
  env: Env,
  member: Member,
  typed: string,
  now: number,
): Promise<ValidateDiscordInvite> {
  refuseSchoolless(member)
  const invite = await verifyLink(env, typed, now)
  await refuseTaken(env.DB, invite.code)
  const schools = member.isManager ? choosableSchools : 'SELECT id, name FROM school WHERE id = ?2'
  const [servers, available] = await readTogether<[ServerRow[], School[]]>(
    env.DB,
    env.DB.prepare(
      `SELECT ${serverColumns} FROM discord_server s WHERE s.server_id = ?1 AND s.is_active AND s.valid_invite_count > 0
         AND (?2 IS NULL OR EXISTS (SELECT 1 FROM server_school l WHERE l.server_id = s.id AND l.school_id = ?2))`,
    ).bind(invite.guild_id, member.isManager ? null : member.schoolId),
    member.isManager ? env.DB.prepare(schools) : env.DB.prepare(schools.replace('?2', '?1')).bind(member.schoolId),
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

export function refuseSchoolless({ isManager, schoolId }: Pick<Member, 'isManager' | 'schoolId'>): void {
  if (!isManager && schoolId === null) throw forbidden('User is not a manager and has no school assigned')
}

/** The page submits a known server for its first school. */
function ownSchoolFirst<Server extends { schools: School[] }>(server: Server, schoolId: number | null): Server {
  const own = server.schools.filter(({ id }) => id === schoolId)
  return { ...server, schools: [...own, ...server.schools.filter(({ id }) => id !== schoolId)] }
}
