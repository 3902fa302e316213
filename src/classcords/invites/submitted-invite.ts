import { sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/sqlite-core'
import type { RowOfFields } from '../../db/query.ts'
import {
  course,
  discordServer,
  instructor,
  invite,
  inviteCourse,
  inviteInstructor,
  school,
  subject,
} from '../../db/schema/index.ts'
import { iso } from '../../lib/time.ts'
import { iconAddress } from '../discord/invite-answer.ts'
import { Course, Instructor, School, Subject } from '../schools/contract.ts'
import { byCourse, courseJson, jsonList, jsonOf, namedJson, privacyInfo, serverName } from '../servers/server-row.ts'
import { inviteAddress } from './invite-link.ts'

const i = alias(invite, 'i')
const s = alias(discordServer, 's')

const chosenCourses = sql`(SELECT json_group_array(${courseJson}) FROM ${inviteCourse}
  JOIN ${course} ON ${course.id} = ${inviteCourse.courseId} JOIN ${subject} ON ${subject.id} = ${course.subjectId}
  WHERE ${inviteCourse.inviteId} = ${i.id})`

const chosenInstructors = sql`(SELECT json_group_array(${namedJson(instructor)})
  FROM ${inviteInstructor} JOIN ${instructor} ON ${instructor.id} = ${inviteInstructor.instructorId}
  WHERE ${inviteInstructor.inviteId} = ${i.id})`

/** What was submitted, in a query where `i` is invite and `s` its discord_server. */
export const submittedFields = {
  id: i.id,
  code: i.code,
  notes_md: i.notesMd,
  is_valid: i.isValid,
  created_at: i.createdAt,
  privacy_level: i.privacyLevel,
  guild_id: s.serverId,
  display_name: serverName,
  icon: s.icon,
  is_active: s.isActive,
  school: jsonOf<School | null>(
    School,
    sql`(SELECT ${namedJson(school)} FROM ${school} WHERE ${school.id} = ${i.schoolId})`,
  ),
  subject: jsonOf<Subject | null>(
    Subject,
    sql`(SELECT ${namedJson(subject)} FROM ${subject} WHERE ${subject.id} = ${i.subjectId})`,
  ),
  courses: jsonList(Course, chosenCourses),
  instructors: jsonList(Instructor, chosenInstructors),
}

/** The part of a submission that every list of submissions shows. */
export function submittedOf(row: RowOfFields<typeof submittedFields>, cdnUrl: string) {
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
      is_active: row.is_active,
    },
    school: row.school,
    subject: row.subject,
    courses: row.courses.toSorted(byCourse),
    instructors: row.instructors,
  }
}
