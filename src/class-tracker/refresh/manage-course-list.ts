import { sql } from 'drizzle-orm'
import { prepared, readTogether, type RowOf, template, jsonRow } from '../../db/query.ts'
import { sectionGroup, source } from '../../db/schema/index.ts'
import { pausedQueues } from '../../jobs/paused-queues.ts'
import { isoOrNull } from '../../lib/time.ts'
import { sources } from '../../sources/sources.ts'
import type { ManageCourseListProps, SourceHealth } from '../courses/contract.ts'
import { nextRefreshAt } from './next-refresh.ts'
import { healthColumns, healthOf } from '../courses/health-of-source.ts'
import { findSchools, findTerms } from '../courses/schools.ts'
import { MAX_SOURCES } from '../courses/unread-sections.ts'
import { findSourceNotices, sourceNoticesOf, pausedQueuesOf, problemsOf } from '../courses/tracker-problems.ts'

/** Everything the page *Manage Course List* shows, in one round trip; queues are asked in the meantime. */
export async function manageCourseList(env: Env, now: number): Promise<ManageCourseListProps> {
  const [[schools, terms, found, notices], paused] = await Promise.all([
    readTogether(env.DB, findSchools(), findTerms(), findSources({ now }), findSourceNotices()),
    pausedQueues(env, ['polls', 'refresh']),
  ])
  const isPaused = (queue: string) => paused.some((pause) => pause.queue === queue)
  const queues = { arePollsPaused: isPaused('polls'), isRefreshPaused: isPaused('refresh') }
  return {
    schools,
    terms,
    sources: found.map((row) => sourceHealthOf(row, now, queues)),
    ...problemsOf({ paused_queues: pausedQueuesOf(paused), source_notices: sourceNoticesOf(notices) }),
  }
}

/** How much of a source is watched, and when it was last read (ms since epoch; null before that). */
const watchedFields = {
  watches: sql<number>`coalesce(sum(${sectionGroup.watchCount}), 0)`,
  checked_at: sql<number | null>`max(${sectionGroup.readAt})`,
}

const findSources = prepared(() =>
  template(
    {
      ...healthColumns,
      kind: source.kind,
      time_zone: source.timeZone,
      terms_refreshed_by: source.termsRefreshedBy,
      sections_refreshed_at: source.sectionsRefreshedAt,
      sections_refreshed_by: source.sectionsRefreshedBy,
      /** Reads its watched groups. */
      watched: jsonRow(
        watchedFields,
        sql`FROM ${sectionGroup} INDEXED BY section_group_watched
        WHERE ${sectionGroup.sourceId} = ${source.id} AND ${sectionGroup.watchCount} > 0`,
      ),
    },
    (columns) =>
      sql`SELECT ${columns} FROM ${source} ORDER BY ${source.name} COLLATE NOCASE, ${source.id} LIMIT ${MAX_SOURCES}`,
  ),
)

function sourceHealthOf(
  row: RowOf<ReturnType<typeof findSources>>,
  now: number,
  { arePollsPaused, isRefreshPaused }: { arePollsPaused: boolean; isRefreshPaused: boolean },
): SourceHealth {
  const isTermsLater = (row.terms_refreshed_at ?? 0) > (row.sections_refreshed_at ?? 0)
  const { id, name, kind, failures, last_error, poll_seconds, effective_interval, unread, watched } = row
  const isDue = row.is_enabled && !isRefreshPaused
  return {
    id,
    name,
    kind,
    system: sources.get(kind)?.label ?? kind,
    last_refreshed: isoOrNull(isTermsLater ? row.terms_refreshed_at : row.sections_refreshed_at),
    by: isTermsLater ? row.terms_refreshed_by : row.sections_refreshed_by,
    next_due: isDue ? isoOrNull(nextRefreshAt(row.time_zone, row.terms_refreshed_at, now)) : null,
    health: healthOf(row, now, { unread_sections: unread.sections, are_polls_paused: arePollsPaused }),
    last_error: last_error ?? unread.why,
    failures,
    last_good_at: isoOrNull(row.last_good_at),
    next_try_at: isoOrNull(row.paused_until !== null && row.paused_until > now ? row.paused_until : null),
    watches: watched.watches,
    checked_at: isoOrNull(watched.checked_at),
    unread_sections: unread.sections,
    unread_since: isoOrNull(unread.since),
    effective_interval,
    poll_seconds,
  }
}
