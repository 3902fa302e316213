import { eq, type SQL, sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/sqlite-core'
import { type Database, query, read, readTogether, template } from '../../db/query.ts'
import { course, listingCount, listingCourse, listingSubject, school, subject } from '../../db/schema/index.ts'
import { notFound } from '../../web/refusal.ts'
import type { Course, School, Subject } from '../contract.ts'
import { byCourse, byName, named } from './server-row.ts'
import { isPrivacyShown } from './search-plan.ts'
import type { Scope } from './visibility.ts'

const u = alias(subject, 'u')

/** The rows of the stored counts that a scope includes: with one's own school first, those of its private servers, too. */
function isOfScope({ schoolId, isPrivate }: Counts, { schoolId: school, withPrivate, ownSchoolId }: Scope): SQL {
  const ofPrivate = withPrivate ? school : ownSchoolId
  const isPublicOne = sql`${schoolId} = ${school} AND ${isPrivate} = 0`
  return ofPrivate === undefined
    ? isPublicOne
    : sql`(${isPublicOne} OR ${schoolId} = ${ofPrivate} AND ${isPrivate} = 1)`
}

type Counts = typeof listingSubject | typeof listingCourse

/** By name; for all schools, each is followed by its school's name. Reads two rows per subject. */
export async function searchableSubjects(db: Database, scope: Scope): Promise<Subject[]> {
  const isOfAll = scope.schoolId === 0
  const isNeeded = isOfAll ? sql`true` : sql`false`
  const [found, schools] = await readTogether(
    db,
    template(
      { id: u.id, name: u.name, school_id: u.schoolId },
      (
        columns,
      ) => sql`SELECT DISTINCT ${columns} FROM ${listingSubject} CROSS JOIN ${subject} ${u} ON ${u.id} = ${listingSubject.subjectId}
        WHERE ${isOfScope(listingSubject, scope)}`,
    ),
    query.select(named(school)).from(school).where(isNeeded),
  )
  const schoolNames = new Map(schools.map(({ id, name }) => [id, name]))
  return found
    .map(({ id, name, school_id }) => ({ id, name: isOfAll ? `${name} (${schoolNames.get(school_id) ?? ''})` : name }))
    .toSorted(byName)
}

/** Schools with a public server, by name. Reads two rows per school. */
export async function searchableSchools(db: Database): Promise<School[]> {
  const isListed = sql`EXISTS (SELECT 1 FROM ${listingCount} WHERE ${listingCount.schoolId} = ${school.id}
    AND ${isPrivacyShown(listingCount.isPrivate, false)} AND ${listingCount.servers} > 0)`
  const found = await read(db, query.select(named(school)).from(school).where(isListed))
  return found.toSorted(byName)
}

/** By code and level. Reads all courses of the subject. @throws notFound for an unknown subject */
export async function searchableCourses(db: Database, scope: Scope, subjectId: number): Promise<Course[]> {
  const isListed = sql`EXISTS (SELECT 1 FROM ${listingCourse}
    WHERE ${isOfScope(listingCourse, scope)} AND ${listingCourse.courseId} = ${course.id})`
  const [subjects, found] = await readTogether(
    db,
    query.select({ id: subject.id }).from(subject).where(eq(subject.id, subjectId)),
    template(
      { id: course.id, code: course.code, level: course.level, title: course.title, subject: u.name },
      (columns) => sql`SELECT ${columns} FROM ${subject} ${u} CROSS JOIN ${course} ON ${course.subjectId} = ${u.id}
        WHERE ${u.id} = ${subjectId} AND ${isListed}`,
    ),
  )
  if (subjects.length === 0) throw notFound('There is no such subject.')
  return found.toSorted(byCourse)
}
