import { sql } from 'drizzle-orm'
import * as z from 'zod/mini'
import { excluded, into, prepared, query, read, statement, template, writeTogether } from '../../db/query.ts'
import {
  course,
  instructor,
  instructorRefresh,
  instructorSubject,
  schoolTerm,
  section,
  subject,
} from '../../db/schema/index.ts'
import { enqueueMany } from '../../jobs/enqueue.ts'
import { defineJob, type Schedule } from '../../jobs/job.ts'
import { everyMinutes } from '../../jobs/schedules.ts'

/** Reads who teaches what at a school from a term's sections. Instructors are not removed, because they may teach again. */
export const refreshInstructors = defineJob({
  name: 'refresh-instructors',
  queue: 'maintenance',
  input: z.object({ school_term_id: z.number(), sections_refreshed_at: z.number() }),
  limit: { attempts: 3, run_seconds: 20, retry_seconds: [60] },
  async run({ env }, { school_term_id, sections_refreshed_at }) {
    const name = sql`trim(entry.value ->> 'name')`
    const taught = sql`FROM ${section} JOIN ${course} ON ${course.id} = ${section.courseId} JOIN ${subject} ON ${subject.id} = ${course.subjectId},
        json_each(${section.instructionList}) entry
      WHERE ${section.schoolTermId} = ${school_term_id} AND trim(COALESCE(entry.value ->> 'name', '')) <> ''`
    const { subjectId, instructorId } = instructorSubject
    const [instructors, subjects] = await writeTogether(env.DB, [
      statement(sql`INSERT INTO ${into(instructor, instructor.schoolId, instructor.name)}
        SELECT DISTINCT ${subject.schoolId}, ${name} ${taught} ON CONFLICT DO NOTHING`),
      statement(sql`INSERT INTO ${into(instructorSubject, subjectId, instructorId)}
        SELECT t.subject, ${instructor.id}
        FROM (SELECT DISTINCT ${subject.id} AS subject, ${subject.schoolId} AS school, ${name} AS name ${taught}) t
        JOIN ${instructor} ON ${instructor.schoolId} = t.school AND ${instructor.name} = t.name
        WHERE true ON CONFLICT DO NOTHING`),
      query
        .insert(instructorRefresh)
        .values({ schoolTermId: school_term_id, sectionsRefreshedAt: sections_refreshed_at })
        .onConflictDoUpdate({
          target: instructorRefresh.schoolTermId,
          set: { sectionsRefreshedAt: excluded(instructorRefresh.sectionsRefreshedAt) },
        }),
    ])
    return { instructors: instructors.changes, subjects: subjects.changes }
  },
})

const findNewerTerms = prepared(() => {
  const { sectionsRefreshedAt } = schoolTerm
  return template(
    { id: schoolTerm.id, sections_refreshed_at: sql<number>`${sectionsRefreshedAt}` },
    (columns) => sql`SELECT ${columns} FROM ${schoolTerm}
      LEFT JOIN ${instructorRefresh} ON ${instructorRefresh.schoolTermId} = ${schoolTerm.id}
      WHERE ${sectionsRefreshedAt} IS NOT NULL AND ${sectionsRefreshedAt} <> COALESCE(${instructorRefresh.sectionsRefreshedAt}, 0)
      ORDER BY ${sectionsRefreshedAt} LIMIT 500`,
  )
})

/** Refreshes the instructors of terms whose sections were refreshed since. To find those, it reads every term. */
export const scheduleInstructors: Schedule = {
  name: 'refresh-instructors',
  every: 'every 15 minutes',
  nextAt: everyMinutes(15),
  async plan(env) {
    const terms = await read(env.DB, findNewerTerms())
    await enqueueMany(
      env,
      refreshInstructors,
      terms.map(({ id, sections_refreshed_at }) => ({
        input: { school_term_id: id, sections_refreshed_at },
        options: { key: `instructors:${id}` },
      })),
    )
  },
}
