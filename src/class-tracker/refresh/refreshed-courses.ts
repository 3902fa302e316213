import { eq, sql } from 'drizzle-orm'
import * as z from 'zod/mini'
import { query, read } from '../../db/query.ts'
import { course, section, sectionGroup, subject } from '../../db/schema/index.ts'
import { shownNumber } from '../courses/section-number.ts'
import type { RefreshedSections } from './contract.ts'
import { isRefreshed } from './section-groups.ts'

/** The most courses in a result; `courses_count` is the full count. */
const MAX_COURSES = 500

const Numbers = z.array(z.string())

/** The courses of the refreshed groups with their sections' numbers, in natural order ("CS 99" before "CS 101"). */
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
      .where(isRefreshed(schoolTermIds, subjectId))
      .groupBy(course.id)
      .orderBy(course.code, sql`CAST(${course.level} AS INTEGER)`, course.level)
      .limit(MAX_COURSES),
  )
  return {
    courses_count: rows[0]?.courses_count ?? 0,
    courses: rows.map(({ numbers, courses_count: _count, ...named }) => ({
      ...named,
      sections: Numbers.parse(JSON.parse(numbers))
        .toSorted()
        .map((number) => ({ number })),
    })),
  }
}
