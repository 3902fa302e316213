import { insist } from '../../db/insist.ts'
import type { AdminChange, AdminPlan } from '../../web/admin-change.ts'
import { updateRow } from './statements.ts'

const between = ' | '

/** `instruction_list` as people type it: a line each, who and when. */
export const meetingsSql = `coalesce((SELECT group_concat(i.value ->> 'name' || '${between}' || (i.value ->> 'days_times'), char(10))
  FROM json_each(t.instruction_list) i), '')`

const linesOf = (text: string): string[] =>
  text.split('\n').flatMap((line) => (line.trim() === '' ? [] : [line.trim()]))

/** More meetings than a section has, each longer than anybody's name and days. */
const mostMeetings = 50
const longestMeeting = 500

export function refuseMeetings(text: string | number): string | null {
  const lines = linesOf(String(text))
  if (lines.length > mostMeetings) return `At most ${mostMeetings} meetings.`
  const wrong = lines.findIndex((line) => !/^.*\|/.test(line) || line.length > longestMeeting)
  if (wrong >= 0) return `Line ${wrong + 1} is not of the form: Ada Lovelace | MoWe 9:05AM - 10:20AM.`
  return null
}

function instructionOf(text: string): string {
  return JSON.stringify(
    linesOf(text).map((line) => {
      const [name = '', ...rest] = line.split('|')
      return { name: name.trim(), days_times: rest.join('|').trim() }
    }),
  )
}

const sameSchool = `EXISTS (
  SELECT 1 FROM school_term st, course k JOIN subject j ON j.id = k.subject_id
  WHERE st.id = ? AND k.id = ? AND j.school_id = st.school_id)`

/** A course of another school would be asked for where it is not taught. */
export async function saveSection({ DB }: Env, change: AdminChange): Promise<AdminPlan> {
  const { key, values, before } = change
  const { school_term_id = null, course_id = null, section = '', topic = '', instruction_mode = '' } = values
  const instruction_list = instructionOf(String(values['meetings'] ?? ''))
  const isOwn = insist(DB, sameSchool, [school_term_id, course_id], 'This course is of another school than the term.')
  const level = '(SELECT level FROM course WHERE id = ?)'
  if (key === null) {
    return {
      statements: [
        isOwn,
        addGroup(DB, school_term_id, course_id),
        DB.prepare(
          `INSERT INTO section (school_term_id, group_id, course_id, course_level, section_key, section, topic, status,
             instruction_list, instruction_mode, fingerprint, created_at)
           VALUES (?, (${groupOf}), ?, ${level}, ?, ?, ?, 'unknown', ?, ?, '', ?)`,
        ).bind(
          school_term_id,
          school_term_id,
          course_id,
          course_id,
          course_id,
          values['section_key'] ?? '',
          section,
          topic,
          instruction_list,
          instruction_mode,
          change.now,
        ),
      ],
    }
  }
  // What was typed as it stood is not written again: names may hold blanks that no form shows.
  const meetings = before?.['meetings'] === values['meetings'] ? {} : { instruction_list }
  const isMoved = before?.['course_id'] !== course_id
  return {
    statements: [
      isOwn,
      updateRow(DB, 'section', key, { section, topic, instruction_mode, ...meetings }),
      ...(isMoved
        ? [
            addGroup(DB, school_term_id, course_id),
            DB.prepare(
              `UPDATE section SET course_id = ?, course_level = ${level}, group_id = (${groupOf}) WHERE id = ?`,
            ).bind(course_id, course_id, school_term_id, course_id, key),
          ]
        : []),
    ],
  }
}

/** The search that finds a section of this term (first) and course (second). */
const groupOf = `SELECT min(g.id) FROM section_group g JOIN course k ON k.subject_id = g.subject_id WHERE g.school_term_id = ? AND k.id = ?`

function addGroup(db: D1Database, schoolTermId: string | number | null, courseId: string | number | null) {
  return db
    .prepare(
      `INSERT INTO section_group (source_id, school_term_id, subject_id)
       SELECT h.source_id, st.id, k.subject_id FROM school_term st JOIN school h ON h.id = st.school_id, course k
       WHERE st.id = ? AND k.id = ? AND NOT EXISTS (
         SELECT 1 FROM section_group g WHERE g.school_term_id = st.id AND g.subject_id = k.subject_id)`,
    )
    .bind(schoolTermId, courseId)
}
