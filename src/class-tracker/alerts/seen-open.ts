import { type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import { constant } from '../../db/query.ts'
import { classAlert, delivery, deliveryAlert, section, sectionGroup, source, watch } from '../../db/schema/index.ts'
import { a, g, s, w } from '../aliases.ts'
import { HOUR_MS, MINUTE_MS } from '../../lib/time.ts'

/** A message says "open" or "still open", so its section must have been read within this time. */
export const MAX_BELIEF_AGE_MS = 15 * MINUTE_MS
/** An alert or a message that has waited longer than this for such a read is no longer held. */
export const MAX_HELD_MS = 2 * HOUR_MS
/** Why such a message is not sent; the beginning of its `last_error`. */
export const seatUnconfirmed = 'The school did not say that the seat is still open.'

type SectionColumns = Readonly<Record<'status' | 'missingSince' | 'unknownSince' | 'setOpenAt', SQLWrapper>>
type GroupColumns = Readonly<Record<'readAt' | 'failures' | 'sourceId', SQLWrapper>>

const isListedOpen = ({ status, missingSince, unknownSince }: SectionColumns): SQL =>
  sql`${status} = 'open' AND ${missingSince} IS NULL AND ${unknownSince} IS NULL`

/** Whether the school of a group does not answer: it is off, paused or down, or was never read. */
const isUnresponsive = ({ readAt, failures, sourceId }: GroupColumns): SQL =>
  sql`(${readAt} IS NULL OR ${failures} > 0 OR EXISTS (SELECT 1 FROM ${source} WHERE ${source.id} = ${sourceId}
    AND (NOT ${source.isEnabled} OR ${source.pausedUntil} IS NOT NULL OR ${source.failures} > 0)))`

/**
 * Until when a person's word that a section is open is believed, in ms; NULL without one. It is as good as a reading made
 * at that time; while the school does not answer and has said nothing since, it stands until somebody closes the section.
 */
export const vouchedUntilOf = (s: SectionColumns, g: GroupColumns): SQL<number | null> =>
  sql`iif(${s.setOpenAt} IS NOT NULL AND ${isListedOpen(s)},
    iif(${s.setOpenAt} >= coalesce(${g.readAt}, 0) AND ${isUnresponsive(g)},
      ${constant(Number.MAX_SAFE_INTEGER)}, ${s.setOpenAt} + ${constant(MAX_BELIEF_AGE_MS)}), NULL)`

/** Whether a section of a group was recently read as open, or a person said so. */
export const isSeenOpen = (s: SectionColumns, g: GroupColumns, now: number): SQL =>
  sql`(${isListedOpen(s)} AND (${g.readAt} >= ${now - MAX_BELIEF_AGE_MS} OR ${vouchedUntilOf(s, g)} >= ${now}))`

/** Of the `delivery`, FROM and WHERE: the alerts `a` whose sections are still watched and may be open. */
const openAlerts = sql`${deliveryAlert}
  JOIN ${classAlert} ${a} ON ${a.id} = ${deliveryAlert.alertId} AND ${a.canceledAt} IS NULL
  JOIN ${watch} ${w} ON ${w.recipientId} = ${a.recipientId} AND ${w.sectionId} = ${a.sectionId} AND ${w.archivedAt} IS NULL
  JOIN ${section} ${s} ON ${s.id} = ${a.sectionId} AND ${s.status} IN ('open', 'unknown')
  JOIN ${sectionGroup} ${g} ON ${g.id} = ${s.groupId}
  WHERE ${deliveryAlert.deliveryId} = ${delivery.id}`

/** The alerts of the `delivery` whose sections may be open but were not recently read as such: a SELECT of ids. */
export const alertsInDoubt = (now: number): SQL =>
  sql`SELECT ${a.id} FROM ${openAlerts} AND ${isSeenOpen(s, g, now)} IS NOT TRUE`

/** Whether a message about the `delivery` would be true for at least one section. */
export const hasSeenOpen = (now: number): SQL => sql`EXISTS (SELECT 1 FROM ${openAlerts} AND ${isSeenOpen(s, g, now)})`

/** Whether one of {@link alertsInDoubt} is about a section that no one asked its school about since the message was due. */
export const hasUnaskedDoubt = (now: number): SQL =>
  sql`EXISTS (${alertsInDoubt(now)} AND coalesce(${g.askedAt}, 0) < ${delivery.dueAt})`

/** Whether {@link alertsInDoubt} has any. */
export const hasDoubt = (now: number): SQL => sql`EXISTS (${alertsInDoubt(now)})`
