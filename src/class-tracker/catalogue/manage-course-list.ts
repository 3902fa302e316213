import { readTogether } from '../../db/read-together.ts'
import { iso, isoOrNull } from '../../web/moment.ts'
import type { ManageCourseListProps, School, SourceHealth, Term } from '../contract.ts'
import { nextRefreshAt } from '../refresh/quiet-hour.ts'
import { effectiveInterval, healthOf, type SourceRecord } from './health-of-source.ts'
import { schoolsStatement, termsStatement } from './schools.ts'

interface SourceRow extends SourceRecord {
  id: number
  name: string
  kind: string
  time_zone: string
  last_error: string | null
  terms_refreshed_by: string | null
  sections_refreshed_at: number | null
  sections_refreshed_by: string | null
}

const mostSources = 500

/** Everything the page *Manage Courselist* shows, in one round trip. */
export async function manageCourseList(db: D1Database, now: number): Promise<ManageCourseListProps> {
  const [schools, terms, sources] = await readTogether<[School[], Term[], SourceRow[]]>(
    db,
    schoolsStatement(db),
    termsStatement(db),
    db
      .prepare(
        `SELECT id, name, kind, time_zone, is_enabled, failures, paused_until, last_good_at, last_error, poll_seconds,
           requests_per_minute, requests_a_round, terms_refreshed_at, terms_refreshed_by, sections_refreshed_at, sections_refreshed_by,
           EXISTS (SELECT 1 FROM section_group g WHERE g.source_id = source.id AND g.watch_count > 0) AS is_watched
         FROM source ORDER BY name COLLATE NOCASE, id LIMIT ?`,
      )
      .bind(mostSources),
  )
  return { schools, terms, sources: sources.map((source) => shown(source, now)) }
}

function shown(source: SourceRow, now: number): SourceHealth {
  const isTermsLater = (source.terms_refreshed_at ?? 0) > (source.sections_refreshed_at ?? 0)
  const { id, name, kind, last_error, poll_seconds } = source
  return {
    id,
    name,
    kind,
    last_refreshed: isoOrNull(isTermsLater ? source.terms_refreshed_at : source.sections_refreshed_at),
    by: isTermsLater ? source.terms_refreshed_by : source.sections_refreshed_by,
    next_due: source.is_enabled === 1 ? iso(nextRefreshAt(source.time_zone, source.terms_refreshed_at, now)) : null,
    health: healthOf(source, now),
    last_error,
    effective_interval: effectiveInterval(source),
    poll_seconds,
  }
}
