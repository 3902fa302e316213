import { readTogether } from '../../db/read-together.ts'
import { pausedQueues } from '../../jobs/paused-queues.ts'
import type { PausedQueue, SourceNotice, UnreadSource } from '../contract.ts'
import { pausedQueuesOf } from './paused-queues-of.ts'
import { sourceNoticesOf, sourceNoticesStatement, type SourceNoticeRow } from './source-notices.ts'
import { unreadSourcesOf, unreadSourcesStatement, type UnreadSourceRow } from './unread-sections.ts'

/** What keeps the tracker from doing its work. Each key is there only when there is something to say. */
export interface Standing {
  paused_queues?: PausedQueue[]
  unread_sources?: UnreadSource[]
  source_notices?: SourceNotice[]
}

/** The lists that are not empty. */
export function standingOf<Lists extends Standing>(lists: Lists): Partial<Lists> {
  const said = Object.entries(lists).filter(([, list]) => list.length > 0)
  return Object.fromEntries(said) as Partial<Lists>
}

/** Queues and database are asked at the same time. */
export async function readStanding(env: Env, now: number): Promise<Standing> {
  const [[unread, notices], paused] = await Promise.all([
    readTogether<[UnreadSourceRow[], SourceNoticeRow[]]>(
      env.DB,
      unreadSourcesStatement(env.DB, now),
      sourceNoticesStatement(env.DB),
    ),
    pausedQueues(env, ['polls', 'alerts', 'refresh']),
  ])
  return standingOf({
    paused_queues: pausedQueuesOf(paused),
    unread_sources: unreadSourcesOf(unread),
    source_notices: sourceNoticesOf(notices),
  })
}
