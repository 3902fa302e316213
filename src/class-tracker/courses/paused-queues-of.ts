import type { pausedQueues } from '../../jobs/paused-queues.ts'
import { queueEffects } from '../../jobs/queue-effects.ts'
import { isoOrNull } from '../../web/moment.ts'
import type { PausedQueue } from '../contract.ts'

/** Paused queues as pages show them. */
export function pausedQueuesOf(pauses: Awaited<ReturnType<typeof pausedQueues>>): PausedQueue[] {
  return pauses.map(({ queue, at, by }) => ({ queue, since: isoOrNull(at), by, ...queueEffects[queue] }))
}
