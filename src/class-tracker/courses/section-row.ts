import * as z from 'zod'
import { isoOrNull } from '../../web/moment.ts'
import { type CourseSection, InstructionEntry, SectionStatus } from '../contract.ts'
import { observedAt, statusNow } from './observed-at.ts'

/**
 * What a section is shown from: columns for a SELECT over {@link sectionTables}. Every name begins with `section_`,
 * `course_`, `term_` or `group_`, so that a row can hold more beside it.
 */
export const sectionColumns = `s.id AS section_id, s.section_key, s.section AS section_code, s.topic AS section_topic,
  ${statusNow} AS section_status, s.seats_available AS section_seats, s.capacity AS section_capacity,
  s.waitlist_available AS section_waitlist, s.instruction_list AS section_instruction, ${observedAt} AS section_observed_at,
  c.id AS course_id, c.code AS course_code, c.level AS course_level, c.title AS course_title, j.name AS course_subject,
  t.id AS term_id, t.full_term_name AS term_name`

/** Joins from `section s` to all that {@link sectionColumns} names. `st` is the school's own term. */
export const sectionTables = `JOIN section_group g ON g.id = s.group_id
  JOIN course c ON c.id = s.course_id
  JOIN subject j ON j.id = c.subject_id
  JOIN school_term st ON st.id = s.school_term_id
  JOIN term t ON t.id = st.term_id`

export interface SectionRow {
  section_id: number
  section_key: string
  section_code: string
  section_topic: string
  section_status: string
  section_seats: number | null
  section_capacity: number | null
  section_waitlist: number | null
  section_instruction: string
  section_observed_at: number | null
  course_id: number
  course_code: string
  course_level: string
  course_title: string
  course_subject: string
  term_id: number
  term_name: string
}

const InstructionList = z.array(InstructionEntry)

/** The section as a call shows it. */
export function courseSectionOf(row: SectionRow): CourseSection {
  return {
    id: row.section_id,
    number: row.section_key,
    section: row.section_code,
    topic: row.section_topic,
    status: SectionStatus.catch('unknown').parse(row.section_status),
    seats_available: row.section_seats,
    capacity: row.section_capacity,
    waitlist_available: row.section_waitlist,
    observed_at: isoOrNull(row.section_observed_at),
    term: { id: row.term_id, full_term_name: row.term_name },
    course: {
      id: row.course_id,
      code: row.course_code,
      level: row.course_level,
      title: row.course_title,
      subject: row.course_subject,
    },
    instruction_list: InstructionList.parse(JSON.parse(row.section_instruction)),
  }
}
