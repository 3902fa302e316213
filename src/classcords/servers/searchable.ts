import { naturalOrder } from '../../../client/components/natural-order.ts'
import { readTogether } from '../../db/read-together.ts'
import type { Course, School, Subject } from '../contract.ts'
import { byCourse } from './server-row.ts'
import { privacyOf } from './search-plan.ts'
import type { Scope } from './visibility.ts'

/**
 * Subjects of the servers somebody is shown, by name: none that would find nothing. Of all schools, each says whose it is. It reads two
 * rows a subject.
 */
export async function searchableSubjects(db: D1Database, scope: Scope): Promise<Subject[]> {
  const isOfAll = scope.schoolId === 0
  const [found, schools] = await readTogether<[(Subject & { school_id: number })[], School[]]>(
    db,
    db
      .prepare(
        `SELECT DISTINCT u.id, u.name, u.school_id FROM listing_subject k CROSS JOIN subject u ON u.id = k.subject_id
         WHERE k.school_id = ? AND ${privacyOf(scope, 'k.')}`,
      )
      .bind(scope.schoolId),
    db.prepare(`SELECT id, name FROM school WHERE ${isOfAll ? 'true' : 'false'}`),
  )
  const schoolNames = new Map(schools.map(({ id, name }) => [id, name]))
  return found
    .map(({ id, name, school_id }) => ({ id, name: isOfAll ? `${name} (${schoolNames.get(school_id) ?? ''})` : name }))
    .toSorted((one, other) => naturalOrder(one.name, other.name) || one.id - other.id)
}

/** Courses of a subject that the servers somebody is shown have, by code and level. It reads the subject's courses. */
export async function searchableCourses(db: D1Database, scope: Scope, subjectId: number): Promise<Course[]> {
  const [found] = await readTogether<[Course[]]>(
    db,
    db
      .prepare(
        `SELECT c.id, c.code, c.level, c.title, u.name AS subject FROM subject u CROSS JOIN course c ON c.subject_id = u.id
         WHERE u.id = ?2 AND EXISTS (
           SELECT 1 FROM listing_course k WHERE k.school_id = ?1 AND ${privacyOf(scope, 'k.')} AND k.course_id = c.id)`,
      )
      .bind(scope.schoolId, subjectId),
  )
  return found.toSorted(byCourse)
}
