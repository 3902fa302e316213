import type { QueueName } from './job.ts'
import type { QueueMessage } from './ledger/calls.ts'
import { withTimeout } from '../lib/time.ts'
import { chunk } from '../lib/collections.ts'

/** The most a batch may hold, by the platform's limits. */
const BATCH_SIZE = 100

const queueBinding = (env: Env, queue: QueueName): Queue =>
  ({
    polls: env.POLLS_QUEUE,
    refresh: env.REFRESH_QUEUE,
    alerts: env.ALERTS_QUEUE,
    maintenance: env.MAINTENANCE_QUEUE,
  })[queue]

/**
 * Sends the messages; returns those that may not have been sent. A send has been seen to hang for a minute
 * (workerd#6053); since a message costs little, the send is given up sooner and repeated.
 */
export async function sendMessages(
  env: Env,
  queue: QueueName,
  messages: readonly QueueMessage[],
): Promise<QueueMessage[]> {
  const unsent: QueueMessage[] = []
  for (const batch of chunk(messages, BATCH_SIZE)) {
    try {
      await withTimeout(queueBinding(env, queue).sendBatch(batch.map((body) => ({ body }))))
    } catch (error) {
      console.warn({ event: 'messages_not_sent', queue, messages: batch.length, error: String(error) })
      unsent.push(...batch)
    }
  }
  return unsent
}
