import { eq, type SQL, sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/sqlite-core'
import { constant, query, readTogether, type RowOf, type RowOfFields, template } from '../../db/query.ts'
import { school, seatChange, section } from '../../db/schema/index.ts'
import { DAY_MS, iso } from '../../lib/time.ts'
import { notFound } from '../../web/refusal.ts'
import { detailFields, sectionDetails } from '../courses/section-details.ts'
import { linkFields, sectionLink } from '../courses/section-link.ts'
import { sectionFields, sectionOf, statusIn } from '../courses/section-row.ts'
import type { GetSeatHistory, SeatChange } from '../courses/contract.ts'
import type { WatchedSection } from './contract.ts'

/** A section with its school and its page there, of `section` and `joinSource`. */
export const watchedFields = { ...sectionFields, ...linkFields, school_id: school.id, school_name: school.name }

const WEEK_MS = 7 * DAY_MS
/** The most points drawn for one section, and for a whole page. */
const MAX_POINTS = 60
const MAX_POINTS_PER_PAGE = 300

/** Where the histories of {@link findHistories} begin, ms since epoch. */
export const historyStart = (now: number): number => now - WEEK_MS

const earlier = alias(seatChange, 'earlier')

/**
 * The last week of some sections, oldest first: the state at its start, then each change. At most the newest 60 per
 * section, fewer on a page with very many sections. For {@link historiesOf}.
 * @param sections a SELECT of distinct section ids as `id`
 * @param since {@link historyStart}
 */
export function findHistories(sections: SQL, since: number | SQL) {
  const points = sql`min(${constant(MAX_POINTS)},
    max(1, ${constant(MAX_POINTS_PER_PAGE)} / (SELECT max(1, count(*)) FROM shown)))`
  return template(
    {
      section_id: seatChange.sectionId,
      at: seatChange.at,
      status: seatChange.status,
      seats_available: seatChange.seatsAvailable,
      capacity: seatChange.capacity,
      waitlist_available: seatChange.waitlistAvailable,
    },
    (columns) => sql`WITH shown AS MATERIALIZED (${sections})
      SELECT ${columns}
      FROM shown CROSS JOIN ${seatChange} ON ${seatChange.sectionId} = shown.id AND ${seatChange.at} >= max(
        coalesce((SELECT max(${earlier.at}) FROM ${seatChange} ${earlier}
          WHERE ${earlier.sectionId} = shown.id AND ${earlier.at} <= ${since}), 0),
        coalesce((SELECT ${earlier.at} FROM ${seatChange} ${earlier}
          WHERE ${earlier.sectionId} = shown.id ORDER BY ${earlier.at} DESC LIMIT 1 OFFSET ${points} - 1), 0))
      ORDER BY shown.id, ${seatChange.at}, ${seatChange.id}`,
  )
}

export type ChangeRow = RowOf<ReturnType<typeof findHistories>>

/** Changes by section. A change before the week is dated to the week's start. */
export function historiesOf(rows: readonly ChangeRow[], now: number): Map<number, SeatChange[]> {
  const histories = new Map<number, SeatChange[]>()
  for (const { section_id, at, status, ...figures } of rows) {
    const history = histories.get(section_id) ?? []
    histories.set(section_id, history)
    history.push({ at: iso(Math.max(at, historyStart(now))), status: statusIn(status), ...figures })
  }
  return histories
}

export function watchedSectionOf(row: RowOfFields<typeof watchedFields>, history: SeatChange[]): WatchedSection {
  return {
    ...sectionOf(row, row.source_kind),
    school: { id: row.school_id, name: row.school_name },
    link: sectionLink(row),
    history,
  }
}

/** The complete last week of one section, and its other details. @throws notFound */
export async function readSeatHistory(db: D1Database, sectionId: number, now: number): Promise<GetSeatHistory> {
  const [changes, [row]] = await readTogether(
    db,
    findHistories(sql`SELECT ${sectionId} AS id`, historyStart(now)),
    query.select(detailFields).from(section).where(eq(section.id, sectionId)),
  )
  if (!row) throw notFound(`Section id ${sectionId} not found`)
  return { history: historiesOf(changes, now).get(sectionId) ?? [], details: sectionDetails(row) }
}
