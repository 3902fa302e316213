import * as z from 'zod'
import { iso, isoOrNull } from '../../web/moment.ts'
import { Course, Instructor, type PendingInvite, type School, type Subject } from '../contract.ts'
import { iconAddress } from '../discord/invite-answer.ts'
import { byCourse, privacyInfo } from '../servers/server-row.ts'
import { inviteAddress } from './invite-link.ts'

/** Columns of {@link SubmittedRow} in a query where `i` is invite and `s` its discord_server. */
export const submittedColumns = `i.id, i.code, i.notes_md, i.is_valid, i.uses_count, i.expires_at, i.created_at, i.privacy_level,
  s.server_id AS guild_id, COALESCE(NULLIF(s.custom_title, ''), s.name) AS display_name, s.icon`

export interface SubmittedRow {
  id: number
  code: string
  notes_md: string
  is_valid: number
  uses_count: number
  expires_at: number | null
  created_at: number
  privacy_level: string
  guild_id: string
  display_name: string
  icon: string | null
}

/** What every list of submissions shows of one. */
export function submittedOf(row: SubmittedRow, cdnUrl: string) {
  return {
    id: row.id,
    invite_url: inviteAddress(row.code),
    notes_md: row.notes_md,
    is_valid: row.is_valid === 1,
    datetime_created: iso(row.created_at),
    discord_server: {
      display_name: row.display_name,
      icon_url: iconAddress(cdnUrl, row.guild_id, row.icon),
      privacy_level_info: privacyInfo(row.privacy_level),
    },
  }
}

/** Further columns of {@link PendingRow}, with `d` the submitter's discord_user. */
export const pendingColumns = `${submittedColumns}, d.display_name AS submitter_name, d.role,
  NOT EXISTS (SELECT 1 FROM invite o WHERE o.server_id = i.server_id AND o.state = 'approved') AS is_new_server,
  (SELECT json_object('id', t.id, 'name', t.name) FROM school t WHERE t.id = i.school_id) AS school,
  (SELECT json_object('id', t.id, 'name', t.name) FROM subject t WHERE t.id = i.subject_id) AS subject,
  (SELECT json_group_array(json_object('id', t.id, 'code', t.code, 'level', t.level, 'title', t.title, 'subject', u.name))
   FROM invite_course l JOIN course t ON t.id = l.course_id JOIN subject u ON u.id = t.subject_id WHERE l.invite_id = i.id) AS courses,
  (SELECT json_group_array(json_object('id', t.id, 'name', t.name))
   FROM invite_instructor l JOIN instructor t ON t.id = l.instructor_id WHERE l.invite_id = i.id) AS instructors`

export interface PendingRow extends SubmittedRow {
  submitter_name: string | null
  role: string | null
  is_new_server: number
  school: string | null
  subject: string | null
  courses: string
  instructors: string
}

export function pendingInviteOf(row: PendingRow, cdnUrl: string): PendingInvite {
  const isManager = row.role === 'manager'
  return {
    ...submittedOf(row, cdnUrl),
    uses_count: row.uses_count,
    is_unlimited: row.expires_at === null,
    expires_at: isoOrNull(row.expires_at),
    submitter: {
      display_name: row.submitter_name ?? 'A deleted account',
      role_info: isManager
        ? { value: 'manager', label: 'Discord Manager' }
        : { value: 'regular', label: 'Regular User' },
    },
    is_new_server: row.is_new_server === 1,
    school: row.school === null ? null : (JSON.parse(row.school) as School),
    subject: row.subject === null ? null : (JSON.parse(row.subject) as Subject),
    courses: z.array(Course).parse(JSON.parse(row.courses)).toSorted(byCourse),
    instructors: z.array(Instructor).parse(JSON.parse(row.instructors)),
  }
}
