import { sql } from 'drizzle-orm'
import { constant, parameter, prepared, type RowOf, template, jsonRow } from '../../db/query.ts'
import {
  classAlert,
  delivery,
  deliveryAlert,
  opening,
  recipient,
  school,
  seatChange,
  section,
  sectionGroup,
  source,
  isFailed,
} from '../../db/schema/index.ts'
import { iso, isoOrNull } from '../../lib/time.ts'
import { isCurrent, isCurrentOf, observedAtOf, statusNowOf } from '../courses/observed-at.ts'
import { joinSource, sectionFields, sectionOf } from '../courses/section-row.ts'

/** Counting stops here, so that the page costs no more on the busiest day. */
export const MAX_COUNTED = 1000
const MAX_LISTED = 6

const counted = constant(MAX_COUNTED)
const dayStart = parameter('dayStart')
const now = parameter('now')

const alerted = sql`(SELECT ${classAlert.id} AS id, ${classAlert.recipientId} AS person, ${classAlert.pollId} AS poll_id,
    ${classAlert.pollId} IS NULL AND ${classAlert.canceledAt} IS NULL AS is_held FROM ${classAlert}
  WHERE ${classAlert.openingId} = ${opening.id} LIMIT ${counted})`
/** The outcome of an opening's messages. */
const outcomeFields = {
  /** How many people were alerted, the name of one of them, and how many were sent a message. */
  people: sql<number>`count(DISTINCT person)`,
  person: sql<string | null>`min(${recipient.name})`,
  notified: sql<number>`count(DISTINCT iif(${delivery.acceptedAt} IS NULL, NULL, person))`,
  messages: sql<number>`count(DISTINCT ${delivery.id})`,
  failed: sql<number>`count(DISTINCT iif(${isFailed}, ${delivery.id}, NULL))`,
  /** Messages that may be sent any moment. */
  under_way: sql<number>`count(DISTINCT iif(${delivery.state} IN ('waiting', 'queued', 'sending', 'unconfirmed'), ${delivery.id}, NULL))`,
  /** Alerts that wait for quiet hours to end, or for their turn. */
  held: sql<number>`count(DISTINCT iif(is_held OR ${delivery.state} = 'held', alerted.id, NULL))`,
  /** Alerts of people without a usable contact. */
  unreachable: sql<number>`count(DISTINCT iif(alerted.poll_id IS NOT NULL AND ${delivery.id} IS NULL, alerted.id, NULL))`,
  /** When a provider accepted the first message, ms since epoch. */
  first_sent_at: sql<number | null>`min(${delivery.acceptedAt})`,
}
const outcomeOfOpening = jsonRow(
  outcomeFields,
  sql`FROM ${alerted} alerted LEFT JOIN ${deliveryAlert} ON ${deliveryAlert.alertId} = alerted.id
  LEFT JOIN ${delivery} ON ${delivery.id} = ${deliveryAlert.deliveryId} LEFT JOIN ${recipient} ON ${recipient.id} = person`,
)

/** Not new: the seat was open already when someone began to watch it. */
const newestOpenings = sql`(SELECT ${opening.id} AS id, ${opening.seenOpenAt} AS at, ${opening.lastClosedAt} IS NOT NULL AS is_new
  FROM ${opening} ORDER BY ${opening.id} DESC LIMIT ${counted})`

/** The newest of today's openings first. @param dayStart when today began for the reader, ms since epoch */
export const findOpenedToday = prepared(() =>
  template(
    {
      opening_id: opening.id,
      opened_at: opening.seenOpenAt,
      outcome: outcomeOfOpening,
      /** When its seats were gone again; null if they are not, or no one saw it. */
      gone_at: sql<
        number | null
      >`(SELECT ${seatChange.at} FROM ${seatChange} WHERE ${seatChange.sectionId} = ${opening.sectionId}
        AND ${seatChange.at} > ${opening.seenOpenAt} AND ${seatChange.status} IN ('closed', 'waitlisted') ORDER BY ${seatChange.at} LIMIT 1)`,
      school_name: school.name,
      source_kind: source.kind,
      ...sectionFields,
    },
    (columns) => sql`WITH newest AS MATERIALIZED (
        SELECT id FROM ${newestOpenings} WHERE at >= ${dayStart} AND is_new LIMIT ${constant(MAX_LISTED)})
      SELECT ${columns}
      FROM newest CROSS JOIN ${opening} ON ${opening.id} = newest.id
      JOIN ${section} ON ${section.id} = ${opening.sectionId} ${joinSource}
      ORDER BY ${opening.id} DESC`,
  ),
)

