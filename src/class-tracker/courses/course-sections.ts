import { sql } from 'drizzle-orm'
import { naturalOrder } from '../../../client/components/natural-order.ts'
import { prepared, readTogether, template, parameter } from '../../db/query.ts'
import { course, schoolTerm, section, sectionGroup } from '../../db/schema/index.ts'
import { notFound } from '../../web/refusal.ts'
import type { CourseSection } from './contract.ts'
import { findTerm } from './schools.ts'
import { courseSectionOf, detailedFields, joinCourse } from './section-row.ts'
import { findSubject } from './subjects.ts'

const MAX_SECTIONS = 3000

/** Sections that are still listed, in natural order; empty if the term is not offered. @throws notFound if unknown */
export async function getCourseSections(db: D1Database, termId: number, subjectId: number): Promise<CourseSection[]> {
  const [[term], [subject], sections] = await readTogether(
    db,
    findTerm({ id: termId }),
    findSubject({ id: subjectId }),
    findListedSections({ subjectId, termId }),
  )
  if (!term) throw notFound(`Term id ${termId} not found`)
  if (!subject) throw notFound(`Subject id ${subjectId} not found`)
  return sections.map((section) => courseSectionOf(section, subject.source_kind)).sort(bySection)
}

/** By course, then section code, then the school's own number. */
function bySection(left: CourseSection, right: CourseSection): number {
  return (
    naturalOrder(left.course.code, right.course.code) ||
    naturalOrder(left.course.level, right.course.level) ||
    left.course.id - right.course.id ||
    naturalOrder(left.section, right.section) ||
    naturalOrder(left.number, right.number)
  )
}

const findListedSections = prepared(() =>
  template(
    detailedFields,
    (columns) => sql`SELECT ${columns} FROM ${section} ${joinCourse}
      WHERE ${sectionGroup.subjectId} = ${parameter('subjectId')} AND ${schoolTerm.termId} = ${parameter('termId')}
        AND ${schoolTerm.isAvailable} AND ${section.missingSince} IS NULL
      ORDER BY ${course.code}, ${course.level}, ${section.section} LIMIT ${MAX_SECTIONS}`,
  ),
)
