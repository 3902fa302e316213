import * as z from 'zod/mini'
import { enqueue } from '../../jobs/enqueue.ts'
import { defineJob, runAgain, type Schedule } from '../../jobs/job.ts'
import { dailyAt } from '../../jobs/schedule-times.ts'
import { deletables } from './deletable.ts'
import { deleteOld } from './delete-old.ts'
import { readCutoffs } from './keep-days.ts'

const Input = z.object({
  /** Which of `deletables` is walked, and the row it has come to. */
  step: z._default(z.number(), 0),
  after: z._default(z.number(), 0),
  deleted: z._default(z.number(), 0),
})
type Input = z.infer<typeof Input>

/**
 * Deletes openings, alerts, deliveries and seat changes past their age, one batch a run until none is left. Unfinished
 * deliveries, held alerts, and what a watch or a seat line still needs are kept. Safe to repeat.
 */
export const forgetOldAlerts = defineJob<Input>({
  name: 'forget-old-alerts',
  queue: 'maintenance',
  input: Input,
  limit: { attempts: 3, run_seconds: 20, retry_seconds: [60] },
  async run({ env, now, progress }, input) {
    const rows = deletables[input.step]
    if (!rows) return { deleted: input.deleted }
    const cutoffs = await readCutoffs(env.DB, now())
    const { deleted, after } = await deleteOld(env.DB, rows, input.after, cutoffs[rows.age])
    await progress(input.step, deletables.length, rows.what.replace('_', ' '))
    const step = after === null ? input.step + 1 : input.step
    return runAgain(now(), { step, after: after ?? 0, deleted: input.deleted + deleted })
  },
})

/** Once a day, at 04:41 UTC. */
export const scheduleForgetOldAlerts: Schedule = {
  name: 'forget-old-alerts',
  every: 'every day at 04:41 UTC',
  nextAt: dailyAt(4, 41),
  async plan(env) {
    await enqueue(env, forgetOldAlerts, { step: 0, after: 0, deleted: 0 }, { key: 'forget-old-alerts' })
  },
}
