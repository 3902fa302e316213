import * as z from 'zod'
import { enqueueMany } from '../../jobs/enqueue.ts'
import { defineJob, type Schedule } from '../../jobs/job.ts'

/** Reads who teaches what at a school out of a term's sections. Nobody is forgotten: people teach again. */
export const refreshInstructors = defineJob({
  name: 'refresh-instructors',
  queue: 'maintenance',
  input: z.object({ school_term_id: z.number(), sections_refreshed_at: z.number() }),
  limit: { attempts: 3, run_seconds: 20, retry_seconds: [60] },
  async run({ env }, { school_term_id, sections_refreshed_at }) {
    const taught = `FROM section s JOIN course c ON c.id = s.course_id JOIN subject u ON u.id = c.subject_id, json_each(s.instruction_list) e
      WHERE s.school_term_id = ?1 AND trim(COALESCE(e.value ->> 'name', '')) <> ''`
    const [instructors, subjects] = await env.DB.batch([
      env.DB.prepare(
        `INSERT INTO instructor (school_id, name) SELECT DISTINCT u.school_id, trim(e.value ->> 'name') ${taught} ON CONFLICT DO NOTHING`,
      ).bind(school_term_id),
      env.DB.prepare(
        `INSERT INTO instructor_subject (subject_id, instructor_id)
         SELECT t.subject_id, i.id FROM (SELECT DISTINCT u.id AS subject_id, u.school_id, trim(e.value ->> 'name') AS name ${taught}) t
         JOIN instructor i ON i.school_id = t.school_id AND i.name = t.name WHERE true ON CONFLICT DO NOTHING`,
      ).bind(school_term_id),
      env.DB.prepare(
        `INSERT INTO instructor_refresh (school_term_id, sections_refreshed_at) VALUES (?, ?)
         ON CONFLICT (school_term_id) DO UPDATE SET sections_refreshed_at = excluded.sections_refreshed_at`,
      ).bind(school_term_id, sections_refreshed_at),
    ])
    return { instructors: instructors?.meta.changes ?? 0, subjects: subjects?.meta.changes ?? 0 }
  },
})

/** Terms whose sections were refreshed since. */
export const scheduleInstructors: Schedule = {
  name: 'refresh-instructors',
  every: 'in any minute that finds a term with newer sections',
  nextAt: () => null,
  async plan(env) {
    const { results } = await env.DB.prepare(
      `SELECT t.id, t.sections_refreshed_at FROM school_term t LEFT JOIN instructor_refresh r ON r.school_term_id = t.id
       WHERE t.sections_refreshed_at IS NOT NULL AND t.sections_refreshed_at <> COALESCE(r.sections_refreshed_at, 0) LIMIT 50`,
    ).all<{ id: number; sections_refreshed_at: number }>()
    await enqueueMany(
      env,
      refreshInstructors,
      results.map(({ id, sections_refreshed_at }) => ({
        input: { school_term_id: id, sections_refreshed_at },
        options: { key: `instructors:${id}` },
      })),
    )
  },
}
