import { type SQL, sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/sqlite-core'
import {
  type Database,
  into,
  query,
  readFirst,
  statement,
  type Template,
  template,
  writeTogether,
} from '../../db/query.ts'
import {
  course,
  discordServer,
  instructor,
  invite,
  inviteCourse,
  inviteInstructor,
  subject,
} from '../../db/schema/index.ts'
import { oneLine } from '../../notify/clean-text.ts'
import { forbidden, malformed, refused } from '../../web/refusal.ts'
import { randomToken } from '../../web/signing.ts'
import type { SubmitInvite } from '../contract.ts'
import type { GuildInvite } from '../discord/invite-answer.ts'
import { type DiscordTools, discordTools } from '../discord/look-up-invite.ts'
import { dayMs } from '../health/record-check.ts'
import { indexServers } from '../search/index-servers.ts'
import { sortKeyOf } from '../search/words.ts'
import { existingServerOf, serverFields, type ServerRow } from '../servers/server-row.ts'
import { mayReview, type Member } from '../viewer.ts'
import { applyApproval } from './apply-approval.ts'
import { auditDecision } from './record-decision.ts'
import type { Submitted } from './submission-form.ts'
import { refuseWithoutSchool } from './validate-invite.ts'
import { isTakenCode, refuseTaken, takenCode, verifyLink } from './verify-link.ts'

const s = alias(discordServer, 's')

/**
 * Submits an invite: members for their own school, to be reviewed; managers for any school, approved in the same batch. What is said
 * about the server is kept with the invite, so that a listed server stays as it is until an approval.
 * @throws as {@link verifyLink}; forbidden (school), malformed, refused (data that does not fit), conflict (submitted before)
 */
export async function submitInvite(
  env: Env,
  member: Member,
  submitted: Submitted,
  now: number,
  tools: DiscordTools = discordTools,
): Promise<SubmitInvite> {
  refuseWithoutSchool(member)
  if (!mayReview(member) && submitted.school_id !== member.schoolId)
    throw forbidden("You don't have permission to associate servers with this school")
  const found = await verifyLink(env, submitted.invite_url, now, tools)
  if (found.guild_id !== submitted.guild_id || found.name !== oneLine(submitted.guild_name, 100))
    throw refused('Internally validated discord server information does not match what the client provided')
  await refuseTaken(env.DB, found.code)
  await refuseForeignLinks(env.DB, submitted)
  const server = await insertSubmission(env, member, submitted, found, now)
  if (mayReview(member)) await indexServers(env.DB, 1, server.id)
  return { discord_server: existingServerOf(server, env.DISCORD_CDN_URL) }
}

/** @throws malformed for an unknown school, refused for a subject, course or instructor that does not belong to it */
async function refuseForeignLinks(db: Database, submitted: Submitted): Promise<void> {
  const { school_id, subject_id, course_ids, instructor_ids } = submitted
  const isOfSchool = sql`${subject.schoolId} = ${school_id}`
  const isAmong = (ids: readonly number[]) => sql`IN (SELECT value FROM json_each(${JSON.stringify(ids)}))`
  const found = await readFirst(
    db,
    template(
      {
        has_school: sql<boolean>`EXISTS (SELECT 1 FROM ${subject} WHERE ${isOfSchool})`.mapWith(Boolean),
        has_subject:
          sql<boolean>`EXISTS (SELECT 1 FROM ${subject} WHERE ${subject.id} = ${subject_id} AND ${isOfSchool})`.mapWith(
            Boolean,
          ),
        courses: sql<number>`(SELECT count(*) FROM ${course}
          WHERE ${course.subjectId} = ${subject_id} AND ${course.id} ${isAmong(course_ids)})`,
        instructors: sql<number>`(SELECT count(*) FROM ${instructor}
          WHERE ${instructor.schoolId} = ${school_id} AND ${instructor.id} ${isAmong(instructor_ids)})`,
      },
      (columns) => sql`SELECT ${columns}`,
    ),
  )
  if (!found?.has_school) throw malformed('Invalid school selected')
  if (subject_id !== null && !found.has_subject) throw refused('This subject is not taught at the school')
  if (found.courses !== course_ids.length) throw refused('A course does not belong to the subject')
  if (found.instructors !== instructor_ids.length) throw refused('An instructor does not teach at the school')
}

async function insertSubmission(
  env: Env,
  member: Member,
  submitted: Submitted,
  found: GuildInvite,
  now: number,
): Promise<ServerRow> {
  const { DB: db } = env
  const key = randomToken()
  const approval = mayReview(member)
    ? [
        ...applyApproval(key, { decidedBy: member.chatId, now }),
        auditDecision(db, member.audit, key, { from: null, to: 'approved' }, now),
      ]
    : []
  try {
    const written = await writeTogether(db, [
      query
        .insert(discordServer)
        .values({
          serverId: found.guild_id,
          name: found.name,
          description: found.description,
          icon: found.icon,
          memberCount: found.member_count ?? 0,
          onlineCount: found.online_count ?? 0,
          privacyLevel: submitted.privacy_level,
          sortKey: sortKeyOf(found.name, []),
          createdAt: now,
        })
        .onConflictDoNothing({ target: discordServer.serverId }),
      insertInvite(member, submitted, found, { key, now }),
      insertLinks(into(inviteCourse, inviteCourse.inviteId, inviteCourse.courseId), submitted.course_ids, key),
      insertLinks(
        into(inviteInstructor, inviteInstructor.inviteId, inviteInstructor.instructorId),
        submitted.instructor_ids,
        key,
      ),
      ...approval,
      template(
        serverFields,
        (columns) => sql`SELECT ${columns} FROM ${discordServer} ${s} WHERE ${s.serverId} = ${found.guild_id}`,
      ),
    ])
    const row = written.at(-1)?.rows[0]
    if (!row) throw new Error('The server was not written.')
    return row
  } catch (error) {
    if (isTakenCode(error)) throw takenCode()
    throw error
  }
}

function insertInvite(
  member: Member,
  submitted: Submitted,
  found: GuildInvite,
  { key, now }: { key: string; now: number },
): Template<never> {
  const decision = mayReview(member)
    ? { state: 'approved', decidedAt: now, decidedBy: member.chatId }
    : { state: 'pending', decidedAt: null, decidedBy: null }
  const columns = into(
    invite,
    invite.code,
    invite.serverId,
    invite.submitterId,
    invite.state,
    invite.notesMd,
    invite.privacyLevel,
    invite.schoolId,
    invite.subjectId,
    invite.createdAt,
    invite.decidedAt,
    invite.decidedBy,
    invite.decisionKey,
    invite.checkedAt,
    invite.dueAt,
  )
  return statement(sql`INSERT INTO ${columns}
    SELECT ${found.code}, ${discordServer.id}, ${member.chatId}, ${decision.state}, ${submitted.notes}, ${submitted.privacy_level},
      ${submitted.school_id}, ${submitted.subject_id}, ${now}, ${decision.decidedAt}, ${decision.decidedBy}, ${key}, ${now}, ${now + dayMs}
    FROM ${discordServer} WHERE ${discordServer.serverId} = ${found.guild_id}`)
}

/** The courses or instructors of the invite with a decision key. */
const insertLinks = (link: SQL, ids: readonly number[], decisionKey: string): Template<never> =>
  statement(sql`INSERT INTO ${link}
    SELECT (SELECT ${invite.id} FROM ${invite} WHERE ${invite.decisionKey} = ${decisionKey}), value FROM json_each(${JSON.stringify(ids)})`)
