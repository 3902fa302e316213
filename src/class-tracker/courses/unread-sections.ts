import { type SQL, sql } from 'drizzle-orm'
import { asJson, constant, parameter, prepared, type RowOf, template } from '../../db/query.ts'
import { schoolTerm, section, sectionGroup, source, watch } from '../../db/schema/index.ts'
import { iso } from '../../lib/time.ts'
import type { UnreadSource } from './contract.ts'
import { readInterval } from './host-share.ts'
import { observedAtOf } from './observed-at.ts'

/** A section is late when it was not observed for this many intervals of its source, */
const LATE_INTERVALS = 3
/** but never sooner than this, in ms. */
const MIN_LATE_MS = 120_000
/** The most sections that are counted. */
const MAX_COUNTED = 1000
/** The most sources in a list: more than there are schools to add. */
export const MAX_SOURCES = 2000

/** The same expression as in the index `section_unobserved`. */
const unobservedSince = sql`coalesce(${section.missingSince}, ${section.unknownSince})`

/** The watched sections of a source that were not observed in time. */
export interface Unread {
  sections: number
  /** ms since epoch; null when nothing is unread. */
  since: number | null
  /** What was wrong with the school's last answer. */
  why: string | null
}

/**
 * {@link Unread} of one source: its watched sections that were not observed for three effective intervals (at least two
 * minutes), since when, and what was wrong with the last answer. A section counts as not observed while answers leave
 * its status unknown, however often its group is read. Reads the source's watched groups, and of sections only those it
 * counts.
 * @param now the current time, ms since epoch
 */
export function unreadSections(now: number | SQL): SQL<Unread> {
  const late = sql`(${now} - max(${constant(MIN_LATE_MS)}, ${constant(LATE_INTERVALS * 1000)} * max(15, ${readInterval})))`
  // A newly watched section was not late before it was watched; one of an ended term is not polled.
  const counts = sql`EXISTS (SELECT 1 FROM ${watch}
      WHERE ${watch.sectionId} = ${section.id} AND ${watch.archivedAt} IS NULL AND ${watch.createdAt} < ${late})
    AND EXISTS (SELECT 1 FROM ${schoolTerm} WHERE ${schoolTerm.id} = ${sectionGroup.schoolTermId} AND ${schoolTerm.endsAt} > ${now})`
  const groups = sql`${sectionGroup} INDEXED BY section_group_watched CROSS JOIN ${section}`
  const isWatched = sql`${section.groupId} = ${sectionGroup.id} AND ${section.watchCount} > 0`
  const isOfSource = sql`${sectionGroup.sourceId} = ${source.id} AND ${sectionGroup.watchCount} > 0`
  return asJson(sql`(SELECT json_object('sections', count(*), 'since', min(since), 'why', max(why)) FROM (
    SELECT coalesce(${observedAtOf(section, sectionGroup)}, ${section.createdAt}) AS since, ${sectionGroup.lastError} AS why
    FROM ${groups} INDEXED BY section_watched ON ${isWatched}
    WHERE ${isOfSource} AND coalesce(${sectionGroup.readAt}, 0) < ${late} AND ${counts}
    UNION ALL
    SELECT ${unobservedSince}, ${sectionGroup.lastError}
    FROM ${groups} INDEXED BY section_unobserved ON ${isWatched} AND ${unobservedSince} IS NOT NULL
    WHERE ${isOfSource} AND ${sectionGroup.readAt} >= ${late} AND ${unobservedSince} < ${late} AND ${counts}
    LIMIT ${constant(MAX_COUNTED)}))`)
}

/** Enabled sources, each with its unread sections at `now`. For {@link unreadSourcesOf}. */
export const findUnreadSources = prepared(() =>
  template(
    { id: source.id, name: source.name, unread: unreadSections(parameter('now')) },
    (columns) => sql`SELECT ${columns} FROM ${source} WHERE ${source.isEnabled}
      ORDER BY ${source.name} COLLATE NOCASE, ${source.id} LIMIT ${MAX_SOURCES}`,
  ),
)

export function unreadSourcesOf(rows: readonly RowOf<ReturnType<typeof findUnreadSources>>[]): UnreadSource[] {
  return rows.flatMap(({ id, name, unread: { sections, since } }) =>
    since === null ? [] : [{ id, name, sections, since: iso(since) }],
  )
}
