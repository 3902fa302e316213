import { readTogether } from '../../db/query.ts'
import { pausedQueues } from '../../jobs/paused-queues.ts'
import { queueEffects } from '../../jobs/queue-effects.ts'
import { isoOrNull } from '../../lib/moment.ts'
import type { PausedQueue, SourceNotice, UnreadSource } from '../contract.ts'
import { findSourceNotices, sourceNoticesOf } from './source-notices.ts'
import { findUnreadSources, unreadSourcesOf } from './unread-sections.ts'

/** What keeps the tracker from doing its work. Each key is there only when there is something to say. */
export interface TrackerProblems {
  paused_queues?: PausedQueue[]
  unread_sources?: UnreadSource[]
  source_notices?: SourceNotice[]
}

/** The lists that are not empty. */
export function problemsOf<Lists extends TrackerProblems>(lists: Lists): Partial<Lists> {
  const filled = Object.entries(lists).filter(([, list]) => list.length > 0)
  return Object.fromEntries(filled) as Partial<Lists>
}

/** Paused queues as pages show them. */
export function pausedQueuesOf(pauses: Awaited<ReturnType<typeof pausedQueues>>): PausedQueue[] {
  return pauses.map(({ queue, at, by }) => ({ queue, since: isoOrNull(at), by, ...queueEffects[queue] }))
}

/** Queues and database are asked at the same time. */
export async function readTrackerProblems(env: Env, now: number): Promise<TrackerProblems> {
  const [[unread, notices], paused] = await Promise.all([
    readTogether(env.DB, findUnreadSources({ now }), findSourceNotices()),
    pausedQueues(env, ['polls', 'alerts', 'refresh']),
  ])
  return problemsOf({
    paused_queues: pausedQueuesOf(paused),
    unread_sources: unreadSourcesOf(unread),
    source_notices: sourceNoticesOf(notices),
  })
}
