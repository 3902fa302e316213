import { oneLine } from '../../notify/clean-text.ts'
import type { Actor } from '../../web/audit.ts'
import { forbidden, malformed, refused } from '../../web/refusal.ts'
import { randomToken } from '../../web/signing.ts'
import type { SubmitInvite } from '../contract.ts'
import type { GuildInvite } from '../discord/invite-answer.ts'
import { type DiscordTools, discordTools } from '../discord/look-up-invite.ts'
import { dayMs } from '../health/next-check.ts'
import { indexServers } from '../search/index-servers.ts'
import { sortKeyOf } from '../search/words.ts'
import { existingServerOf, serverColumns, type ServerRow } from '../servers/server-row.ts'
import type { Member } from '../viewer.ts'
import { applyApproval } from './apply-approval.ts'
import { auditDecision } from './audit-decision.ts'
import type { Submitted } from './submission-form.ts'
import { isTakenCode, refuseTaken, takenCode } from './taken-code.ts'
import { refuseSchoolless } from './validate-invite.ts'
import { verifyLink } from './verify-link.ts'

/**
 * Submits an invite: a manager's is approved in the same batch, everybody else's waits. What is said of the server is kept with
 * the invite, so that a listed server stays as it is until an approval.
 * @throws as {@link verifyLink}; forbidden (school), malformed, refused (data that does not fit), conflict (submitted before)
 */
export async function submitInvite(
  env: Env,
  member: Member,
  submitted: Submitted,
  now: number,
  actor: Actor,
  tools: DiscordTools = discordTools,
): Promise<SubmitInvite> {
  refuseSchoolless(member)
  if (!member.isManager && submitted.school_id !== member.schoolId)
    throw forbidden("You don't have permission to associate servers with this school")
  const invite = await verifyLink(env, submitted.invite_url, now, tools)
  if (invite.guild_id !== submitted.guild_id || invite.name !== oneLine(submitted.guild_name, 100))
    throw refused('Internally validated discord server information does not match what the client provided')
  await refuseTaken(env.DB, invite.code)
  await refuseForeignLinks(env.DB, submitted)
  const server = await write(env, member, submitted, invite, { now, actor })
  if (member.isManager) await indexServers(env.DB, 1, server.id)
  return { discord_server: existingServerOf(server, env.DISCORD_CDN_URL) }
}

/** @throws malformed for an unknown school, refused for a subject, course or instructor of elsewhere */
async function refuseForeignLinks(db: D1Database, submitted: Submitted): Promise<void> {
  const row = await db
    .prepare(
      `SELECT EXISTS (SELECT 1 FROM subject WHERE school_id = ?1) AS has_school,
         EXISTS (SELECT 1 FROM subject WHERE id = ?2 AND school_id = ?1) AS has_subject,
         (SELECT count(*) FROM course WHERE subject_id = ?2 AND id IN (SELECT value FROM json_each(?3))) AS courses,
         (SELECT count(*) FROM instructor WHERE school_id = ?1 AND id IN (SELECT value FROM json_each(?4))) AS instructors`,
    )
    .bind(
      submitted.school_id,
      submitted.subject_id,
      JSON.stringify(submitted.course_ids),
      JSON.stringify(submitted.instructor_ids),
    )
    .first<{ has_school: number; has_subject: number; courses: number; instructors: number }>()
  if (!row?.has_school) throw malformed('Invalid school selected')
  if (submitted.subject_id !== null && !row.has_subject) throw refused('This subject is not taught at the school')
  if (row.courses !== submitted.course_ids.length) throw refused('A course does not belong to the subject')
  if (row.instructors !== submitted.instructor_ids.length) throw refused('An instructor does not teach at the school')
}

async function write(
  env: Env,
  member: Member,
  submitted: Submitted,
  invite: GuildInvite,
  { now, actor }: { now: number; actor: Actor },
): Promise<ServerRow> {
  const { DB: db } = env
  const key = randomToken()
  const mine = '(SELECT id FROM invite WHERE decision_key = ?1)'
  const statements = [
    db
      .prepare(
        `INSERT INTO discord_server (server_id, name, description, icon, member_count, online_count, privacy_level, sort_key, created_at)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (server_id) DO NOTHING`,
      )
      .bind(
        invite.guild_id,
        invite.name,
        invite.description,
        invite.icon,
        invite.member_count ?? 0,
        invite.online_count ?? 0,
        submitted.privacy_level,
        sortKeyOf(invite.name, []),
        now,
      ),
    db
      .prepare(
        `INSERT INTO invite (code, server_id, submitter_id, state, notes_md, privacy_level, school_id, subject_id, created_at,
           decided_at, decided_by, decision_key, checked_at, due_at)
         SELECT ?1, id, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?8, ?12 FROM discord_server WHERE server_id = ?13`,
      )
      .bind(
        invite.code,
        member.chat.id,
        member.isManager ? 'approved' : 'pending',
        submitted.notes,
        submitted.privacy_level,
        submitted.school_id,
        submitted.subject_id,
        now,
        member.isManager ? now : null,
        member.isManager ? member.chat.id : null,
        key,
        now + dayMs,
        invite.guild_id,
      ),
    db
      .prepare(`INSERT INTO invite_course (invite_id, course_id) SELECT ${mine}, value FROM json_each(?2)`)
      .bind(key, JSON.stringify(submitted.course_ids)),
    db
      .prepare(`INSERT INTO invite_instructor (invite_id, instructor_id) SELECT ${mine}, value FROM json_each(?2)`)
      .bind(key, JSON.stringify(submitted.instructor_ids)),
    ...(member.isManager
      ? [
          ...applyApproval(db, key, { decidedBy: member.chat.id, now }),
          auditDecision(db, actor, key, { from: null, to: 'approved' }, now),
        ]
      : []),
    db.prepare(`SELECT ${serverColumns} FROM discord_server s WHERE s.server_id = ?`).bind(invite.guild_id),
  ]
  try {
    const results = await db.batch<ServerRow>(statements)
    const row = results.at(-1)?.results[0]
    if (!row) throw new Error('The server was not written.')
    return row
  } catch (error) {
    if (isTakenCode(error)) throw takenCode()
    throw error
  }
}
