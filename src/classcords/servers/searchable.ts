import { naturalOrder } from '../../../client/components/natural-order.ts'
import { readTogether } from '../../db/read-together.ts'
import type { Course, Subject } from '../contract.ts'
import { byCourse } from './server-row.ts'
import type { Scope } from './visibility.ts'

/** Whether a server somebody is shown has the subject or course: the first one found is enough. */
const isShown = (link: string, key: string, { withPrivate }: Scope) => `EXISTS (
  SELECT 1 FROM ${link} k JOIN listing l ON l.school_id = ?1 AND l.server_id = k.server_id ${withPrivate ? '' : 'AND NOT l.is_private'}
  WHERE k.${key})`

/** Subjects of the servers somebody is shown, by name: none that would find nothing. Of all schools, each says whose it is. */
export async function searchableSubjects(db: D1Database, scope: Scope): Promise<Subject[]> {
  const [found] = await readTogether<[Subject[]]>(
    db,
    db
      .prepare(
        `SELECT u.id, iif(?1 = 0, u.name || ' (' || h.name || ')', u.name) AS name
       FROM subject u JOIN school h ON h.id = u.school_id WHERE ${isShown('server_subject', 'subject_id = u.id', scope)}`,
      )
      .bind(scope.schoolId),
  )
  return found.toSorted((one, other) => naturalOrder(one.name, other.name) || one.id - other.id)
}

/** Courses of a subject that the servers somebody is shown have, by code and level. */
export async function searchableCourses(db: D1Database, scope: Scope, subjectId: number): Promise<Course[]> {
  const [found] = await readTogether<[Course[]]>(
    db,
    db
      .prepare(
        `SELECT c.id, c.code, c.level, c.title, u.name AS subject FROM course c JOIN subject u ON u.id = c.subject_id
       WHERE c.subject_id = ?2 AND ${isShown('server_course', 'course_id = c.id', scope)}`,
      )
      .bind(scope.schoolId, subjectId),
  )
  return found.toSorted(byCourse)
}
