import { iso } from '../../web/moment.ts'
import { linkColumns, type LinkRow, sectionLink } from '../courses/section-link.ts'
import { courseSectionOf, sectionColumns, sectionTables, type SectionRow } from '../courses/section-row.ts'
import { type SeatChange, SectionStatus, type WatchedSection } from '../contract.ts'

/** A section with its school and its page there: columns and joins for a SELECT from `section s`. */
export const watchedColumns = `${sectionColumns}, ${linkColumns}, h.id AS school_id, h.name AS school_name`
export const watchedTables = `${sectionTables}
  JOIN school h ON h.id = st.school_id
  JOIN source o ON o.id = h.source_id`

export interface WatchedRow extends SectionRow, LinkRow {
  school_id: number
  school_name: string
}

export interface ChangeRow {
  section_id: number
  at: number
  status: string
  seats_available: number | null
  capacity: number | null
  waitlist_available: number | null
}

const weekMs = 7 * 24 * 3_600_000
/** Points drawn for one section at most, and for a whole page. */
const mostPoints = 60
const mostPointsOfAPage = 20_000

/**
 * The last week of some sections, oldest first: what the week began with, then each change. The newest 60 a section at most,
 * fewer on a page of very many sections. Rows are {@link ChangeRow}.
 * @param sections a SELECT of distinct section ids as `id`, binding `values`
 */
export function historyStatement(
  db: D1Database,
  sections: string,
  values: readonly unknown[],
  now: number,
): D1PreparedStatement {
  return db
    .prepare(
      `WITH shown AS MATERIALIZED (${sections})
       SELECT h.section_id, h.at, h.status, h.seats_available, h.capacity, h.waitlist_available
       FROM shown CROSS JOIN seat_change h ON h.section_id = shown.id AND h.at >= max(
         COALESCE((SELECT max(b.at) FROM seat_change b WHERE b.section_id = shown.id AND b.at <= ?), 0),
         COALESCE((SELECT b.at FROM seat_change b WHERE b.section_id = shown.id ORDER BY b.at DESC LIMIT 1 OFFSET
           min(${mostPoints}, max(2, ${mostPointsOfAPage} / (SELECT max(1, count(*)) FROM shown))) - 1), 0))
       ORDER BY shown.id, h.at, h.id`,
    )
    .bind(...values, now - weekMs)
}

/** Changes by their section. What a section was before the week is told as of the week's begin. */
export function historiesOf(rows: readonly ChangeRow[], now: number): Map<number, SeatChange[]> {
  const histories = new Map<number, SeatChange[]>()
  for (const row of rows) {
    const history = histories.get(row.section_id) ?? []
    histories.set(row.section_id, history)
    history.push({
      at: iso(Math.max(row.at, now - weekMs)),
      status: SectionStatus.catch('unknown').parse(row.status),
      seats_available: row.seats_available,
      capacity: row.capacity,
      waitlist_available: row.waitlist_available,
    })
  }
  return histories
}

export function watchedSectionOf(row: WatchedRow, history: SeatChange[]): WatchedSection {
  return {
    ...courseSectionOf(row),
    school: { id: row.school_id, name: row.school_name },
    link: sectionLink(row),
    history,
  }
}
