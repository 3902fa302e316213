import { eq, sql } from 'drizzle-orm'
import { query, read } from '../../db/query.ts'
import { course, section, sectionGroup, subject } from '../../db/schema/index.ts'
import { counted } from '../../lib/text.ts'
import { defineJob, PermanentFailure, runAgain } from '../../jobs/job.ts'
import { RefreshInput, RefreshRun } from './refresh-run.ts'
import { firstSentences, inOneLine, refreshLimit } from './require-answers.ts'
import { schoolTermsOf } from './school-terms.ts'
import { findGroups, isInScope, rememberRefresh } from './section-groups.ts'
import type { RefreshedSections } from './contract.ts'
import { shownNumber } from '../courses/section-row.ts'

/** Reads every section of the chosen groups and writes what is new or changed, in runs of 20 s until done. */
export const refreshSections = defineJob({
  name: 'refresh-sections',
  queue: 'refresh',
  input: RefreshInput,
  limit: refreshLimit,
  async run(context, input) {
    const { env, now, progress } = context
    const schoolTerms = new Map(
      (await schoolTermsOf(env.DB, input.school_id, input.term_id)).map((one) => [one.id, one]),
    )
    const groups = await read(env.DB, findGroups([...schoolTerms.keys()], input.subject_id))
    const refresh = new RefreshRun(context, input, { schoolTerms, groups })
    const continueAt = await refresh.read()
    if (continueAt !== null) return runAgain(continueAt, await refresh.nextInput())
    const { believed, down, failures, skipped, kept } = refresh.progress
    const answered = new Map([...schoolTerms].filter(([id]) => !down.includes(id)))
    if (groups.length > 0 && (believed === 0 || answered.size === 0))
      throw new PermanentFailure(inOneLine(failures.slice(-3)))
    await rememberRefresh(env.DB, answered, input, now())
    await progress(groups.length, groups.length, 'Done')
    return {
      ...(await refreshedCourses(env.DB, [...schoolTerms.keys()], input.subject_id)),
      failures: firstSentences([...failures, ...skipped]),
      warnings: firstSentences(Object.entries(kept).map(keptSentence)),
    }
  },
})

/** "Harbor State, Fall 2026: 40 sections came without a title, meetings or course. The stored data was kept." */
function keptSentence([label, count]: [string, number]): string {
  return `${label}: ${counted(count, 'section')} came without a title, meetings or course. The stored data was kept.`
}

/** The most courses in a result, and their length as JSON: a longer result of a job would be cut off. */
const MAX_COURSES = 500
const MAX_LENGTH = 80_000

/**
 * The first courses of the refreshed groups with their sections' numbers, in natural order ("CS 99" before "CS 101");
 * `courses_count` is the full count.
 */
export async function refreshedCourses(
  db: D1Database,
  schoolTermIds: readonly number[],
  subjectId: number,
): Promise<Pick<RefreshedSections, 'courses' | 'courses_count'>> {
  const rows = await read(
    db,
    query
      .select({
        id: course.id,
        code: course.code,
        level: course.level,
        title: course.title,
        subject: subject.name,
        numbers: sql<string>`json_group_array(${shownNumber})`,
        courses_count: sql<number>`count(*) OVER ()`,
      })
      .from(sectionGroup)
      .innerJoin(section, sql`${section.groupId} = ${sectionGroup.id} AND ${section.missingSince} IS NULL`)
      .innerJoin(course, eq(course.id, section.courseId))
      .innerJoin(subject, eq(subject.id, course.subjectId))
      .where(isInScope(schoolTermIds, subjectId))
      .groupBy(course.id)
      .orderBy(course.code, sql`CAST(${course.level} AS INTEGER)`, course.level)
      .limit(MAX_COURSES),
  )
  const courses: RefreshedSections['courses'] = []
  let length = 0
  for (const { numbers, courses_count: _count, ...named } of rows) {
    const sections = (JSON.parse(numbers) as string[]).toSorted().map((number) => ({ number }))
    length += JSON.stringify({ ...named, sections }).length
    if (length > MAX_LENGTH) break
    courses.push({ ...named, sections })
  }
  return { courses, courses_count: rows[0]?.courses_count ?? 0 }
}
