import { asc, sql } from 'drizzle-orm'
import { kept, query, read } from '../../db/query.ts'
import { mail } from '../../db/schema/index.ts'
import { enqueueMany } from '../../jobs/enqueue.ts'
import type { Schedule } from '../../jobs/job.ts'
import { everyMinutes } from '../../jobs/schedule-times.ts'
import { isUnsent, sendMail } from './send-mail.ts'

const dueMails = kept(() =>
  query
    .select({ key: mail.idempotencyKey })
    .from(mail)
    .where(sql`${isUnsent} AND ${mail.dueAt} <= ${sql.placeholder('minute')}`)
    .orderBy(asc(mail.dueAt))
    .limit(500),
)

/** Every minute: queues mails that were stored but have no job, as storing and queueing are two steps. */
export const scheduleMail: Schedule = {
  name: 'send-mail',
  every: 'every minute',
  nextAt: everyMinutes(1),
  async plan(env, minute) {
    const waiting = await read(env.DB, dueMails({ minute }))
    if (waiting.length === 0) return
    const requests = waiting.map(({ key }) => ({ input: { key }, options: { key: `mail:${key}` } }))
    await enqueueMany(env, sendMail, requests)
  },
}
