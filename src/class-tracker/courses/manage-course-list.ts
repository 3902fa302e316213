import { readTogether } from '../../db/read-together.ts'
import { pausedQueues } from '../../jobs/paused-queues.ts'
import { iso, isoOrNull } from '../../web/moment.ts'
import type { ManageCourseListProps, School, SourceHealth, Term } from '../contract.ts'
import { nextRefreshAt } from '../refresh/quiet-hour.ts'
import { unreadOf, unreadSections } from './unread-sections.ts'
import { effectiveInterval, healthOf, type SourceRecord } from './health-of-source.ts'
import { pausedQueuesOf } from './paused-queues-of.ts'
import { sourceNoticesOf, sourceNoticesStatement, type SourceNoticeRow } from './source-notices.ts'
import { schoolsStatement, termsStatement } from './schools.ts'
import { standingOf } from './standing.ts'

interface SourceRow extends SourceRecord {
  id: number
  name: string
  kind: string
  time_zone: string
  last_error: string | null
  terms_refreshed_by: string | null
  sections_refreshed_at: number | null
  sections_refreshed_by: string | null
  /** As `unreadSections` selects it. */
  unread: string
}

const mostSources = 500

/** Everything the page *Manage Courselist* shows: one round trip, with the queues it depends on asked meanwhile. */
export async function manageCourseList(env: Env, now: number): Promise<ManageCourseListProps> {
  const [[schools, terms, sources, notices], paused] = await Promise.all([
    readSources(env.DB, now),
    pausedQueues(env, ['polls', 'refresh']),
  ])
  const isPaused = (queue: string) => paused.some((pause) => pause.queue === queue)
  const queues = { arePollsPaused: isPaused('polls'), isRefreshPaused: isPaused('refresh') }
  return {
    schools,
    terms,
    sources: sources.map((source) => shown(source, now, queues)),
    ...standingOf({ paused_queues: pausedQueuesOf(paused), source_notices: sourceNoticesOf(notices) }),
  }
}

function readSources(db: D1Database, now: number): Promise<[School[], Term[], SourceRow[], SourceNoticeRow[]]> {
  return readTogether<[School[], Term[], SourceRow[], SourceNoticeRow[]]>(
    db,
    schoolsStatement(db),
    termsStatement(db),
    db
      .prepare(
        `SELECT id, name, kind, time_zone, is_enabled, failures, paused_until, last_good_at, last_error, poll_seconds,
           requests_per_minute, requests_a_round, terms_refreshed_at, terms_refreshed_by, sections_refreshed_at, sections_refreshed_by,
           EXISTS (SELECT 1 FROM section_group g WHERE g.source_id = source.id AND g.watch_count > 0) AS is_watched,
           ${unreadSections('source', '?1')} AS unread
         FROM source ORDER BY name COLLATE NOCASE, id LIMIT ?2`,
      )
      .bind(now, mostSources),
    sourceNoticesStatement(db),
  )
}

interface Queues {
  arePollsPaused: boolean
  isRefreshPaused: boolean
}

function shown(source: SourceRow, now: number, { arePollsPaused, isRefreshPaused }: Queues): SourceHealth {
  const isTermsLater = (source.terms_refreshed_at ?? 0) > (source.sections_refreshed_at ?? 0)
  const { id, name, kind, last_error, poll_seconds } = source
  const unread = unreadOf(source.unread)
  const isDue = source.is_enabled === 1 && !isRefreshPaused
  return {
    id,
    name,
    kind,
    last_refreshed: isoOrNull(isTermsLater ? source.terms_refreshed_at : source.sections_refreshed_at),
    by: isTermsLater ? source.terms_refreshed_by : source.sections_refreshed_by,
    next_due: isDue ? iso(nextRefreshAt(source.time_zone, source.terms_refreshed_at, now)) : null,
    health: healthOf(source, now, { unread_sections: unread.sections, are_polls_paused: arePollsPaused }),
    last_error: last_error ?? unread.why,
    unread_sections: unread.sections,
    unread_since: isoOrNull(unread.since),
    effective_interval: effectiveInterval(source),
    poll_seconds,
  }
}
