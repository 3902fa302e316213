import { naturalOrder } from '../../../client/components/natural-order.ts'
import { readTogether } from '../../db/read-together.ts'
import { notThere } from '../../web/refusal.ts'
import type { Course, Instructor, School, Subject } from '../contract.ts'
import { byCourse } from '../servers/server-row.ts'

const byName = (one: { name: string; id: number }, other: { name: string; id: number }) =>
  naturalOrder(one.name, other.name) || one.id - other.id

/** Schools that can be chosen: those that have subjects, by name. */
export const choosableSchools = `SELECT id, name FROM school WHERE EXISTS (SELECT 1 FROM subject WHERE school_id = school.id)
  ORDER BY name COLLATE NOCASE, id`

/** A school's subjects, by name. @throws notThere when there is no such school */
export async function subjectsOfSchool(db: D1Database, schoolId: number): Promise<Subject[]> {
  const [schools, subjects] = await readTogether<[School[], Subject[]]>(
    db,
    db.prepare('SELECT id, name FROM school WHERE id = ?').bind(schoolId),
    db.prepare('SELECT id, name FROM subject WHERE school_id = ?').bind(schoolId),
  )
  if (schools.length === 0) throw notThere('There is no such school.')
  return subjects.toSorted(byName)
}

const ownSubject = (db: D1Database, schoolId: number, subjectId: number) =>
  db.prepare('SELECT id, name FROM subject WHERE id = ? AND school_id = ?').bind(subjectId, schoolId)

/** Courses of a subject, by code and level. @throws notThere when the school has no such subject */
export async function coursesOfSubject(db: D1Database, schoolId: number, subjectId: number): Promise<Course[]> {
  const [subjects, courses] = await readTogether<[Subject[], Omit<Course, 'subject'>[]]>(
    db,
    ownSubject(db, schoolId, subjectId),
    db.prepare('SELECT id, code, level, title FROM course WHERE subject_id = ?').bind(subjectId),
  )
  const [subject] = subjects
  if (!subject) throw notThere('There is no such subject at this school.')
  return courses.map((course) => ({ ...course, subject: subject.name })).toSorted(byCourse)
}

/** Who teaches a subject, by name. @throws notThere when the school has no such subject */
export async function instructorsOfSubject(db: D1Database, schoolId: number, subjectId: number): Promise<Instructor[]> {
  const [subjects, instructors] = await readTogether<[Subject[], Instructor[]]>(
    db,
    ownSubject(db, schoolId, subjectId),
    db
      .prepare(
        `SELECT i.id, i.name FROM instructor_subject l JOIN instructor i ON i.id = l.instructor_id WHERE l.subject_id = ?`,
      )
      .bind(subjectId),
  )
  if (subjects.length === 0) throw notThere('There is no such subject at this school.')
  return instructors.toSorted(byName)
}
