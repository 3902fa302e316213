import { sql } from 'drizzle-orm'
import { constant, parameter, prepared, type RowOf, template } from '../../db/query.ts'
import {
  classAlert,
  course,
  delivery,
  deliveryAlert,
  recipient,
  section,
  source,
  isFailed,
} from '../../db/schema/index.ts'
import { maskedAddress } from '../../notify/addresses.ts'
import { isoOrNull } from '../../lib/time.ts'
import { nameOf } from '../courses/section-row.ts'
import { isUndeliverable } from './find-alerts.ts'

/** The most failed messages, and the most sources, that are listed. */
const MAX_LISTED = 3

const dayStart = parameter('dayStart')
const now = parameter('now')

/** The newest messages of today that did not go out. @param dayStart when today began for the reader, ms since epoch */
export const findFailedToday = prepared(() =>
  template(
    {
      id: delivery.id,
      channel: delivery.channel,
      address: delivery.address,
      why: delivery.lastError,
      recipient_id: recipient.id,
      recipient_name: recipient.name,
      course_code: course.code,
      course_level: course.level,
      section_code: section.section,
      /** Sending it again would not help. */
      is_undeliverable: isUndeliverable.mapWith(Boolean),
    },
    (columns) => sql`WITH newest AS MATERIALIZED (
        SELECT ${delivery.id} AS id FROM ${delivery}
        WHERE ${isFailed} ORDER BY ${delivery.id} DESC LIMIT ${constant(MAX_LISTED)})
      SELECT ${columns} FROM newest CROSS JOIN ${delivery} ON ${delivery.id} = newest.id AND ${delivery.createdAt} >= ${dayStart}
      JOIN ${recipient} ON ${recipient.id} = ${delivery.recipientId}
      JOIN ${classAlert} ON ${classAlert.id} = (SELECT min(${deliveryAlert.alertId}) FROM ${deliveryAlert} WHERE ${deliveryAlert.deliveryId} = ${delivery.id})
      JOIN ${section} ON ${section.id} = ${classAlert.sectionId} JOIN ${course} ON ${course.id} = ${section.courseId}
      ORDER BY ${delivery.id} DESC`,
  ),
)

export type FailedMessage = ReturnType<typeof failedMessagesOf>[number]
export const failedMessagesOf = (rows: readonly RowOf<ReturnType<typeof findFailedToday>>[]) =>
  rows.map((row) => ({
    ...row,
    address: maskedAddress(row.channel, row.address),
    recipient: { id: row.recipient_id, name: row.recipient_name },
    /** 'CODE LEVEL-section' of the first section it is about. */
    section: nameOf(row),
  }))

/** Sources that are on and do not answer, or asked us to wait; the worst first. @param now ms since epoch */
export const findFailingSources = prepared(() =>
  template(
    {
      id: source.id,
      name: source.name,
      failures: source.failures,
      last_good_at: source.lastGoodAt,
      paused_until: source.pausedUntil,
      why: source.lastError,
    },
    (columns) => sql`SELECT ${columns} FROM ${source}
      WHERE ${source.isEnabled} AND (${source.failures} > 0 OR coalesce(${source.pausedUntil}, 0) > ${now})
      ORDER BY ${source.failures} DESC, ${source.id} LIMIT ${constant(MAX_LISTED)}`,
  ),
)

export type FailingSource = ReturnType<typeof failingSourcesOf>[number]
export const failingSourcesOf = (rows: readonly RowOf<ReturnType<typeof findFailingSources>>[]) =>
  rows.map(({ last_good_at, paused_until, ...row }) => ({
    ...row,
    /** When it last answered; null for never. */
    last_good_at: isoOrNull(last_good_at),
    next_try_at: isoOrNull(paused_until),
  }))
