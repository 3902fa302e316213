import { enqueue } from '../../jobs/enqueue.ts'
import type { Schedule } from '../../jobs/job.ts'
import { everyMinutes } from '../../jobs/schedule-times.ts'
import { sweepAlerts } from './sweep-alerts.ts'

/** Every minute, whatever happened to the jobs before: this is what makes "never not at all" true. */
export const scheduleSweep: Schedule = {
  name: 'sweep-alerts',
  every: 'every minute',
  nextAt: everyMinutes(1),
  async plan(env, minute) {
    await enqueue(env, sweepAlerts, {}, { key: `sweep:${minute}` })
  },
}
