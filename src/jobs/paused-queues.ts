import type { QueueName } from './job.ts'
import type { QueuePause } from './ledger/views.ts'
import { ledgerOf } from './ledgers.ts'
import { orWarn } from '../lib/fallbacks.ts'
import { withTimeout } from '../lib/time.ts'

/** What does not happen while a queue is paused, and what follows for people, as text for staff. */
export const queueEffects: Readonly<Record<QueueName, { stops: string; until: string }>> = {
  polls: { stops: 'Seats are not checked', until: 'No one is notified of open seats until it is resumed.' },
  refresh: {
    stops: 'Courses are not refreshed',
    until: 'Nightly and manual refreshes of terms, subjects and sections stop until it is resumed.',
  },
  alerts: {
    stops: 'No messages are sent',
    until: 'No alerts and no account emails are sent until it is resumed.',
  },
  maintenance: {
    stops: 'No maintenance runs',
    until:
      'Invites are not checked, old data is not deleted, watches of ended terms stay active, new names are not found by searches, instructors are not updated, and actions on more than 500 jobs wait, until it is resumed.',
  },
}

/** How long a page waits to learn whether a queue is paused, in ms: about as long as for its own data. */
export const MAX_PAUSE_WAIT_MS = 300

/** Asks the ledgers, because a copy in the database would be wrong after a restore. No answer counts as running. */
export async function pausedQueues(
  env: Env,
  queues: readonly QueueName[],
): Promise<(QueuePause & { queue: QueueName })[]> {
  const answers = await Promise.all(
    queues.map(async (queue) => {
      const asked = withTimeout(ledgerOf(env, queue).currentPause(), MAX_PAUSE_WAIT_MS)
      const pause = await orWarn(asked, { event: 'pause_unknown', queue }, null)
      return pause && { queue, ...pause }
    }),
  )
  return answers.filter((answer) => answer !== null)
}
