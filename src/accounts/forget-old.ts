import * as z from 'zod'
import { enqueue } from '../jobs/enqueue.ts'
import { defineJob, type Schedule } from '../jobs/job.ts'
import { dailyAt } from '../jobs/schedule-times.ts'

const hour = 60 * 60_000
const day = 24 * hour
/** Used and expired keys are kept this long, so that their owner is told that a link is over, and not that it never was. */
const keptKeysMs = 30 * day
/** Mails without their text: enough to see what was sent when somebody asks. */
const keptMailsMs = 30 * day
/** An account whose address was never confirmed, and that nobody can have used. */
const keptUnconfirmedMs = 30 * day

/**
 * Forgets what is over: sessions, one-time keys and codes, waiting forms, the record of old mails, and accounts that nobody ever
 * confirmed (which also frees their user names). Safe to repeat; each statement takes what an index finds.
 */
export const forgetOld = defineJob({
  name: 'forget-old-account-data',
  queue: 'maintenance',
  input: z.object({}),
  limit: { attempts: 3, run_seconds: 20, retry_seconds: [60] },
  async run({ env, now }) {
    const at = now()
    const results = await env.DB.batch([
      env.DB.prepare('DELETE FROM session WHERE expires_at <= ?').bind(at),
      env.DB.prepare('DELETE FROM waiting_form WHERE expires_at <= ?').bind(at),
      env.DB.prepare('DELETE FROM sign_in_code WHERE expires_at <= ?').bind(at - hour),
      env.DB.prepare('DELETE FROM email_confirmation WHERE expires_at <= ?').bind(at - keptKeysMs),
      env.DB.prepare('DELETE FROM password_reset WHERE expires_at <= ?').bind(at - keptKeysMs),
      env.DB.prepare('DELETE FROM mail WHERE created_at <= ?').bind(at - keptMailsMs),
      env.DB.prepare(
        `DELETE FROM user WHERE created_at <= ? AND last_sign_in_at IS NULL AND NOT is_superuser
           AND NOT EXISTS (SELECT 1 FROM email_address e WHERE e.user_id = user.id AND e.verified_at IS NOT NULL)
           AND EXISTS (SELECT 1 FROM email_address e WHERE e.user_id = user.id)`,
      ).bind(at - keptUnconfirmedMs),
    ])
    return { forgotten: results.reduce((sum, { meta }) => sum + meta.changes, 0) }
  },
})

/** Once a day, at 03:17 UTC. */
export const scheduleForgetOld: Schedule = {
  name: 'forget-old-account-data',
  every: 'every day at 03:17 UTC',
  nextAt: dailyAt(3, 17),
  async plan(env, minute) {
    await enqueue(env, forgetOld, {}, { key: `forget-old:${minute}` })
  },
}
