import { type SQL, sql } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'
import * as z from 'zod/mini'
import { MAX_PRESENCE_AGE_MS } from '../../../client/islands/classcords/server-text.ts'
import { naturalOrder } from '../../../client/components/natural-order.ts'
import { condition, type RowOfFields } from '../../db/query.ts'
import {
  course,
  instructor,
  invite,
  school,
  serverCourse,
  serverInstructor,
  serverSchool,
  serverSubject,
  subject,
} from '../../db/schema/index.ts'
import { iso } from '../../lib/time.ts'
import type { DiscordServer, ExistingServer, Presence, PrivacyLevelInfo } from '../contract.ts'
import { iconAddress } from '../discord/invite-answer.ts'
import { Course, Instructor, type Named, School, Subject } from '../schools/contract.ts'
import { theServer } from '../aliases.ts'

export const serverName: SQL<string> = sql`COALESCE(NULLIF(${theServer.customTitle}, ''), ${theServer.name})`

export const isListed = condition(sql`${theServer.isActive} AND ${theServer.validInviteCount} > 0`)

/**
 * Whether someone decided what the server is, even if it is not listed now: it has an approved invite, or a school, which
 * only approvals and administrators give to a server and which stays if the invites are deleted.
 */
export const isKnown = condition(sql`(EXISTS (SELECT 1 FROM ${invite}
  WHERE ${invite.serverId} = ${theServer.id} AND ${invite.state} = 'approved')
  OR EXISTS (SELECT 1 FROM ${serverSchool} WHERE ${serverSchool.serverId} = ${theServer.id}))`)

/** Whether a server is one of a school's. @param schoolId null: of any or none */
export const isAtSchool = (serverId: SQLiteColumn, schoolId: number | SQL | null): SQL =>
  schoolId === null
    ? sql`true`
    : sql`EXISTS (SELECT 1 FROM ${serverSchool} WHERE ${serverSchool.serverId} = ${serverId} AND ${serverSchool.schoolId} = ${schoolId})`

/** A field that SQL returns as JSON. */
export const jsonOf = <Value>(value: z.ZodMiniType<Value>, json: SQL): SQL<Value> =>
  sql<Value>`${json}`.mapWith((text: string) => value.parse(JSON.parse(text)))

/** A field with a list that SQL returns as JSON. */
export const jsonList = <Item>(item: z.ZodMiniType<Item>, list: SQL): SQL<Item[]> => jsonOf(z.array(item), list)

/** A row's id and name: the fields of a school, a subject or an instructor. */
export const named = <Table extends Record<'id' | 'name', SQLiteColumn>>({
  id,
  name,
}: Table): Pick<Table, 'id' | 'name'> => ({ id, name })

/** The same, as JSON of a school, a subject or an instructor. */
export const namedJson = ({ id, name }: Record<'id' | 'name', SQLiteColumn>): SQL =>
  sql`json_object('id', ${id}, 'name', ${name})`

/** A course and its subject's name, as JSON of {@link Course}. */
export const courseJson: SQL = sql`json_object('id', ${course.id}, 'code', ${course.code}, 'level', ${course.level},
  'title', ${course.title}, 'subject', ${subject.name})`

/** Members online of a server, and when they were counted. */
export const presenceFields = { online_count: theServer.onlineCount, online_counted_at: theServer.onlineCountedAt }

export function presenceOf({ online_count, online_counted_at: at }: RowOfFields<typeof presenceFields>): Presence {
  return at === null || online_count === 0 ? null : { online_count, counted_at: iso(at) }
}

/** The row includes the lists, so that a page is one statement. */
export const serverFields = {
  id: theServer.id,
  server_id: theServer.serverId,
  name: theServer.name,
  custom_title: theServer.customTitle,
  description: theServer.description,
  icon: theServer.icon,
  member_count: theServer.memberCount,
  ...presenceFields,
  privacy_level: theServer.privacyLevel,
  is_active: theServer.isActive,
  is_required_for_trust: theServer.isRequiredForTrust,
  is_general_server: theServer.isGeneralServer,
  created_at: theServer.createdAt,
  schools: jsonList(
    School,
    sql`(SELECT json_group_array(${namedJson(school)})
      FROM ${serverSchool} JOIN ${school} ON ${school.id} = ${serverSchool.schoolId}
        WHERE ${serverSchool.serverId} = ${theServer.id})`,
  ),
  subjects: jsonList(
    Subject,
    sql`(SELECT json_group_array(${namedJson(subject)})
      FROM ${serverSubject} JOIN ${subject} ON ${subject.id} = ${serverSubject.subjectId}
        WHERE ${serverSubject.serverId} = ${theServer.id})`,
  ),
  instructors: jsonList(
    Instructor,
    sql`(SELECT json_group_array(${namedJson(instructor)}) FROM ${serverInstructor}
      JOIN ${instructor} ON ${instructor.id} = ${serverInstructor.instructorId}
        WHERE ${serverInstructor.serverId} = ${theServer.id})`,
  ),
  courses: jsonList(
    Course,
    sql`(SELECT json_group_array(${courseJson}) FROM ${serverCourse} JOIN ${course} ON ${course.id} = ${serverCourse.courseId}
      JOIN ${subject} ON ${subject.id} = ${course.subjectId} WHERE ${serverCourse.serverId} = ${theServer.id})`,
  ),
}

export type ServerRow = RowOfFields<typeof serverFields>

export const byName = (one: Named, other: Named): number => naturalOrder(one.name, other.name) || one.id - other.id

export const byCourse = (one: Course, other: Course): number =>
  naturalOrder(one.code, other.code) || naturalOrder(one.level, other.level) || naturalOrder(one.title, other.title)

const isFresh = (countedAt: number | null) => countedAt !== null && countedAt > Date.now() - MAX_PRESENCE_AGE_MS

/** A server in the shape of pages and calls. @param cdnUrl the address of Discord's image host */
export function serverOf(row: ServerRow, cdnUrl: string): DiscordServer {
  return {
    id: row.id,
    server_id: row.server_id,
    name: row.name,
    display_name: row.custom_title || row.name,
    custom_title: row.custom_title,
    description: row.description,
    icon_url: iconAddress(cdnUrl, row.server_id, row.icon),
    member_count: row.member_count,
    presence: isFresh(row.online_counted_at) ? presenceOf(row) : null,
    privacy_level_info: privacyInfo(row.privacy_level),
    is_active: row.is_active,
    is_required_for_trust: row.is_required_for_trust,
    is_general_server: row.is_general_server,
    schools: row.schools.toSorted(byName),
    subjects: row.subjects.toSorted(byName),
    courses: row.courses.toSorted(byCourse),
    instructors: row.instructors.toSorted(byName),
    datetime_created: iso(row.created_at),
  }
}

export function existingServerOf(row: ServerRow, cdnUrl: string): ExistingServer {
  const {
    custom_title: _title,
    presence: _presence,
    is_general_server: _general,
    datetime_created: _created,
    ...server
  } = serverOf(row, cdnUrl)
  return server
}

export function privacyInfo(level: string): PrivacyLevelInfo {
  return level === 'private'
    ? { value: 'private', label: 'Private Server' }
    : { value: 'public', label: 'Public Server' }
}
