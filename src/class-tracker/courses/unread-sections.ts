import { iso } from '../../web/moment.ts'
import type { UnreadSource } from '../contract.ts'
import { observedAt } from './observed-at.ts'

/** A source counts as late after so many of its intervals … */
const LATE_INTERVALS = 3
/** … and not before this, ms. */
const MIN_LATE_MS = 120_000
/** As the index `section_unobserved` has it. */
const unobservedSince = 'coalesce(s.missing_since, s.unknown_since)'
/** Sections counted at most. */
const MAX_COUNTED = 1000
const MAX_SOURCES = 500

/**
 * SQL: `[sections, since, why]` as JSON for one source: its watched sections that were not observed for longer than three
 * effective intervals, since when, and what the school answered. A section whose status the answers left open was not observed,
 * however often its group was read. Reads the source's watched groups, and of sections only those it counts.
 * @param source alias of the source's row
 * @param now SQL of the present, ms since epoch
 */
export function unreadSections(source: string, now: string): string {
  const interval = `max(15, ${source}.poll_seconds,
    (60 * coalesce(${source}.requests_a_round, 0) + max(1, ${source}.requests_per_minute) - 1) / max(1, ${source}.requests_per_minute))`
  const late = `(${now} - max(${MIN_LATE_MS}, ${LATE_INTERVALS * 1000} * ${interval}))`
  // A section that somebody has just begun to watch was not late before; one of an ended term is not polled.
  const counts = `EXISTS (SELECT 1 FROM watch w WHERE w.section_id = s.id AND w.archived_at IS NULL AND w.created_at < ${late})
    AND EXISTS (SELECT 1 FROM school_term st WHERE st.id = g.school_term_id AND st.ends_at > ${now})`
  const groups = `section_group g INDEXED BY section_group_watched CROSS JOIN section s`
  return `(SELECT json_array(count(*), min(since), max(why)) FROM (
    SELECT coalesce(${observedAt}, s.created_at) AS since, g.last_error AS why
    FROM ${groups} INDEXED BY section_watched ON s.group_id = g.id AND s.watch_count > 0
    WHERE g.source_id = ${source}.id AND g.watch_count > 0 AND coalesce(g.read_at, 0) < ${late} AND ${counts}
    UNION ALL
    SELECT ${unobservedSince}, g.last_error
    FROM ${groups} INDEXED BY section_unobserved ON s.group_id = g.id AND s.watch_count > 0 AND ${unobservedSince} IS NOT NULL
    WHERE g.source_id = ${source}.id AND g.watch_count > 0 AND g.read_at >= ${late} AND ${unobservedSince} < ${late} AND ${counts}
    LIMIT ${MAX_COUNTED}))`
}

export interface Unread {
  sections: number
  /** ms since epoch; null when nothing is unread. */
  since: number | null
  why: string | null
}

/** What {@link unreadSections} selected. */
export function unreadOf(json: string): Unread {
  const [sections, since, why] = JSON.parse(json) as [number, number | null, string | null]
  return { sections, since, why }
}

export interface UnreadSourceRow {
  id: number
  name: string
  unread: string
}

/** Sources that are on, each with its unread sections. For `readTogether`, then {@link unreadSourcesOf}. */
export function unreadSourcesStatement(db: D1Database, now: number): D1PreparedStatement {
  return db
    .prepare(
      `SELECT o.id, o.name, ${unreadSections('o', '?1')} AS unread FROM source o
       WHERE o.is_enabled ORDER BY o.name COLLATE NOCASE, o.id LIMIT ${MAX_SOURCES}`,
    )
    .bind(now)
}

export function unreadSourcesOf(rows: readonly UnreadSourceRow[]): UnreadSource[] {
  return rows.flatMap(({ id, name, unread }) => {
    const { sections, since } = unreadOf(unread)
    return since === null ? [] : [{ id, name, sections, since: iso(since) }]
  })
}
