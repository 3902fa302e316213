import { sql } from 'drizzle-orm'
import * as z from 'zod/mini'
import { into, names, statement, template, writeTogether, excluded } from '../../db/query.ts'
import { monthlyTotal } from '../../db/schema/index.ts'
import { enqueue } from '../../jobs/enqueue.ts'
import { defineJob, runAgain, type Schedule } from '../../jobs/job.ts'
import { dailyAt } from '../../jobs/schedules.ts'
import { deletables, type Deletable, readCutoffs } from './deletable.ts'

const Input = z.object({
  /** Which of `deletables` is being processed, and the last row visited. */
  step: z._default(z.number(), 0),
  after: z._default(z.number(), 0),
  deleted: z._default(z.number(), 0),
})

/**
 * Deletes openings, alerts, deliveries and seat changes past their age, one batch a run until none is left. Unfinished
 * deliveries, held alerts, and what a watch or a chart of seats still needs are kept. Safe to repeat.
 */
export const deleteOldAlerts = defineJob({
  name: 'delete-old-alerts',
  queue: 'maintenance',
  input: Input,
  limit: { attempts: 3, run_seconds: 20, retry_seconds: [60] },
  async run({ env, now, progress }, { step, after, deleted }) {
    const rows = deletables[step]
    if (!rows) return { deleted }
    const cutoffs = await readCutoffs(env.DB, now())
    const batch = await deleteOld(env.DB, rows, after, cutoffs[rows.age])
    await progress(step, deletables.length, rows.what.replace('_', ' '))
    return runAgain(now(), {
      step: batch.after === null ? step + 1 : step,
      after: batch.after ?? 0,
      deleted: deleted + batch.deleted,
    })
  },
})

/** Once a day, at 04:41 UTC. */
export const scheduleDeleteOldAlerts: Schedule = {
  name: 'delete-old-alerts',
  every: 'daily at 4:41 AM UTC',
  deletes: true,
  nextAt: dailyAt(4, 41),
  async plan(env) {
    await enqueue(env, deleteOldAlerts, {}, { key: 'delete-old-alerts' })
  },
}

/** How many rows one batch visits, and so deletes at most. */
export const MAX_ROWS_PER_BATCH = 2000

/**
 * Visits a table's rows after id `after` and deletes those that are older than `cutoff` (ms) and may be deleted. The
 * same batch counts them in `monthly_total`, so a repeated batch finds and counts nothing.
 * @returns `after`: the row where the next batch begins; null when no older row is left
 */
export async function deleteOld(db: D1Database, rows: Deletable, after: number, cutoff: number) {
  const { table, row, at } = rows
  const page = sql`(SELECT id FROM ${table} WHERE id > ${after} ORDER BY id LIMIT ${MAX_ROWS_PER_BATCH}) p
    CROSS JOIN ${table} ${row} ON ${row.id} = p.id`
  const old = sql`FROM ${page} WHERE ${at} < ${cutoff} AND ${rows.where(cutoff)}`
  const { month, what, channel, state, count: total } = monthlyTotal
  const [visited, , deleted] = await writeTogether(db, [
    template(
      {
        count: sql<number>`count(*)`,
        last: sql<number | null>`max(${row.id})`,
        oldest: sql<number | null>`min(${at})`,
      },
      (columns) => sql`SELECT ${columns} FROM ${page}`,
    ),
    statement(sql`INSERT INTO ${into(monthlyTotal, month, what, channel, state, total)}
      SELECT strftime('%Y-%m', ${at} / 1000, 'unixepoch'), ${rows.what}, ${rows.channel ?? sql`''`}, ${rows.state}, count(*) ${old}
      GROUP BY 1, 3, 4
      ON CONFLICT (${names(month, what, channel, state)}) DO UPDATE SET ${names(total)} = ${total} + ${excluded(total)}`),
    template({ id: row.id }, () => sql`DELETE FROM ${table} WHERE id IN (SELECT ${row.id} ${old}) RETURNING id`),
  ])
  const { count = 0, last = null, oldest = null } = visited.rows[0] ?? {}
  const isOver = count < MAX_ROWS_PER_BATCH || last === null || oldest === null || oldest >= cutoff
  return { deleted: deleted.rows.length, after: isOver ? null : last }
}
