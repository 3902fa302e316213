import { type SQL, sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/sqlite-core'
import { into, query, statement, type Template, template, writeThenRead } from '../../db/query.ts'
import { discordServer, invite, inviteCourse, inviteInstructor } from '../../db/schema/index.ts'
import { DAY_MS } from '../../lib/time.ts'
import { randomToken } from '../../web/signing.ts'
import type { GuildInvite } from '../discord/invite-answer.ts'
import { sortKeyOf } from '../search/words.ts'
import { serverFields, type ServerRow } from '../servers/server-row.ts'
import type { Member } from '../viewer.ts'
import { applyApproval } from './apply-approval.ts'
import { deleteReplaced, type Replaced } from './own-pending.ts'
import { auditDecision } from './record-decision.ts'
import type { Submitted } from './submission-form.ts'
import { isDuplicateCode, alreadySubmitted } from './verify-link.ts'

const s = alias(discordServer, 's')

interface NewSubmission {
  submitted: Submitted
  found: GuildInvite
  isApproved: boolean
  /** The member's own pending invite that this one replaces. */
  replaced: Replaced | null
  /** ms since epoch */
  now: number
}

/**
 * In one batch: the server if new, the invite with its courses and instructors, and an immediate approval. An edited
 * submission keeps its place in the queue. @throws conflict when the code was submitted in the meantime
 */
export async function insertSubmission(
  db: D1Database,
  member: Member,
  { submitted, found, isApproved, replaced, now }: NewSubmission,
): Promise<ServerRow> {
  const key = randomToken()
  const approval = isApproved
    ? [
        ...applyApproval(key, { decidedBy: member.chatId, now }),
        auditDecision(member.audit, key, { from: null, to: 'approved' }, now),
      ]
    : []
  const server = template(
    serverFields,
    (columns) => sql`SELECT ${columns} FROM ${discordServer} ${s} WHERE ${s.serverId} = ${found.guild_id}`,
  )
  const writes = [
    query
      .insert(discordServer)
      .values({
        serverId: found.guild_id,
        name: found.name,
        description: found.description,
        icon: found.icon,
        memberCount: found.member_count ?? 0,
        onlineCount: found.online_count ?? 0,
        onlineCountedAt: found.online_count === null ? null : now,
        privacyLevel: submitted.privacy_level,
        sortKey: sortKeyOf(found.name, []),
        createdAt: now,
      })
      .onConflictDoNothing({ target: discordServer.serverId }),
    ...(replaced === null ? [] : [deleteReplaced(member, replaced)]),
    query.insert(invite).values({
      code: found.code,
      serverId: sql`(SELECT ${discordServer.id} FROM ${discordServer} WHERE ${discordServer.serverId} = ${found.guild_id})`,
      submitterId: member.chatId,
      notesMd: submitted.notes,
      privacyLevel: submitted.privacy_level,
      schoolId: submitted.school_id,
      subjectId: submitted.subject_id,
      ...(isApproved ? { state: 'approved', decidedAt: now, decidedBy: member.chatId } : { state: 'pending' }),
      createdAt: replaced?.created_at ?? now,
      decisionKey: key,
      checkedAt: now,
      dueAt: now + DAY_MS,
    }),
    insertLinks(into(inviteCourse, inviteCourse.inviteId, inviteCourse.courseId), submitted.course_ids, key),
    insertLinks(
      into(inviteInstructor, inviteInstructor.inviteId, inviteInstructor.instructorId),
      submitted.instructor_ids,
      key,
    ),
    ...approval,
  ]
  try {
    const [[row]] = await writeThenRead(db, writes, server)
    if (!row) throw new Error('The server was not saved.')
    return row
  } catch (error) {
    if (isDuplicateCode(error)) throw alreadySubmitted()
    throw error
  }
}

/** The courses or instructors of the invite with a decision key. */
const insertLinks = (link: SQL, ids: readonly number[], decisionKey: string): Template<never> =>
  statement(sql`INSERT INTO ${link}
    SELECT (SELECT ${invite.id} FROM ${invite} WHERE ${invite.decisionKey} = ${decisionKey}), value FROM json_each(${JSON.stringify(ids)})`)
