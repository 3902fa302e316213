import { sql } from 'drizzle-orm'
import type { RowOfFields } from '../../db/query.ts'
import { course, instructor, inviteCourse, inviteInstructor, school, subject } from '../../db/schema/index.ts'
import { iso } from '../../lib/time.ts'
import { iconAddress } from '../discord/invite-answer.ts'
import { Course, Instructor, School, Subject } from '../schools/contract.ts'
import { byCourse, courseJson, jsonList, jsonOf, namedJson, privacyInfo, serverName } from '../servers/server-row.ts'
import { inviteAddress } from './invite-link.ts'
import { theServer, theInvite } from '../aliases.ts'

const chosenCourses = sql`(SELECT json_group_array(${courseJson}) FROM ${inviteCourse}
  JOIN ${course} ON ${course.id} = ${inviteCourse.courseId} JOIN ${subject} ON ${subject.id} = ${course.subjectId}
  WHERE ${inviteCourse.inviteId} = ${theInvite.id})`

const chosenInstructors = sql`(SELECT json_group_array(${namedJson(instructor)})
  FROM ${inviteInstructor} JOIN ${instructor} ON ${instructor.id} = ${inviteInstructor.instructorId}
  WHERE ${inviteInstructor.inviteId} = ${theInvite.id})`

/** What was submitted, in a query of {@link invitesWithServer}. */
export const submittedFields = {
  id: theInvite.id,
  code: theInvite.code,
  notes_md: theInvite.notesMd,
  is_valid: theInvite.isValid,
  created_at: theInvite.createdAt,
  privacy_level: theInvite.privacyLevel,
  guild_id: theServer.serverId,
  display_name: serverName,
  icon: theServer.icon,
  is_active: theServer.isActive,
  school: jsonOf<School | null>(
    School,
    sql`(SELECT ${namedJson(school)} FROM ${school} WHERE ${school.id} = ${theInvite.schoolId})`,
  ),
  subject: jsonOf<Subject | null>(
    Subject,
    sql`(SELECT ${namedJson(subject)} FROM ${subject} WHERE ${subject.id} = ${theInvite.subjectId})`,
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
