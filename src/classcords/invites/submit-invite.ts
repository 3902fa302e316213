import { type SQL, sql } from 'drizzle-orm'
import { privacyChangeText } from '../../../client/components/privacy-change.ts'
import { isIn } from '../../db/json-argument.ts'
import {
  type Database,
  into,
  query,
  readFirst,
  refusalIn,
  refuseUnless,
  statement,
  type Template,
  template,
  writeThenRead,
  condition,
  selectValues,
} from '../../db/query.ts'
import {
  course,
  discordServer,
  instructor,
  invite,
  inviteCourse,
  inviteInstructor,
  serverCourse,
  serverInstructor,
  serverSubject,
  subject,
} from '../../db/schema/index.ts'
import { DAY_MS } from '../../lib/time.ts'
import { oneLine } from '../../notify/clean-text.ts'
import { conflict, forbidden, badRequest, unprocessable } from '../../web/refusal.ts'
import { randomToken } from '../../web/security/signing.ts'
import type { SubmitInvite } from '../contract.ts'
import type { GuildInvite } from '../discord/invite-answer.ts'
import { refreshServer } from '../health/record-check.ts'
import { indexNow } from '../search/index-servers.ts'
import { sortKeyOf } from '../search/words.ts'
import { existingServerOf, isAtSchool, serverFields, type ServerRow } from '../servers/server-row.ts'
import type { Member } from '../viewer.ts'
import { applyApproval } from './apply-approval.ts'
import { changesPrivacy } from './list-pending.ts'
import { closeLost, deleteOwnPending, noLongerPending, refuseIfSubmitted } from './own-pending.ts'
import { auditDecision } from './record-decision.ts'
import type { Submitted } from './submission-form.ts'
import { refuseWithoutSchool } from './validate-invite.ts'
import { refuseDuplicate, verifyLink } from './verify-link.ts'
import { theServer, serverTable } from '../aliases.ts'

/** One member's invites in the review queue, which is worked off one by one. */
const MAX_PENDING = 20

/**
 * Submits an invite: members for their own school, to be reviewed; managers for any school, approved in the same batch.
 * What it says about the server is kept with the invite, so that a listed server does not change before an approval.
 * @throws as {@link verifyLink}; forbidden (school), badRequest, unprocessable (data that does not fit, too many pending),
 * conflict (submitted before)
 */
export async function submitInvite(env: Env, member: Member, submitted: Submitted, now: number): Promise<SubmitInvite> {
  refuseWithoutSchool(member)
  if (!member.isManager && submitted.school_id !== member.schoolId)
    throw forbidden("You don't have permission to associate servers with this school")
  const found = await verifyLink(env, submitted.invite_url, now)
  if (found.guild_id !== submitted.guild_id || found.name !== oneLine(submitted.guild_name, 100))
    throw unprocessable('Internally validated discord server information does not match what the client provided')
  const firstSubmitted = await refuseIfSubmitted(env.DB, member, found, submitted.replaces)
  await refuseMismatches(env.DB, member, submitted)
  const server = await insertSubmission(env.DB, member, { submitted, found, createdAt: firstSubmitted ?? now, now })
  if (member.isManager) await indexNow(env.DB, 1, server.id)
  const isKnownToMember = member.isManager || server.schools.some(({ id }) => id === member.schoolId)
  const shown = isKnownToMember ? server : { ...server, ...asSubmitted(submitted, found) }
  return { discord_server: existingServerOf(shown, env.DISCORD_CDN_URL) }
}

/** Only what the member and Discord say about a server, which may be a private one of another school. */
const asSubmitted = ({ privacy_level }: Submitted, found: GuildInvite) => ({
  name: found.name,
  custom_title: '',
  description: found.description,
  icon: found.icon,
  member_count: found.member_count ?? 0,
  privacy_level,
  is_active: true,
  is_required_for_trust: false,
  schools: [],
  subjects: [],
  courses: [],
  instructors: [],
})

/**
 * The subject, courses and instructors belong together or are already those of the server, if the member's school has it:
 * it may have those of several subjects and schools.
 * @throws badRequest for an unknown school, unprocessable for what does not belong
 */
async function refuseMismatches(db: Database, member: Member, submitted: Submitted): Promise<void> {
  const { guild_id, school_id, subject_id, course_ids, instructor_ids } = submitted
  const isOfSchool = sql`${subject.schoolId} = ${school_id}`
  const server = sql`(SELECT ${discordServer.id} FROM ${discordServer} WHERE ${discordServer.serverId} = ${guild_id}
    AND ${isAtSchool(discordServer.id, member.isManager ? null : member.schoolId)})`
  const isOfServer = {
    subject: sql`${subject.id} IN (SELECT ${serverSubject.subjectId} FROM ${serverSubject} WHERE ${serverSubject.serverId} = ${server})`,
    course: sql`${course.id} IN (SELECT ${serverCourse.courseId} FROM ${serverCourse} WHERE ${serverCourse.serverId} = ${server})`,
    instructor: sql`${instructor.id} IN (SELECT ${serverInstructor.instructorId} FROM ${serverInstructor} WHERE ${serverInstructor.serverId} = ${server})`,
  }
  const found = await readFirst(
    db,
    selectValues({
      has_school: condition(sql`EXISTS (SELECT 1 FROM ${subject} WHERE ${isOfSchool})`),
      has_subject: condition(sql`EXISTS (SELECT 1 FROM ${subject}
          WHERE ${subject.id} = ${subject_id} AND (${isOfSchool} OR ${isOfServer.subject}))`),
      courses: sql<number>`(SELECT count(*) FROM ${course}
          WHERE ${isIn(course.id, course_ids)} AND (${course.subjectId} = ${subject_id} OR ${isOfServer.course}))`,
      instructors: sql<number>`(SELECT count(*) FROM ${instructor}
          WHERE ${isIn(instructor.id, instructor_ids)} AND (${instructor.schoolId} = ${school_id} OR ${isOfServer.instructor}))`,
    }),
  )
  if (!found?.has_school) throw badRequest('Invalid school selected')
  if (subject_id !== null && !found.has_subject) throw unprocessable('This subject is not taught at the school')
  if (found.courses !== course_ids.length) throw unprocessable('A course does not belong to the subject')
  if (found.instructors !== instructor_ids.length) throw unprocessable('An instructor does not teach at the school')
}

