import { readTogether } from '../../db/query.ts'
import { pausedQueues } from '../../jobs/paused-queues.ts'
import { momentOf, wallClock } from '../../lib/time-zone.ts'
import { findSourceNotices, sourceNoticesOf } from '../courses/source-notices.ts'
import { pausedQueuesOf, problemsOf, type TrackerProblems } from '../courses/tracker-problems.ts'
import { findUnreadSources, unreadSourcesOf } from '../courses/unread-sections.ts'
import { longHostWarning } from './link-host.ts'
import { findFiguresOfToday, findOpenedToday, type Today, todayOf } from './opened-today.ts'

/** What staff see first: today's figures, and problems that stop the tracker from working. */
export interface Overview {
  today: Today
  problems: TrackerProblems
  /** A warning about how the instance is deployed; null if there is none. */
  warning: string | null
}

/**
 * One round trip, while the queues are asked in parallel.
 * @param timeZone the reader's, which decides when today began
 */
export async function readOverview(env: Env, timeZone: string, now: number): Promise<Overview> {
  const dayStart = momentOf(wallClock(now, timeZone).slice(0, 10), timeZone) ?? now - 86_400_000
  const [[unread, notices, figures, opened], paused] = await Promise.all([
    readTogether(
      env.DB,
      findUnreadSources({ now }),
      findSourceNotices(),
      findFiguresOfToday({ dayStart, now }),
      findOpenedToday({ dayStart }),
    ),
    pausedQueues(env, ['polls', 'alerts', 'refresh']),
  ])
  return {
    today: todayOf(figures, opened, now),
    warning: longHostWarning(env.APP_URL),
    problems: problemsOf({
      paused_queues: pausedQueuesOf(paused),
      unread_sources: unreadSourcesOf(unread),
      source_notices: sourceNoticesOf(notices),
    }),
  }
}
