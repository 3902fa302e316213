import { and, eq, sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/sqlite-core'
import { names, type Query, query, statement, writeTogether } from '../../db/query.ts'
import { classAlert, delivery, deliveryAlert, recipient, section, watch } from '../../db/schema/index.ts'
import { notThere } from '../../web/refusal.ts'
import type { Done } from './contract.ts'
import { refuseUnlessSuperuser, type TrackerActor } from '../tracker-actor.ts'
import { auditWatch, type WatchScope } from './audit-watch.ts'

/** The reason shown for messages that were not sent. */
const noLongerWatched = 'The section is no longer watched.'

/**
 * Ends a watch and cancels what was not sent yet: held alerts and waiting messages about this section. A message that
 * also carries other sections continues without this one. Removing a watch that does not exist is not an error.
 * @throws forbidden, notThere for an unknown recipient or section
 */
export async function removeWatchedSection(
  db: D1Database,
  by: TrackerActor,
  { recipientId, sectionId }: WatchScope,
  now: number,
): Promise<Done> {
  refuseUnlessSuperuser(by)
  const [recipients, sections] = await writeTogether(db, [
    query.select({ id: recipient.id }).from(recipient).where(eq(recipient.id, recipientId)),
    query.select({ id: section.id }).from(section).where(eq(section.id, sectionId)),
    auditWatch(by.audit, 'deleted', { recipientId, sectionId }, now),
    ...deleteWatch(recipientId, sectionId, now),
  ])
  if (recipients.rows.length === 0) throw notThere(`Recipient id ${recipientId} not found`)
  if (sections.rows.length === 0) throw notThere(`Section id ${sectionId} not found`)
  return { is_success: true, message: 'Section removed successfully' }
}

/** The statements of {@link removeWatchedSection}, for one batch. */
export function deleteWatch(recipientId: number, sectionId: number, now: number): Query[] {
  return [
    query.delete(watch).where(and(eq(watch.recipientId, recipientId), eq(watch.sectionId, sectionId))),
    cancelAlerts(recipientId, sectionId, now),
    cancelDeliveries(recipientId, sectionId),
    leaveDeliveries(recipientId, sectionId),
  ]
}

/** Alerts of the recipient about the section. */
const itsAlerts = (recipientId: number, sectionId: number) =>
  sql`SELECT ${classAlert.id} FROM ${classAlert} WHERE ${classAlert.recipientId} = ${recipientId} AND ${classAlert.sectionId} = ${sectionId}`

/**
 * Whether the provider certainly does not have it: it is waiting, or claimed by a runner that has not started to send
 * it and now will not.
 */
const isUnsent = sql`(${delivery.state} IN ('waiting', 'held', 'queued') OR ${delivery.state} = 'sending' AND ${delivery.body} IS NULL)`

/** Alerts that are held, or whose messages all still wait. */
function cancelAlerts(recipientId: number, sectionId: number, now: number): Query {
  const itsMessages = sql`SELECT 1 FROM ${deliveryAlert} JOIN ${delivery} ON ${delivery.id} = ${deliveryAlert.deliveryId}
    WHERE ${deliveryAlert.alertId} = ${classAlert.id}`
  return statement(sql`UPDATE ${classAlert} SET ${names(classAlert.canceledAt)} = ${now}
    WHERE ${classAlert.id} IN (${itsAlerts(recipientId, sectionId)}) AND ${classAlert.canceledAt} IS NULL AND (
      ${classAlert.pollId} IS NULL
      OR EXISTS (${itsMessages} AND ${isUnsent})
        AND NOT EXISTS (${itsMessages} AND NOT ${isUnsent} AND ${delivery.state} <> 'canceled'))`)
}

/** Messages about this section only. One that the provider may have accepted is neither looked up nor sent again. */
function cancelDeliveries(recipientId: number, sectionId: number): Query {
  return statement(sql`UPDATE ${delivery}
    SET ${names(delivery.state)} = 'canceled', ${names(delivery.lastError)} = ${noLongerWatched}
    WHERE (${isUnsent} OR ${delivery.state} = 'unconfirmed')
      AND ${delivery.id} IN (SELECT ${deliveryAlert.deliveryId} FROM ${deliveryAlert}
        WHERE ${deliveryAlert.alertId} IN (${itsAlerts(recipientId, sectionId)}))
      AND NOT EXISTS (SELECT 1 FROM ${deliveryAlert} JOIN ${classAlert} ON ${classAlert.id} = ${deliveryAlert.alertId}
        WHERE ${deliveryAlert.deliveryId} = ${delivery.id} AND ${classAlert.sectionId} <> ${sectionId})`)
}

/**
 * Other untried messages continue without this section; one that the provider may have accepted keeps its text, so that
 * a lookup finds it.
 */
function leaveDeliveries(recipientId: number, sectionId: number): Query {
  const alerts = itsAlerts(recipientId, sectionId)
  const other = alias(deliveryAlert, 'other')
  return statement(sql`DELETE FROM ${deliveryAlert}
    WHERE ${deliveryAlert.alertId} IN (${alerts}) AND ${deliveryAlert.deliveryId} IN (
      SELECT ${delivery.id} FROM ${deliveryAlert} ${other}
      JOIN ${delivery} ON ${delivery.id} = ${other.deliveryId} AND ${delivery.state} IN ('waiting', 'held', 'queued')
        AND ${delivery.body} IS NULL
      WHERE ${other.alertId} IN (${alerts}))`)
}
