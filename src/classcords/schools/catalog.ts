import { and, eq, sql } from 'drizzle-orm'
import { type Database, prepared, query, readTogether } from '../../db/query.ts'
import { course, instructor, instructorSubject, school, subject } from '../../db/schema/index.ts'
import { notFound } from '../../web/refusal.ts'
import type { Course, Instructor, Subject } from '../contract.ts'
import { byCourse, byName, named } from '../servers/server-row.ts'

/** Schools that can be selected, by name: those with subjects. */
export const findChoosableSchools = prepared(() =>
  query
    .select(named(school))
    .from(school)
    .where(sql`EXISTS (SELECT 1 FROM ${subject} WHERE ${subject.schoolId} = ${school.id})`)
    .orderBy(sql`${school.name} COLLATE NOCASE`, school.id),
)

export const findSchool = (schoolId: number) => query.select(named(school)).from(school).where(eq(school.id, schoolId))

/** A school's subjects, by name. @throws notFound when there is no such school */
export async function subjectsOfSchool(db: Database, schoolId: number): Promise<Subject[]> {
  const [schools, subjects] = await readTogether(
    db,
    findSchool(schoolId),
    query.select(named(subject)).from(subject).where(eq(subject.schoolId, schoolId)),
  )
  if (schools.length === 0) throw notFound('There is no such school.')
  return subjects.toSorted(byName)
}

function findSubject(schoolId: number, subjectId: number) {
  const isOfSchool = and(eq(subject.id, subjectId), eq(subject.schoolId, schoolId))
  return query.select(named(subject)).from(subject).where(isOfSchool)
}

/** Courses of a subject, by code and level. @throws notFound when the school has no such subject */
export async function coursesOfSubject(db: Database, schoolId: number, subjectId: number): Promise<Course[]> {
  const fields = { id: course.id, code: course.code, level: course.level, title: course.title }
  const [subjects, courses] = await readTogether(
    db,
    findSubject(schoolId, subjectId),
    query.select(fields).from(course).where(eq(course.subjectId, subjectId)),
  )
  const [found] = subjects
  if (!found) throw notFound('There is no such subject at this school.')
  return courses.map((row) => ({ ...row, subject: found.name })).toSorted(byCourse)
}

/** Who teaches a subject, by name. @throws notFound when the school has no such subject */
export async function instructorsOfSubject(db: Database, schoolId: number, subjectId: number): Promise<Instructor[]> {
  const [subjects, instructors] = await readTogether(
    db,
    findSubject(schoolId, subjectId),
    query
      .select(named(instructor))
      .from(instructorSubject)
      .innerJoin(instructor, eq(instructor.id, instructorSubject.instructorId))
      .where(eq(instructorSubject.subjectId, subjectId)),
  )
  if (subjects.length === 0) throw notFound('There is no such subject at this school.')
  return instructors.toSorted(byName)
}
