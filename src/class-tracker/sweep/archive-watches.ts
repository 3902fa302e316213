import * as z from 'zod'
import { enqueue } from '../../jobs/enqueue.ts'
import { defineJob, runAgain, type Schedule } from '../../jobs/job.ts'
import { everyMinutes } from '../../jobs/schedule-times.ts'

/** Watches one run takes up. */
const most = 5000

/** Watches of terms that are over rest: their history stays, nothing asks about them any more. */
export const archiveWatches = defineJob({
  name: 'archive-watches',
  queue: 'maintenance',
  input: z.object({}),
  limit: { attempts: 3, run_seconds: 15, retry_seconds: [30] },
  async run({ env, now }) {
    const at = now()
    const archived = await env.DB.prepare(
      // In this order: watched groups are few, and of those only the ones whose term is over lead to watches.
      `UPDATE watch SET archived_at = ?, remind_at = NULL
       WHERE id IN (
         SELECT w.id FROM section_group g INDEXED BY section_group_watched
         CROSS JOIN school_term t ON t.id = g.school_term_id AND t.ends_at <= ?
         CROSS JOIN section s INDEXED BY section_watched ON s.group_id = g.id AND s.watch_count > 0
         CROSS JOIN watch w ON w.section_id = s.id AND w.archived_at IS NULL
         WHERE g.watch_count > 0 LIMIT ?)
       RETURNING id`,
    )
      .bind(at, at, most)
      .all()
    return archived.results.length < most ? { archived: archived.results.length } : runAgain(now(), {})
  },
})

export const scheduleArchive: Schedule = {
  name: 'archive-watches',
  every: 'every quarter of an hour',
  nextAt: everyMinutes(15),
  async plan(env, minute) {
    await enqueue(env, archiveWatches, {}, { key: `archive:${minute}` })
  },
}
