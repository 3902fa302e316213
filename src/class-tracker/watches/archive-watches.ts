import { sql } from 'drizzle-orm'
import * as z from 'zod/mini'
import { names, template, write } from '../../db/query.ts'
import { schoolTerm, section, sectionGroup, watch } from '../../db/schema/index.ts'
import { enqueue } from '../../jobs/enqueue.ts'
import { defineJob, runAgain, type Schedule } from '../../jobs/job.ts'
import { everyMinutes } from '../../jobs/schedules.ts'
import { g, s, w } from '../aliases.ts'

/** The most watches archived in one run. */
const MAX_WATCHES = 5000

/** Archives the watches of terms that are over: their history stays, and they are no longer polled. */
export const archiveWatches = defineJob({
  name: 'archive-watches',
  queue: 'maintenance',
  input: z.object({}),
  limit: { attempts: 3, run_seconds: 15, retry_seconds: [30] },
  async run({ env, now }) {
    const at = now()
    const { rows: archived } = await write(
      env.DB,
      // Joined in this order because there are few watched groups, and only those of ended terms lead to watches.
      template(
        { id: watch.id },
        (columns) => sql`UPDATE ${watch} SET ${names(watch.archivedAt)} = ${at}, ${names(watch.remindAt)} = NULL
        WHERE ${watch.id} IN (
          SELECT ${w.id} FROM ${sectionGroup} ${g} INDEXED BY section_group_watched
          CROSS JOIN ${schoolTerm} ON ${schoolTerm.id} = ${g.schoolTermId} AND ${schoolTerm.endsAt} <= ${at}
          CROSS JOIN ${section} ${s} INDEXED BY section_watched ON ${s.groupId} = ${g.id} AND ${s.watchCount} > 0
          CROSS JOIN ${watch} ${w} ON ${w.sectionId} = ${s.id} AND ${w.archivedAt} IS NULL
          WHERE ${g.watchCount} > 0 LIMIT ${MAX_WATCHES})
        RETURNING ${columns}`,
      ),
    )
    return archived.length < MAX_WATCHES ? { archived: archived.length } : runAgain(now(), {})
  },
})

export const scheduleArchive: Schedule = {
  name: 'archive-watches',
  every: 'every 15 minutes',
  nextAt: everyMinutes(15),
  async plan(env, minute) {
    await enqueue(env, archiveWatches, {}, { key: `archive:${minute}` })
  },
}
