import { readTogether } from '../../db/read-together.ts'
import { notThere } from '../../web/refusal.ts'
import type { Subject } from '../contract.ts'
import { naturalOrder } from './natural-order.ts'

const most = 5000

/**
 * Subjects a school offers in a term, by name; with school 0 those of all schools, each named with its school. Empty when
 * the school does not offer the term.
 * @throws notThere for an unknown school or term
 */
export async function getSubjects(db: D1Database, schoolId: number, termId: number): Promise<Subject[]> {
  const [terms, schools, subjects] = await readTogether<[unknown[], unknown[], Subject[]]>(
    db,
    db.prepare('SELECT 1 FROM term WHERE id = ?').bind(termId),
    db.prepare('SELECT 1 FROM school WHERE id = ?').bind(schoolId),
    schoolId === 0 ? subjectsOfAllSchools(db, termId) : subjectsOfSchool(db, schoolId, termId),
  )
  if (terms.length === 0) throw notThere(`Term id ${termId} not found`)
  if (schoolId !== 0 && schools.length === 0) throw notThere(`School id ${schoolId} not found`)
  return subjects.sort((left, right) => naturalOrder(left.name, right.name) || left.id - right.id)
}

function subjectsOfSchool(db: D1Database, schoolId: number, termId: number): D1PreparedStatement {
  return db
    .prepare(
      `SELECT j.id, j.name FROM subject j
       WHERE j.school_id = ?1 AND EXISTS (
         SELECT 1 FROM section_group g JOIN school_term st ON st.id = g.school_term_id
         WHERE g.subject_id = j.id AND st.school_id = ?1 AND st.term_id = ?2 AND st.is_available)
       LIMIT ?3`,
    )
    .bind(schoolId, termId, most)
}

function subjectsOfAllSchools(db: D1Database, termId: number): D1PreparedStatement {
  return db
    .prepare(
      `SELECT j.id, j.name || ' (' || h.name || ')' AS name
       FROM (SELECT DISTINCT g.subject_id FROM school_term st JOIN section_group g ON g.school_term_id = st.id
             WHERE st.term_id = ? AND st.is_available) offered
       JOIN subject j ON j.id = offered.subject_id
       JOIN school h ON h.id = j.school_id
       ORDER BY j.name, h.name LIMIT ?`,
    )
    .bind(termId, most)
}