/**
 * In one batch: the server if new, the invite with its courses and instructors, and an immediate approval. An edited
 * submission keeps its place in the queue. @throws conflict when the code was submitted or the edited invite decided in the
 * meantime, unprocessable when too many of the member's are pending, conflict also if it would change the server's privacy
 * unseen
 */
async function insertSubmission(
  db: D1Database,
  member: Member,
  { submitted, found, createdAt, now }: { submitted: Submitted; found: GuildInvite; createdAt: number; now: number },
): Promise<ServerRow> {
  const key = randomToken()
  const approval = member.isManager
    ? [
        ...applyApproval(key, { decidedBy: member.discordUserId, now }),
        auditDecision(member.audit, key, { from: null, to: 'approved' }, now),
      ]
    : []
  const server = template(
    serverFields,
    (columns) => sql`SELECT ${columns} FROM ${serverTable} WHERE ${theServer.serverId} = ${found.guild_id}`,
  )
  const writes = [
    query
      .insert(discordServer)
      .values({
        serverId: found.guild_id,
        name: found.name,
        description: found.description,
        privacyLevel: submitted.privacy_level,
        sortKey: sortKeyOf(found.name, []),
        createdAt: now,
      })
      .onConflictDoNothing({ target: discordServer.serverId }),
    refreshServer(isUnseen(found), found, now),
    ...(submitted.replaces === null
      ? []
      : [deleteOwnPending(member, submitted.replaces), refuseUnless(sql`changes() = 1`, noLongerPending)]),
    ...(member.isManager || submitted.replaces !== null ? [] : [refuseUnless(hasRoom(member), tooManyPending)]),
    ...(member.isManager && submitted.keeps_privacy ? [refusePrivacyChange(submitted)] : []),
    ...closeLost(found, now),
    query.insert(invite).values({
      code: found.code,
      serverId: sql`(SELECT ${discordServer.id} FROM ${discordServer} WHERE ${discordServer.serverId} = ${found.guild_id})`,
      submitterId: member.discordUserId,
      notesMd: submitted.notes,
      privacyLevel: submitted.privacy_level,
      schoolId: submitted.school_id,
      subjectId: submitted.subject_id,
      ...(member.isManager
        ? { state: 'approved', decidedAt: now, decidedBy: member.discordUserId }
        : { state: 'pending' }),
      createdAt,
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
  const [[row]] = await writeThenRead(db, writes, server).catch((error: unknown) => {
    const refusal = refusalIn(error)
    if (refusal === tooManyPending) throw unprocessable(refusal)
    if (refusal === noLongerPending) throw conflict(refusal)
    if (refusal !== null) throw conflict(refusal, 'Submit it again if you want that.')
    return refuseDuplicate(error)
  })
  if (!row) throw new Error('The server was not saved.')
  return row
}

/** Whether it is this server and its cards are not shown, so that it may change before an approval. */
const isUnseen = ({ guild_id }: GuildInvite): SQL =>
  sql`${discordServer.serverId} = ${guild_id} AND ${discordServer.validInviteCount} = 0`

/** Another manager may have decided about the server since its privacy was shown. */
const refusePrivacyChange = ({ guild_id, privacy_level }: Submitted) =>
  refuseUnless(
    sql`NOT EXISTS (SELECT 1 FROM ${serverTable} WHERE ${theServer.serverId} = ${guild_id} AND ${changesPrivacy(sql`${privacy_level}`)})`,
    privacyChangeText(privacy_level),
  )

const hasRoom = ({ discordUserId }: Member): SQL => sql`(SELECT count(*) FROM ${invite}
  WHERE ${invite.submitterId} = ${discordUserId} AND ${invite.state} = 'pending') < ${MAX_PENDING}`

const tooManyPending = `You already have ${MAX_PENDING} invites in review. Wait for a decision, or withdraw one on your profile.`

/** The courses or instructors of the invite with a decision key. */
const insertLinks = (link: SQL, ids: readonly number[], decisionKey: string): Template<never> =>
  statement(sql`INSERT INTO ${link}
    SELECT (SELECT ${invite.id} FROM ${invite} WHERE ${invite.decisionKey} = ${decisionKey}), value FROM json_each(${JSON.stringify(ids)})`)
