import { eq, sql } from 'drizzle-orm'
import { naturalOrder } from '../../../client/components/natural-order.ts'
import { prepared, query, type Query, readTogether, template, parameter } from '../../db/query.ts'
import { school, schoolTerm, sectionGroup, source, subject } from '../../db/schema/index.ts'
import { notFound } from '../../web/refusal.ts'
import type { Subject } from './contract.ts'
import { findSchool, findTerm } from './schools.ts'

const MAX_SUBJECTS = 5000

/**
 * Subjects by name; school 0: of all schools, each named. Empty for a term not offered.
 * @throws notFound for an unknown school or term
 */
export async function getSubjects(db: D1Database, schoolId: number, termId: number): Promise<Subject[]> {
  const [[term], [school], subjects] = await readTogether(
    db,
    findTerm({ id: termId }),
    findSchool({ id: schoolId }),
    findOfferedSubjects(schoolId, termId),
  )
  if (!term) throw notFound(`Term id ${termId} not found`)
  if (schoolId !== 0 && !school) throw notFound(`School id ${schoolId} not found`)
  return subjects.sort(bySubject)
}

/** The rows of {@link getSubjects}, without an order. */
export const findOfferedSubjects = (schoolId: number, termId: number): Query<Subject> =>
  schoolId === 0 ? findSubjectsOfAllSchools({ termId }) : findSubjectsOfSchool({ schoolId, termId })

export const bySubject = (left: Subject, right: Subject): number =>
  naturalOrder(left.name, right.name) || left.id - right.id

/** The subject, its school and the kind of its source, or no row if it does not exist. */
export const findSubject = prepared(() =>
  query
    .select({
      id: subject.id,
      name: subject.name,
      school_id: subject.schoolId,
      school_name: school.name,
      source_kind: source.kind,
    })
    .from(subject)
    .innerJoin(school, eq(school.id, subject.schoolId))
    .innerJoin(source, eq(source.id, school.sourceId))
    .where(eq(subject.id, parameter('id'))),
)

const findSubjectsOfSchool = prepared(() => {
  const schoolId = parameter('schoolId')
  return template(
    { id: subject.id, name: subject.name },
    (columns) => sql`SELECT ${columns} FROM ${subject}
      WHERE ${subject.schoolId} = ${schoolId} AND EXISTS (
        SELECT 1 FROM ${sectionGroup} JOIN ${schoolTerm} ON ${schoolTerm.id} = ${sectionGroup.schoolTermId}
        WHERE ${sectionGroup.subjectId} = ${subject.id} AND ${schoolTerm.schoolId} = ${schoolId}
          AND ${schoolTerm.termId} = ${parameter('termId')} AND ${schoolTerm.isAvailable})
      LIMIT ${MAX_SUBJECTS}`,
  )
})

const findSubjectsOfAllSchools = prepared(() =>
  template(
    { id: subject.id, name: sql<string>`${subject.name} || ' (' || ${school.name} || ')'` },
    (columns) => sql`SELECT ${columns}
      FROM (SELECT DISTINCT ${sectionGroup.subjectId} AS id
            FROM ${schoolTerm} JOIN ${sectionGroup} ON ${sectionGroup.schoolTermId} = ${schoolTerm.id}
            WHERE ${schoolTerm.termId} = ${parameter('termId')} AND ${schoolTerm.isAvailable}) offered
      JOIN ${subject} ON ${subject.id} = offered.id
      JOIN ${school} ON ${school.id} = ${subject.schoolId}
      ORDER BY ${subject.name}, ${school.name} LIMIT ${MAX_SUBJECTS}`,
  ),
)
