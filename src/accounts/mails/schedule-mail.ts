import { enqueueMany } from '../../jobs/enqueue.ts'
import type { Schedule } from '../../jobs/job.ts'
import { everyMinutes } from '../../jobs/schedule-times.ts'
import { sendMail } from './send-mail.ts'

/** Every minute: queues mails that were written but have no job, because writing and queueing cannot be one act. */
export const scheduleMail: Schedule = {
  name: 'send-mail',
  every: 'every minute',
  nextAt: everyMinutes(1),
  async plan(env, minute) {
    const { results } = await env.DB.prepare(
      `SELECT idempotency_key AS key FROM mail WHERE state IN ('queued', 'sending') AND due_at <= ? ORDER BY due_at LIMIT 500`,
    )
      .bind(minute)
      .all<{ key: string }>()
    if (results.length === 0) return
    const requests = results.map(({ key }) => ({ input: { key }, options: { key: `mail:${key}` } }))
    await enqueueMany(env, sendMail, requests)
  },
}
