import { read, readTogether } from '../../db/query.ts'
import { pausedQueues } from '../../jobs/paused-queues.ts'
import { DAY_MS, parseLocalTime, wallClock } from '../../lib/time.ts'
import { findSourceNotices, sourceNoticesOf, pausedQueuesOf, problemsOf } from '../courses/tracker-problems.ts'
import { findUnreadSources, unreadSourcesOf } from '../courses/unread-sections.ts'
import { failedMessagesOf, findFailedToday, findFailingSources, failingSourcesOf } from './attention.ts'
import { findFiguresOfToday, findOpenedToday, openedTodayOf, todayOf } from './opened-today.ts'

const trackerQueues = ['polls', 'alerts', 'refresh'] as const

export type Overview = Awaited<ReturnType<typeof readOverview>>

/**
 * What staff see first: today's figures, and what stops the tracker from working. One round trip; queues are asked in
 * the meantime.
 * @param timeZone the reader's, which decides when today began
 */
export async function readOverview(env: Env, timeZone: string, now: number) {
  const dayStart = startOfDay(timeZone, now)
  const [[unread, notices, figures, opened, failed, failing], paused] = await Promise.all([
    readTogether(
      env.DB,
      findUnreadSources({ now }),
      findSourceNotices(),
      findFiguresOfToday({ dayStart, now }),
      findOpenedToday({ dayStart }),
      findFailedToday({ dayStart }),
      findFailingSources({ now }),
    ),
    pausedQueues(env, trackerQueues),
  ])
  return {
    /** ms since epoch */
    at: now,
    today: todayOf(figures),
    /** The newest first. */
    opened: openedTodayOf(opened, now),
    failed_messages: failedMessagesOf(failed),
    troubled_sources: failingSourcesOf(failing),
    /** About how the instance is deployed; null without any. */
    warning: addressWarning(env.APP_URL),
    problems: problemsOf({
      paused_queues: pausedQueuesOf(paused),
      unread_sources: unreadSourcesOf(unread),
      source_notices: sourceNoticesOf(notices),
    }),
  }
}

/** Today's figures and the paused queues alone. @param timeZone the reader's */
export async function readToday(env: Env, timeZone: string, now: number) {
  const [figures, paused] = await Promise.all([
    read(env.DB, findFiguresOfToday({ dayStart: startOfDay(timeZone, now), now })),
    pausedQueues(env, trackerQueues),
  ])
  return { today: todayOf(figures), paused: pausedQueuesOf(paused) }
}

const startOfDay = (timeZone: string, now: number): number =>
  parseLocalTime(wallClock(now, timeZone).slice(0, 10), timeZone) ?? now - DAY_MS

/** With a longer host in its link, a text does not fit into one segment. */
const MAX_HOST = 35

/** A warning for staff about the address in messages; null if it leads here and is short enough. */
export function addressWarning(appUrl: string): string | null {
  const { origin, host = '' } = URL.parse(appUrl) ?? {}
  if (origin !== appUrl.toLowerCase())
    return `APP_URL in wrangler.toml is “${appUrl}”, but must be an address like https://cords.example.com, without a slash at the end: links in messages do not work.`
  if (host.length <= MAX_HOST) return null
  return `The address in messages, ${host}, is longer than ${MAX_HOST} characters: some texts will take two segments.`
}
