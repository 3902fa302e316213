import type { RefreshedSections } from '../contract.ts'

/** Courses a result shows at most; `courses_count` tells how many there are. */
const most = 500

/** The courses of the refreshed groups with their sections' numbers, in natural order ("CS 99" before "CS 101"). */
export async function refreshedCourses(
  db: D1Database,
  schoolTermIds: readonly number[],
  subjectId: number,
): Promise<Pick<RefreshedSections, 'courses' | 'courses_count'>> {
  const rows = await db
    .prepare(
      `SELECT c.id, c.code, c.level, c.title, json_group_array(s.section_key) AS numbers, count(*) OVER () AS courses_count
       FROM section_group g JOIN section s ON s.group_id = g.id AND s.missing_since IS NULL JOIN course c ON c.id = s.course_id
       WHERE g.school_term_id IN (SELECT value FROM json_each(?)) AND (? = 0 OR g.subject_id = ?)
       GROUP BY c.id ORDER BY c.code, CAST(c.level AS INTEGER), c.level LIMIT ?`,
    )
    .bind(JSON.stringify(schoolTermIds), subjectId, subjectId, most)
    .all<{ id: number; code: string; level: string; title: string; numbers: string; courses_count: number }>()
  return {
    courses_count: rows.results[0]?.courses_count ?? 0,
    courses: rows.results.map(({ id, code, level, title, numbers }) => ({
      id,
      code,
      level,
      title,
      sections: (JSON.parse(numbers) as string[]).toSorted().map((number) => ({ number })),
    })),
  }
}
