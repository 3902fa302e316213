import * as z from 'zod'
import { naturalOrder } from '../../../client/components/natural-order.ts'
import { iso } from '../../web/moment.ts'
import {
  Course,
  type DiscordServer,
  type ExistingServer,
  Instructor,
  type PrivacyLevelInfo,
  School,
  Subject,
} from '../contract.ts'
import { iconAddress } from '../discord/invite-answer.ts'

const named = (table: string, link: string, key: string) =>
  `(SELECT json_group_array(json_object('id', t.id, 'name', t.name)) FROM ${link} l JOIN ${table} t ON t.id = l.${key} WHERE l.server_id = s.id)`

/** Columns of {@link ServerRow} in a query where `s` is discord_server. Each card's lists come with its row, so that a page is one statement. */
export const serverColumns = `s.id, s.server_id, s.name, s.custom_title, s.description, s.icon, s.member_count, s.privacy_level,
  s.is_active, s.is_required_for_trust, s.is_general_server, s.created_at,
  ${named('school', 'server_school', 'school_id')} AS schools,
  ${named('subject', 'server_subject', 'subject_id')} AS subjects,
  ${named('instructor', 'server_instructor', 'instructor_id')} AS instructors,
  (SELECT json_group_array(json_object('id', t.id, 'code', t.code, 'level', t.level, 'title', t.title, 'subject', u.name))
   FROM server_course l JOIN course t ON t.id = l.course_id JOIN subject u ON u.id = t.subject_id WHERE l.server_id = s.id) AS courses`

export interface ServerRow {
  id: number
  server_id: string
  name: string
  custom_title: string
  description: string
  icon: string | null
  member_count: number
  privacy_level: string
  is_active: number
  is_required_for_trust: number
  is_general_server: number
  created_at: number
  /** JSON lists */
  schools: string
  subjects: string
  courses: string
  instructors: string
}

const byName = (one: { name: string }, other: { name: string }) => naturalOrder(one.name, other.name)

export const byCourse = (one: Course, other: Course): number =>
  naturalOrder(one.code, other.code) || naturalOrder(one.level, other.level) || naturalOrder(one.title, other.title)

/** A server as pages and calls show it. @param cdnUrl the address of Discord's image host */
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
    privacy_level_info: privacyInfo(row.privacy_level),
    is_active: row.is_active === 1,
    is_required_for_trust: row.is_required_for_trust === 1,
    is_general_server: row.is_general_server === 1,
    schools: z.array(School).parse(JSON.parse(row.schools)).toSorted(byName),
    subjects: z.array(Subject).parse(JSON.parse(row.subjects)).toSorted(byName),
    courses: z.array(Course).parse(JSON.parse(row.courses)).toSorted(byCourse),
    instructors: z.array(Instructor).parse(JSON.parse(row.instructors)).toSorted(byName),
    datetime_created: iso(row.created_at),
  }
}

export function existingServerOf(row: ServerRow, cdnUrl: string): ExistingServer {
  const {
    custom_title: _title,
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
