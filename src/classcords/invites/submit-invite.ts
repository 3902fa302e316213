import { sql } from 'drizzle-orm'
import { isIn } from '../../db/json-argument.ts'
import { type Database, readFirst, template } from '../../db/query.ts'
import { course, instructor, subject } from '../../db/schema/index.ts'
import { oneLine } from '../../notify/clean-text.ts'
import { forbidden, malformed, refused } from '../../web/refusal.ts'
import type { SubmitInvite } from '../contract.ts'
import { indexNow } from '../search/index-servers.ts'
import { existingServerOf } from '../servers/server-row.ts'
import type { Member } from '../viewer.ts'
import { insertSubmission } from './insert-submission.ts'
import { findReplaced } from './own-pending.ts'
import type { Submitted } from './submission-form.ts'
import { refuseWithoutSchool } from './validate-invite.ts'
import { refuseIfSubmitted, verifyLink } from './verify-link.ts'

/**
 * Submits an invite: members for their own school, to be reviewed; managers for any school, approved in the same batch.
 * What it says about the server is kept with the invite, so that a listed server does not change before an approval.
 * @throws as {@link verifyLink}; forbidden (school), malformed, refused (data that does not fit), conflict (submitted
 * before)
 */
export async function submitInvite(env: Env, member: Member, submitted: Submitted, now: number): Promise<SubmitInvite> {
  refuseWithoutSchool(member)
  const isApproved = member.isManager
  if (!isApproved && submitted.school_id !== member.schoolId)
    throw forbidden("You don't have permission to associate servers with this school")
  const found = await verifyLink(env, submitted.invite_url, now)
  if (found.guild_id !== submitted.guild_id || found.name !== oneLine(submitted.guild_name, 100))
    throw refused('Internally validated discord server information does not match what the client provided')
  const { replaces } = submitted
  const replaced = replaces === null ? null : await findReplaced(env.DB, member, replaces, found.code)
  if (replaced === null) await refuseIfSubmitted(env.DB, found.code)
  await refuseMismatches(env.DB, submitted)
  const server = await insertSubmission(env.DB, member, { submitted, found, isApproved, replaced, now })
  if (isApproved) await indexNow(env.DB, 1, server.id)
  return { discord_server: existingServerOf(server, env.DISCORD_CDN_URL) }
}

/** @throws malformed for an unknown school, refused for a subject, course or instructor that does not belong to it */
async function refuseMismatches(db: Database, submitted: Submitted): Promise<void> {
  const { school_id, subject_id, course_ids, instructor_ids } = submitted
  const isOfSchool = sql`${subject.schoolId} = ${school_id}`
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
          WHERE ${course.subjectId} = ${subject_id} AND ${isIn(course.id, course_ids)})`,
        instructors: sql<number>`(SELECT count(*) FROM ${instructor}
          WHERE ${instructor.schoolId} = ${school_id} AND ${isIn(instructor.id, instructor_ids)})`,
      },
      (columns) => sql`SELECT ${columns}`,
    ),
  )
  if (!found?.has_school) throw malformed('Invalid school selected')
  if (subject_id !== null && !found.has_subject) throw refused('This subject is not taught at the school')
  if (found.courses !== course_ids.length) throw refused('A course does not belong to the subject')
  if (found.instructors !== instructor_ids.length) throw refused('An instructor does not teach at the school')
}
