import { type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import * as z from 'zod/mini'
import type { RowOfFields } from '../../db/query.ts'
import { course, school, schoolTerm, section, sectionGroup, source, subject, term } from '../../db/schema/index.ts'
import { isoOrNull } from '../../lib/time.ts'
import { parseOr } from '../../lib/fallbacks.ts'
import { type CourseSection, InstructionEntry, SectionStatus } from './contract.ts'
import { detailFields, sectionDetails } from './section-details.ts'
import { observedAtOf, statusNowOf } from './observed-at.ts'
import { sources } from '../../sources/sources.ts'

/** The number by which people know a section; most systems also use it as the key. */
export const shownNumber = sql<string>`iif(${section.number} = '', ${section.sectionKey}, ${section.number})`

/** How many seats of a section, or of an alias of it, anyone may take now; null if unknown. */
export const seatsLeftOf = (s: Record<'seatsForAnyone' | 'seatsAvailable', SQLWrapper>): SQL<number | null> =>
  sql`coalesce(${s.seatsForAnyone}, ${s.seatsAvailable})`

/** {@link seatsLeftOf} the table itself. */
export const seatsLeft = seatsLeftOf(section)

/** What this kind of system calls a section's number: "CRN". */
export function numberLabel(kind: string): string {
  return sources.get(kind)?.number_label ?? 'Number'
}

/** What a shown section needs, from `section` and {@link joinCourse}. Prefixed, because rows also have others. */
export const sectionFields = {
  section_id: section.id,
  section_number: shownNumber,
  section_code: section.section,
  section_topic: section.topic,
  section_status: statusNowOf(section),
  section_seats: section.seatsAvailable,
  section_seats_for_anyone: section.seatsForAnyone,
  section_capacity: section.capacity,
  section_waitlist: section.waitlistAvailable,
  section_instruction: section.instructionList,
  section_observed_at: observedAtOf(section, sectionGroup),
  course_id: course.id,
  course_code: course.code,
  course_level: course.level,
  course_title: course.title,
  course_subject: subject.name,
  term_id: term.id,
  term_name: term.fullTermName,
}

/** A section's name, where its course is joined. */
export const sectionName = sql`${course.code} || ' ' || ${course.level} || '-' || ${section.section}`

/** {@link sectionFields} and the section's other details. */
export const detailedFields = { ...sectionFields, ...detailFields }

/** Joins a section with its group, course, subject, school term and term. */
export const joinCourse: SQL = sql`JOIN ${sectionGroup} ON ${sectionGroup.id} = ${section.groupId}
  JOIN ${course} ON ${course.id} = ${section.courseId}
  JOIN ${subject} ON ${subject.id} = ${course.subjectId}
  JOIN ${schoolTerm} ON ${schoolTerm.id} = ${section.schoolTermId}
  JOIN ${term} ON ${term.id} = ${schoolTerm.termId}`

/** The same with its school and source. */
export const joinSource: SQL = sql`${joinCourse}
  JOIN ${school} ON ${school.id} = ${schoolTerm.schoolId}
  JOIN ${source} ON ${source.id} = ${school.sourceId}`

const instructionsIn = parseOr(z.array(InstructionEntry), [])
/** Teachers with their times, as `section.instructionList` holds them. */
export const instructionOf = (json: string): InstructionEntry[] => instructionsIn(JSON.parse(json))

/** The status in a row; one that this version of the product does not have counts as unknown. */
export const statusIn = parseOr(SectionStatus, 'unknown')

/** The section as a call shows it. @param kind of its source */
export function courseSectionOf(row: RowOfFields<typeof detailedFields>, kind: string): CourseSection {
  const details = sectionDetails(row)
  return { ...sectionOf(row, kind), ...(details.length > 0 && { details }) }
}

/** The section as lists show it, without its details. */
export function sectionOf(row: RowOfFields<typeof sectionFields>, kind: string): Omit<CourseSection, 'details'> {
  return {
    id: row.section_id,
    number: row.section_number,
    number_label: numberLabel(kind),
    section: row.section_code,
    topic: row.section_topic,
    status: statusIn(row.section_status),
    seats_available: row.section_seats,
    ...(row.section_seats_for_anyone !== null && { seats_for_anyone: row.section_seats_for_anyone }),
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
    instruction_list: instructionOf(row.section_instruction),
  }
}

/** 'CODE LEVEL-section' */
export function nameOf(
  row: Pick<RowOfFields<typeof sectionFields>, 'course_code' | 'course_level' | 'section_code'>,
): string {
  const course = [row.course_code, row.course_level].filter((part) => part !== '').join(' ')
  return row.section_code === '' ? course : `${course}-${row.section_code}`
}
