import { pausedQueues } from '../../jobs/paused-queues.ts'
import type { PausedQueue, UnreadSource } from '../contract.ts'
import { pausedQueuesOf } from './paused-queues-of.ts'
import { unreadSourcesOf, unreadSourcesStatement, type UnreadSourceRow } from './unread-sections.ts'

/** What keeps the tracker from doing its work. */
export interface Standing {
  paused_queues: PausedQueue[]
  unread_sources: UnreadSource[]
}

/** Queues and database are asked at the same time. */
export async function readStanding(env: Env, now: number): Promise<Standing> {
  const [{ results }, paused] = await Promise.all([
    unreadSourcesStatement(env.DB, now).all<UnreadSourceRow>(),
    pausedQueues(env, ['polls', 'alerts', 'refresh']),
  ])
  return { paused_queues: pausedQueuesOf(paused), unread_sources: unreadSourcesOf(results) }
}
