import type { QueueName } from './job.ts'
import type { QueuePause } from './ledger/views.ts'
import { ledgerOf } from './ledgers.ts'
import { inTime } from '../lib/in-time.ts'

/** How long a page waits to learn whether a queue is paused, ms: about as long as for its own data. */
export const MAX_PAUSE_WAIT_MS = 300

/**
 * Which of the queues are paused. Asks their ledgers in parallel with the page's other reads, because a copy in the
 * database would be wrong after a restore. A ledger that does not answer in time counts as running.
 */
export async function pausedQueues(
  env: Env,
  queues: readonly QueueName[],
): Promise<(QueuePause & { queue: QueueName })[]> {
  const answers = await Promise.all(
    queues.map(async (queue) => {
      try {
        const pause = await inTime(ledgerOf(env, queue).currentPause(), MAX_PAUSE_WAIT_MS)
        return pause && { queue, at: pause.at, by: pause.by }
      } catch (error) {
        console.warn({ event: 'pause_unknown', queue, error: String(error) })
        return null
      }
    }),
  )
  return answers.filter((answer) => answer !== null)
}
