import { type Placeholder, sql } from 'drizzle-orm'
import { kept, type RowOf, template } from '../../db/query.ts'
import {
  classAlert,
  delivery,
  deliveryAlert,
  opening,
  school,
  schoolTerm,
  section,
  source,
} from '../../db/schema/index.ts'
import { iso } from '../../lib/moment.ts'
import { isCurrent } from '../courses/observed-at.ts'
import { joinCourse, sectionFields, sectionOf } from '../courses/section-row.ts'
import type { CourseSection } from '../courses/contract.ts'

/** Counting stops here, so that the page costs no more on the busiest day. */
export const MAX_COUNTED = 1000
const MAX_LISTED = 8

/** Today's figures for the tracker's front page. A count of {@link MAX_COUNTED} means that many or more. */
export interface Today {
  watched_sections: number
  openings: number
  failed_deliveries: number
  sources: number
  /** Sources that are enabled and answer. */
  sources_on_time: number
  opened: OpenedSection[]
}

/** A section that opened today, with its latest seats, and how many people were sent a message. */
export interface OpenedSection {
  id: number
  opened_at: string
  notified: number
  section: CourseSection
  /** Whether its seats are current. */
  is_current: boolean
  school_name: string
}

const counted = sql.raw(String(MAX_COUNTED))
const dayStart: Placeholder = sql.placeholder('dayStart')
const now: Placeholder = sql.placeholder('now')

/** The newest openings of today first. @param dayStart when today began for the reader, ms since epoch */
export const findOpenedToday = kept(() =>
  template(
    {
      opening_id: opening.id,
      opened_at: opening.seenOpenAt,
      notified: sql<number>`(SELECT count(*) FROM (
        SELECT DISTINCT ${classAlert.recipientId} FROM ${classAlert} WHERE ${classAlert.openingId} = ${opening.id}
          AND EXISTS (SELECT 1 FROM ${deliveryAlert} JOIN ${delivery} ON ${delivery.id} = ${deliveryAlert.deliveryId}
            WHERE ${deliveryAlert.alertId} = ${classAlert.id} AND ${delivery.acceptedAt} IS NOT NULL)
        LIMIT ${counted}))`,
      school_name: school.name,
      source_kind: source.kind,
      ...sectionFields,
    },
    (columns) => sql`WITH newest AS MATERIALIZED (
        SELECT ${opening.id} AS id FROM ${opening} ORDER BY ${opening.id} DESC LIMIT ${sql.raw(String(MAX_LISTED))})
      SELECT ${columns}
      FROM newest CROSS JOIN ${opening} ON ${opening.id} = newest.id AND ${opening.seenOpenAt} >= ${dayStart}
      JOIN ${section} ON ${section.id} = ${opening.sectionId} ${joinCourse}
      JOIN ${school} ON ${school.id} = ${schoolTerm.schoolId}
      JOIN ${source} ON ${source.id} = ${school.sourceId}
      ORDER BY ${opening.id} DESC`,
  ),
)

/** One row of figures. @param dayStart when today began for the reader, ms since epoch */
export const findFiguresOfToday = kept(() =>
  template(
    {
      watched_sections: sql<number>`(SELECT count(*) FROM (
        SELECT 1 FROM ${section} WHERE ${section.watchCount} > 0 LIMIT ${counted}))`,
      openings: sql<number>`(SELECT count(*) FROM (
        SELECT ${opening.seenOpenAt} AS at FROM ${opening} ORDER BY ${opening.id} DESC LIMIT ${counted}) WHERE at >= ${dayStart})`,
      failed_deliveries: sql<number>`(SELECT count(*) FROM (
        SELECT ${delivery.createdAt} AS at FROM ${delivery}
        WHERE ${delivery.state} IN ('failed', 'expired') ORDER BY ${delivery.id} DESC LIMIT ${counted}) WHERE at >= ${dayStart})`,
      sources: sql<number>`(SELECT count(*) FROM ${source} WHERE ${source.isEnabled})`,
      sources_on_time: sql<number>`(SELECT count(*) FROM ${source}
        WHERE ${source.isEnabled} AND ${source.failures} = 0 AND coalesce(${source.pausedUntil}, 0) <= ${now})`,
    },
    (columns) => sql`SELECT ${columns}`,
  ),
)

export function todayOf(
  [figures]: readonly RowOf<ReturnType<typeof findFiguresOfToday>>[],
  opened: readonly RowOf<ReturnType<typeof findOpenedToday>>[],
  at: number,
): Today {
  return {
    watched_sections: figures?.watched_sections ?? 0,
    openings: figures?.openings ?? 0,
    failed_deliveries: figures?.failed_deliveries ?? 0,
    sources: figures?.sources ?? 0,
    sources_on_time: figures?.sources_on_time ?? 0,
    opened: opened.map((row) => ({
      id: row.opening_id,
      opened_at: iso(row.opened_at),
      notified: row.notified,
      section: sectionOf(row, row.source_kind),
      is_current: isCurrent(row.section_observed_at, at),
      school_name: row.school_name,
    })),
  }
}
