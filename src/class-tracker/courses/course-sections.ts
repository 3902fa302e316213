import { readTogether } from '../../db/read-together.ts'
import { notThere } from '../../web/refusal.ts'
import type { CourseSection } from '../contract.ts'
import { bySection } from './natural-order.ts'
import { courseSectionOf, sectionColumns, sectionTables, type SectionRow } from './section-row.ts'

const most = 3000

/**
 * Sections of a subject in a term, in natural order. A subject belongs to one school, so no school is asked for. Those the school
 * lists no longer are left out; empty when it does not offer the term.
 * @throws notThere for an unknown term or subject
 */
export async function getCourseSections(db: D1Database, termId: number, subjectId: number): Promise<CourseSection[]> {
  const [terms, subjects, sections] = await readTogether<[unknown[], unknown[], SectionRow[]]>(
    db,
    db.prepare('SELECT 1 FROM term WHERE id = ?').bind(termId),
    db.prepare('SELECT 1 FROM subject WHERE id = ?').bind(subjectId),
    db
      .prepare(
        `SELECT ${sectionColumns} FROM section s ${sectionTables}
         WHERE g.subject_id = ? AND st.term_id = ? AND st.is_available AND s.missing_since IS NULL
         ORDER BY c.code, c.level, s.section LIMIT ?`,
      )
      .bind(subjectId, termId, most),
  )
  if (terms.length === 0) throw notThere(`Term id ${termId} not found`)
  if (subjects.length === 0) throw notThere(`Subject id ${subjectId} not found`)
  return sections.map(courseSectionOf).sort(bySection)
}
