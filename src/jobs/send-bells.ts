import type { QueueName } from './job.ts'
import type { Bell } from './ledger/calls.ts'
import { inTime } from '../lib/in-time.ts'

/** The most a batch may hold, by the platform's limits. */
const batchSize = 100

const queueBinding = (env: Env, queue: QueueName): Queue =>
  ({
    polls: env.POLLS_QUEUE,
    refresh: env.REFRESH_QUEUE,
    alerts: env.ALERTS_QUEUE,
    maintenance: env.MAINTENANCE_QUEUE,
  })[queue]

/**
 * Sends the messages; answers those of which it is not known that they went. A send was seen to hang for a minute
 * (workerd#6053); a doorbell is cheap, so it is given up sooner and rung again.
 */
export async function sendBells(env: Env, queue: QueueName, bells: readonly Bell[]): Promise<Bell[]> {
  const unsent: Bell[] = []
  for (let start = 0; start < bells.length; start += batchSize) {
    const batch = bells.slice(start, start + batchSize)
    try {
      await inTime(queueBinding(env, queue).sendBatch(batch.map((body) => ({ body }))))
    } catch (error) {
      console.warn({ event: 'bells_not_sent', queue, bells: batch.length, error: String(error) })
      unsent.push(...batch)
    }
  }
  return unsent
}
