import { and, eq, type SQL, sql } from 'drizzle-orm'
import { isIn } from '../../db/json-argument.ts'
import { query, type RowOf, writeTogether } from '../../db/query.ts'
import { schoolTerm, sectionGroup, source, subject } from '../../db/schema/index.ts'
import type { Group } from '../../sources/source.ts'
import type { SchoolTerm } from './school-terms.ts'

/** Whether a group is one of a subject (0: of all) in one of these terms. */
export const isInScope = (schoolTermIds: readonly number[], subjectId: number): SQL | undefined =>
  and(
    isIn(sectionGroup.schoolTermId, schoolTermIds),
    subjectId === 0 ? undefined : eq(sectionGroup.subjectId, subjectId),
  )

/** The groups of some schools' terms, in order of their ids. @param subjectId 0: every subject */
export function findGroups(schoolTermIds: readonly number[], subjectId: number) {
  return query
    .select({
      id: sectionGroup.id,
      school_term_id: sectionGroup.schoolTermId,
      subject_id: sectionGroup.subjectId,
      career: sectionGroup.career,
      subject_key: subject.key,
      subject_name: subject.name,
    })
    .from(sectionGroup)
    .innerJoin(subject, eq(subject.id, sectionGroup.subjectId))
    .where(isInScope(schoolTermIds, subjectId))
    .orderBy(sectionGroup.id)
}

export type GroupRow = RowOf<ReturnType<typeof findGroups>>

/** A group as its school is asked for it. */
export function groupOf({ scope }: SchoolTerm, { subject_key, subject_name, career }: GroupRow): Group {
  return { ...scope, subject: subject_key, subject_name, career }
}

/** Records when and by whom terms were refreshed, and how many sections they have; not for one subject alone. */
export async function rememberRefresh(
  db: D1Database,
  schoolTerms: ReadonlyMap<number, SchoolTerm>,
  { subject_id, by }: { subject_id: number; by: string },
  now: number,
): Promise<void> {
  if (subject_id !== 0) return
  const sourceIds = new Set([...schoolTerms.values()].map((one) => one.source_id))
  const sections = sql`(SELECT sum(${sectionGroup.sectionCount}) FROM ${sectionGroup} WHERE ${sectionGroup.schoolTermId} = ${schoolTerm.id})`
  await writeTogether(db, [
    query
      .update(schoolTerm)
      .set({ sectionsRefreshedAt: now, sectionCount: sections })
      .where(isIn(schoolTerm.id, [...schoolTerms.keys()])),
    query
      .update(source)
      .set({ sectionsRefreshedAt: now, sectionsRefreshedBy: by })
      .where(isIn(source.id, [...sourceIds])),
  ])
}
