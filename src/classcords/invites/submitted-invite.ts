import { sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/sqlite-core'
import * as z from 'zod/mini'
import { orNull, type RowOfFields } from '../../db/query.ts'
import {
  course,
  discordServer,
  discordUser,
  instructor,
  invite,
  inviteCourse,
  inviteInstructor,
  listing,
  listingCourse,
  school,
  serverCourse,
  subject,
} from '../../db/schema/index.ts'
import { iso, isoOrNull } from '../../lib/moment.ts'
import type { PendingInvite } from '../contract.ts'
import { iconAddress } from '../discord/invite-answer.ts'
import { Course, Instructor, School, Subject } from '../schools/contract.ts'
import { byCourse, courseJson, jsonList, privacyInfo } from '../servers/server-row.ts'
import { inviteAddress } from './invite-link.ts'

const i = alias(invite, 'i')
const s = alias(discordServer, 's')
const d = alias(discordUser, 'd')
const other = alias(invite, 'other')
const earlier = alias(invite, 'earlier')

/** Fields of {@link SubmittedRow} in a query where `i` is invite and `s` its discord_server. */
export const submittedFields = {
  id: i.id,
  code: i.code,
  notes_md: i.notesMd,
  is_valid: i.isValid,
  uses_count: i.usesCount,
  expires_at: i.expiresAt,
  created_at: i.createdAt,
  privacy_level: i.privacyLevel,
  guild_id: s.serverId,
  display_name: sql<string>`COALESCE(NULLIF(${s.customTitle}, ''), ${s.name})`,
  icon: s.icon,
}

type SubmittedRow = RowOfFields<typeof submittedFields>

/** The fields that every list of submissions shows. */
export function submittedOf(row: SubmittedRow, cdnUrl: string) {
  return {
    id: row.id,
    invite_url: inviteAddress(row.code),
    notes_md: row.notes_md,
    is_valid: row.is_valid,
    datetime_created: iso(row.created_at),
    discord_server: {
      display_name: row.display_name,
      icon_url: iconAddress(cdnUrl, row.guild_id, row.icon),
      privacy_level_info: privacyInfo(row.privacy_level),
    },
  }
}

const submittersCourses = sql`(SELECT json_group_array(${courseJson}) FROM ${inviteCourse}
  JOIN ${course} ON ${course.id} = ${inviteCourse.courseId} JOIN ${subject} ON ${subject.id} = ${course.subjectId}
  WHERE ${inviteCourse.inviteId} = ${i.id})`

const submittersInstructors = sql`(SELECT json_group_array(json_object('id', ${instructor.id}, 'name', ${instructor.name}))
  FROM ${inviteInstructor} JOIN ${instructor} ON ${instructor.id} = ${inviteInstructor.instructorId}
  WHERE ${inviteInstructor.inviteId} = ${i.id})`

/** What the submitter said the server is for. */
export const chosenFields = {
  school: sql<School | null>`(SELECT json_object('id', ${school.id}, 'name', ${school.name})
    FROM ${school} WHERE ${school.id} = ${i.schoolId})`.mapWith((text: string) => School.parse(JSON.parse(text))),
  subject: sql<Subject | null>`(SELECT json_object('id', ${subject.id}, 'name', ${subject.name})
    FROM ${subject} WHERE ${subject.id} = ${i.subjectId})`.mapWith((text: string) => Subject.parse(JSON.parse(text))),
  courses: jsonList(Course, submittersCourses),
  instructors: jsonList(Instructor, submittersInstructors),
}

/** For each chosen course, how many other servers are listed for it. */
const othersForCourses = sql`(SELECT json_group_array(json_object('course_id', ${inviteCourse.courseId}, 'servers',
    coalesce((SELECT sum(${listingCourse.servers}) FROM ${listingCourse} WHERE ${listingCourse.schoolId} = 0
      AND ${listingCourse.isPrivate} IN (0, 1) AND ${listingCourse.courseId} = ${inviteCourse.courseId}), 0)
    - EXISTS (SELECT 1 FROM ${serverCourse} JOIN ${listing}
        ON ${listing.serverId} = ${serverCourse.serverId} AND ${listing.schoolId} = 0
      WHERE ${serverCourse.serverId} = ${i.serverId} AND ${serverCourse.courseId} = ${inviteCourse.courseId})))
  FROM ${inviteCourse} WHERE ${inviteCourse.inviteId} = ${i.id})`

/** How many of the submitter's invites are in this state. */
const earlierOf = (state: 'approved' | 'rejected') =>
  sql<number>`(SELECT count(*) FROM ${invite} ${earlier}
    WHERE ${earlier.submitterId} = ${i.submitterId} AND ${earlier.state} = ${sql.raw(`'${state}'`)})`

/** Fields of {@link PendingRow}: the same, with `d` the submitter's discord_user, where there is one. */
export const pendingFields = {
  ...submittedFields,
  submitter_name: orNull(d.displayName),
  role: orNull(d.role),
  member_count: s.memberCount,
  online_count: s.onlineCount,
  approved: earlierOf('approved'),
  rejected: earlierOf('rejected'),
  is_new_server: sql<boolean>`NOT EXISTS (SELECT 1 FROM ${invite} ${other}
    WHERE ${other.serverId} = ${i.serverId} AND ${other.state} = 'approved')`.mapWith(Boolean),
  other_servers: jsonList(z.object({ course_id: z.number(), servers: z.number() }), othersForCourses),
  ...chosenFields,
}

type PendingRow = RowOfFields<typeof pendingFields>

export function pendingInviteOf(row: PendingRow, cdnUrl: string): PendingInvite {
  const isManager = row.role === 'manager'
  return {
    ...submittedOf(row, cdnUrl),
    uses_count: row.uses_count,
    is_unlimited: row.expires_at === null,
    expires_at: isoOrNull(row.expires_at),
    members: { total: row.member_count, online: row.online_count },
    submitter: {
      display_name: row.submitter_name ?? 'A deleted account',
      role_info: isManager
        ? { value: 'manager', label: 'Discord Manager' }
        : { value: 'regular', label: 'Regular User' },
      approved: row.approved,
      rejected: row.rejected,
    },
    is_new_server: row.is_new_server,
    other_servers: row.other_servers,
    school: row.school,
    subject: row.subject,
    courses: row.courses.toSorted(byCourse),
    instructors: row.instructors,
  }
}
