import { type pausedQueues, queueEffects } from '../../jobs/paused-queues.ts'
import { isoOrNull } from '../../lib/time.ts'
import type { PausedQueue, SourceNotice, UnreadSource } from './contract.ts'

/** Problems that stop the tracker from working. A key is present only if there is a problem of its kind. */
export interface TrackerProblems {
  paused_queues?: PausedQueue[]
  unread_sources?: UnreadSource[]
  source_notices?: SourceNotice[]
}

/** The problems whose lists are not empty. */
export function problemsOf<Lists extends TrackerProblems>(lists: Lists): Partial<Lists> {
  const filled = Object.entries(lists).filter(([, list]) => list.length > 0)
  return Object.fromEntries(filled) as Partial<Lists>
}

/** Paused queues as pages show them. */
export function pausedQueuesOf(pauses: Awaited<ReturnType<typeof pausedQueues>>): PausedQueue[] {
  return pauses.map(({ queue, at, by }) => ({ queue, since: isoOrNull(at), by, ...queueEffects[queue] }))
}
