import { and, eq, sql } from 'drizzle-orm'
import { names, type Query, query, statement, writeTogether } from '../../db/query.ts'
import { classAlert, delivery, deliveryAlert, recipient, section, watch } from '../../db/schema/index.ts'
import { notFound } from '../../web/refusal.ts'
import type { Done } from './contract.ts'
import { refuseUnlessSuperuser, type TrackerActor } from '../tracker-actor.ts'
import { auditWatch, type WatchScope } from './audit-watch.ts'
import { endClaims } from './end-claims.ts'

/** The reason shown for messages that were not sent. */
const noLongerWatched = 'The section is no longer watched.'

/**
 * Ends a watch and cancels what was not sent; a message that is also about other sections is sent without this one.
 * @throws forbidden, notFound for an unknown recipient or section
 */
export async function removeWatchedSection(
  db: D1Database,
  by: TrackerActor,
  scope: WatchScope,
  now: number,
): Promise<Done> {
  refuseUnlessSuperuser(by)
  const { recipientId, sectionId } = scope
  const [recipients, sections] = await writeTogether(db, [
    query.select({ id: recipient.id }).from(recipient).where(eq(recipient.id, recipientId)),
    query.select({ id: section.id }).from(section).where(eq(section.id, sectionId)),
    auditWatch(by.audit, 'deleted', scope, now),
    ...deleteWatch(scope, now),
  ])
  if (recipients.rows.length === 0) throw notFound(`Recipient id ${recipientId} not found`)
  if (sections.rows.length === 0) throw notFound(`Section id ${sectionId} not found`)
  return { is_success: true, message: 'Section removed successfully' }
}

/** The statements of {@link removeWatchedSection}, for one batch. */
export function deleteWatch(scope: WatchScope, now: number): Query[] {
  const { recipientId, sectionId } = scope
  return [
    query.delete(watch).where(and(eq(watch.recipientId, recipientId), eq(watch.sectionId, sectionId))),
    cancelAlerts(scope, now),
    cancelDeliveries(scope),
    ...leaveDeliveries(scope, now),
  ]
}

/** Alerts of the recipient about the section. */
const itsAlerts = ({ recipientId, sectionId }: WatchScope) =>
  sql`SELECT ${classAlert.id} FROM ${classAlert} WHERE ${classAlert.recipientId} = ${recipientId} AND ${classAlert.sectionId} = ${sectionId}`

/** Whether the provider certainly does not have it: waiting, or claimed by a runner that now will not send it. */
const isUnsent = sql`(${delivery.state} IN ('waiting', 'held', 'queued') OR ${delivery.state} = 'sending' AND ${delivery.body} IS NULL)`

/** Cancels alerts that are held, or whose messages are all unsent. */
function cancelAlerts(scope: WatchScope, now: number): Query {
  const itsMessages = sql`SELECT 1 FROM ${deliveryAlert} JOIN ${delivery} ON ${delivery.id} = ${deliveryAlert.deliveryId}
    WHERE ${deliveryAlert.alertId} = ${classAlert.id}`
  return statement(sql`UPDATE ${classAlert} SET ${names(classAlert.canceledAt)} = ${now}
    WHERE ${classAlert.id} IN (${itsAlerts(scope)}) AND ${classAlert.canceledAt} IS NULL AND (
      ${classAlert.pollId} IS NULL
      OR EXISTS (${itsMessages} AND ${isUnsent})
        AND NOT EXISTS (${itsMessages} AND NOT ${isUnsent} AND ${delivery.state} <> 'canceled'))`)
}

/** Cancels messages about this section only; one that may have been accepted is neither looked up nor sent again. */
function cancelDeliveries(scope: WatchScope): Query {
  return statement(sql`UPDATE ${delivery}
    SET ${names(delivery.state)} = 'canceled', ${names(delivery.lastError)} = ${noLongerWatched}
    WHERE (${isUnsent} OR ${delivery.state} = 'unconfirmed')
      AND ${delivery.id} IN (SELECT ${deliveryAlert.deliveryId} FROM ${deliveryAlert}
        WHERE ${deliveryAlert.alertId} IN (${itsAlerts(scope)}))
      AND NOT EXISTS (SELECT 1 FROM ${deliveryAlert} JOIN ${classAlert} ON ${classAlert.id} = ${deliveryAlert.alertId}
        WHERE ${deliveryAlert.deliveryId} = ${delivery.id} AND ${classAlert.sectionId} <> ${scope.sectionId})`)
}

/**
 * Other untried messages lose this section, also one that a runner has just claimed, whose claim ends; one that may have
 * been accepted keeps its text for a lookup.
 */
function leaveDeliveries(scope: WatchScope, now: number): Query[] {
  const { state, body } = delivery
  const ofAlerts = sql`${deliveryAlert.alertId} IN (${itsAlerts(scope)})`
  const itsMessages = sql`SELECT ${deliveryAlert.deliveryId} FROM ${deliveryAlert} WHERE ${ofAlerts}`
  return [
    endClaims(itsMessages, now),
    statement(sql`DELETE FROM ${deliveryAlert} WHERE ${ofAlerts} AND ${deliveryAlert.deliveryId} IN (
      SELECT ${delivery.id} FROM ${delivery} WHERE ${delivery.id} IN (${itsMessages})
        AND ${state} IN ('waiting', 'held', 'queued') AND ${body} IS NULL)`),
  ]
}