const openingFields = {
  count: sql<number>`count(*)`,
  /** When the newest of them was seen, ms since epoch; null without any. */
  last_at: sql<number | null>`max(at)`,
}

const watchedFields = {
  sections: sql<number>`count(*)`,
  /** How many of the first {@link MAX_COUNTED} are open and were read in the last ten minutes. */
  open: sql<number>`count(iif(is_open, 1, NULL))`,
}

/**
 * Today's figures for the front pages of staff, in one row. A count of {@link MAX_COUNTED} means that many or more.
 * @param dayStart when today began for the reader, ms since epoch
 */
export const findFiguresOfToday = prepared(() =>
  template(
    {
      watched: jsonRow(
        watchedFields,
        sql`
        FROM (SELECT ${statusNowOf(section)} = 'open' AND ${isCurrentOf(observedAtOf(section, sectionGroup), now)} AS is_open
          FROM ${section} INDEXED BY section_watched_id JOIN ${sectionGroup} ON ${sectionGroup.id} = ${section.groupId}
          WHERE ${section.watchCount} > 0 LIMIT ${counted})`,
      ),
      recipients: sql<number>`(SELECT count(*) FROM (SELECT 1 FROM ${recipient} LIMIT ${counted}))`,
      opened: jsonRow(openingFields, sql`FROM ${newestOpenings} WHERE at >= ${dayStart} AND is_new`),
      messages: sql<number>`(SELECT count(*) FROM (
        SELECT ${delivery.createdAt} AS at FROM ${delivery} ORDER BY ${delivery.id} DESC LIMIT ${counted}) WHERE at >= ${dayStart})`,
      failed_deliveries: sql<number>`(SELECT count(*) FROM (
        SELECT ${delivery.createdAt} AS at FROM ${delivery}
        WHERE ${isFailed} ORDER BY ${delivery.id} DESC LIMIT ${counted}) WHERE at >= ${dayStart})`,
      sources: sql<number>`(SELECT count(*) FROM ${source} WHERE ${source.isEnabled})`,
      /** Those that are enabled and answer. */
      sources_on_time: sql<number>`(SELECT count(*) FROM ${source}
        WHERE ${source.isEnabled} AND ${source.failures} = 0 AND coalesce(${source.pausedUntil}, 0) <= ${now})`,
    },
    (columns) => sql`SELECT ${columns}`,
  ),
)

export type Today = ReturnType<typeof todayOf>
export function todayOf([figures]: readonly RowOf<ReturnType<typeof findFiguresOfToday>>[]) {
  if (!figures) throw new Error('A SELECT without FROM returns one row.')
  const { watched, opened, ...counts } = figures
  return {
    ...counts,
    openings: opened.count,
    last_opened_at: isoOrNull(opened.last_at),
    watched_sections: watched.sections,
    open_sections: watched.open,
  }
}

/** A section that opened today, with its seats as last read, and the outcome of its messages. */
export type OpenedSection = ReturnType<typeof openedTodayOf>[number]
export const openedTodayOf = (opened: readonly RowOf<ReturnType<typeof findOpenedToday>>[], at: number) =>
  opened.map((row) => ({
    id: row.opening_id,
    opened_at: iso(row.opened_at),
    gone_at: isoOrNull(row.gone_at),
    ...row.outcome,
    first_sent_at: isoOrNull(row.outcome.first_sent_at),
    section: sectionOf(row, row.source_kind),
    /** Whether its seats were read in the last ten minutes. */
    is_current: isCurrent(row.section_observed_at, at),
    school_name: row.school_name,
  }))
