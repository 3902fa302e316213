import { sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/sqlite-core'
import { into, names, query, type Query, statement, template, writeTogether } from '../../db/query.ts'
import {
  classAlert,
  delivery,
  deliveryAlert,
  isWaitingOrHeld,
  recipient,
  section,
  sectionGroup,
  watch,
} from '../../db/schema/index.ts'
import { DAY_MS, isTimeZone } from '../../lib/time.ts'
import { graceMs } from '../alerts/release-alerts.ts'
import { alertsInDoubt, hasDoubt, hasSeenOpen, hasUnaskedDoubt, isSeenOpen, MAX_HELD_MS } from '../alerts/seen-open.ts'
import { deliveryHeldUntil, ofContact } from './of-contact.ts'
import { quietTimeAt } from '../recipients/quiet-time.ts'
import { smsAfterMs, waitsForPush } from '../recipients/held-until.ts'
import { isUnsentEnd } from '../watches/last-alert.ts'
import { a, g, s, w } from '../aliases.ts'

const laterAlert = alias(classAlert, 'later_alert')
const ofHeld = alias(deliveryAlert, 'of_held')
const ofLater = alias(deliveryAlert, 'of_later')
const later = alias(delivery, 'later')
const rest = alias(delivery, 'rest')

/** The most recipients whose quiet hours are renewed, and the most messages that are woken, in one run. */
const MAX_ROWS = 500

/** The condition of the index `delivery_waiting`, and the exact one. */
const isDue = (now: number) => sql`${isWaitingOrHeld} AND ${delivery.state} = 'held' AND ${delivery.dueAt} <= ${now}`

/**
 * Sends held messages whose quiet time is over, once the seat was recently read as open, once per section, and renews the
 * quiet times.
 * @returns how many were woken; until when those that are texts wait for a notification to be seen, in ms (0: none
 * does); `isDone` is false if there may be more
 */
export async function wakeHeld(
  db: D1Database,
  now: number,
): Promise<{ woken: number; textsDueAt: number; isDone: boolean }> {
  const [, , , , over, , woken] = await writeTogether(db, [
    ...dropRepeated(now),
    ...splitOffUnconfirmed(now),
    query
      .select({
        id: recipient.id,
        quiet_from: recipient.quietFrom,
        quiet_until: recipient.quietUntil,
        time_zone: recipient.timeZone,
      })
      .from(recipient)
      .where(sql`${recipient.quietEndsAt} <= ${now}`)
      .limit(MAX_ROWS),
    recordAlerts(now),
    wake(now),
  ])
  const renewed = over.rows.flatMap(({ id, quiet_from: from, quiet_until: until, time_zone }) => {
    if (from === null || until === null) return []
    // A zone may have been renamed since it was chosen, and one recipient must not end the sweep.
    const timeZone = isTimeZone(time_zone) ? time_zone : 'UTC'
    const { starts_at, ends_at } = quietTimeAt({ from, until, timeZone }, now)
    return [[id, starts_at, ends_at, from, until, time_zone]]
  })
  if (renewed.length > 0) await writeTogether(db, [renewQuietTimes(JSON.stringify(renewed), now)])
  const waiting = woken.rows.filter(({ state }) => state === 'waiting').map(({ due_at }) => due_at)
  return {
    woken: woken.rows.length,
    textsDueAt: Math.max(0, ...waiting),
    isDone: Math.max(woken.rows.length, renewed.length) < MAX_ROWS,
  }
}

/**
 * The newest later message to the contact of the `delivery` about the section of alert `a`, held or not: after a pause it
 * may already be sent. NULL if there is none.
 */
const replacement = sql`(SELECT max(${later.id}) FROM ${delivery} ${later}
  JOIN ${deliveryAlert} ${ofLater} ON ${ofLater.deliveryId} = ${later.id}
  JOIN ${classAlert} ${laterAlert} ON ${laterAlert.id} = ${ofLater.alertId} AND ${laterAlert.sectionId} = ${a.sectionId}
  WHERE ${later.contactId} = ${delivery.contactId} AND ${later.id} > ${delivery.id} AND NOT ${isUnsentEnd(later.state)})`

/**
 * Of several messages about the same section, which may accumulate overnight, only the newest is sent; one that is also
 * about others is sent without this section.
 */
function dropRepeated(now: number): readonly [Query, Query] {
  const { deliveryId, alertId } = deliveryAlert
  return [
    statement(sql`UPDATE ${delivery}
      SET ${names(delivery.state)} = 'canceled', ${names(delivery.lastError)} = 'A later message is about the same section.'
      WHERE ${isDue(now)} AND NOT EXISTS (
        SELECT 1 FROM ${deliveryAlert} ${ofHeld} JOIN ${classAlert} ${a} ON ${a.id} = ${ofHeld.alertId}
        WHERE ${ofHeld.deliveryId} = ${delivery.id} AND ${replacement} IS NULL)`),
    statement(sql`UPDATE OR IGNORE ${deliveryAlert} SET ${names(deliveryId)} = repeated.replacement
      FROM (SELECT ${ofHeld.deliveryId} AS held_id, ${a.id} AS alert_id, ${replacement} AS replacement FROM ${delivery}
        CROSS JOIN ${deliveryAlert} ${ofHeld} ON ${ofHeld.deliveryId} = ${delivery.id}
        CROSS JOIN ${classAlert} ${a} ON ${a.id} = ${ofHeld.alertId}
        WHERE ${isDue(now)}) repeated
      WHERE ${deliveryId} = repeated.held_id AND ${alertId} = repeated.alert_id AND repeated.replacement IS NOT NULL`),
  ]
}

/**
 * Where some sections of a message were recently read as open and others may be open too, the others go into another
 * message, which stays held until the school says so.
 */
function splitOffUnconfirmed(now: number): readonly [Query, Query] {
  const { pollId, recipientId, contactId, channel, address, state, dueAt, createdAt, isSilent } = delivery
  const restPollId = sql`${pollId} || '.' || ${now}`
  return [
    statement(sql`INSERT INTO ${into(delivery, pollId, recipientId, contactId, channel, address, state, dueAt, createdAt, isSilent)}
      SELECT ${restPollId}, ${recipientId}, ${contactId}, ${channel}, ${address}, ${state}, ${dueAt}, ${createdAt}, ${isSilent}
      FROM ${delivery} WHERE ${isDue(now)} AND ${deliveryHeldUntil(now)} <= ${now}
        AND ${hasSeenOpen(now)} AND ${hasDoubt(now)} ORDER BY ${dueAt} LIMIT ${MAX_ROWS}
      ON CONFLICT DO NOTHING`),
    statement(sql`UPDATE ${deliveryAlert} SET ${names(deliveryAlert.deliveryId)} = apart.rest_id
      FROM (SELECT ${delivery.id} AS id, ${rest.id} AS rest_id FROM ${delivery}
        CROSS JOIN ${delivery} ${rest} ON ${rest.pollId} = ${restPollId} AND ${rest.contactId} = ${contactId}
        WHERE ${isDue(now)}) apart
      CROSS JOIN ${delivery} ON ${delivery.id} = apart.id
      WHERE ${deliveryAlert.deliveryId} = apart.id AND ${deliveryAlert.alertId} IN (${alertsInDoubt(now)})`),
  ]
}

/** It waited too long for the school to say, which was asked in that time: our own outage does not count, for a day. */
const isOverdue = (now: number) => sql`(${delivery.dueAt} <= ${now - MAX_HELD_MS}
  AND (NOT ${hasUnaskedDoubt(now)} OR ${delivery.dueAt} <= ${now - DAY_MS}))`

/**
 * The messages that {@link wake} takes: those that would be true, whose seats are gone, or that waited too long for the
 * school to say, which their jobs send or end; and those whose recipients want quiet longer.
 */
const wakeable = (now: number) => sql`SELECT ${delivery.id} FROM ${delivery} WHERE ${isDue(now)} AND (
    ${hasSeenOpen(now)} OR NOT ${hasDoubt(now)} OR ${isOverdue(now)}
    OR ${deliveryHeldUntil(now)} > ${now})
  ORDER BY ${delivery.dueAt} LIMIT ${MAX_ROWS}`

/** Sections that messages are about to be sent about: the next alert is held, and a reminder due, as after any other. */
function recordAlerts(now: number): Query {
  return statement(sql`UPDATE ${watch}
    SET ${names(watch.lastAlertAt)} = ${now}, ${names(watch.remindAt)} = iif(${watch.remindAt} IS NULL, NULL, ${now} + ${graceMs})
    WHERE ${watch.id} IN (
      SELECT ${w.id} FROM (${wakeable(now)}) woken CROSS JOIN ${delivery} ON ${delivery.id} = woken.id
      CROSS JOIN ${deliveryAlert} ON ${deliveryAlert.deliveryId} = ${delivery.id}
      CROSS JOIN ${classAlert} ${a} ON ${a.id} = ${deliveryAlert.alertId}
      CROSS JOIN ${watch} ${w} ON ${w.recipientId} = ${a.recipientId} AND ${w.sectionId} = ${a.sectionId}
      CROSS JOIN ${section} ${s} ON ${s.id} = ${a.sectionId}
      CROSS JOIN ${sectionGroup} ${g} ON ${g.id} = ${s.groupId} AND ${isSeenOpen(s, g, now)}
      WHERE ${deliveryHeldUntil(now)} <= ${now})`)
}

/** A pause may end within quiet hours and vice versa: then the message stays held. */
function wake(now: number) {
  const until = deliveryHeldUntil(now)
  const waits = ofContact(waitsForPush)
  return template(
    { state: delivery.state, due_at: delivery.dueAt },
    (columns) => sql`UPDATE ${delivery}
      SET ${names(delivery.state)} = iif(${until} > ${now}, 'held', iif(${waits}, 'waiting', 'queued')),
        ${names(delivery.dueAt)} = max(${now} + iif(${until} <= ${now} AND ${waits}, ${smsAfterMs}, 0), ${until}),
        ${names(delivery.restartedAt)} = max(${now}, ${until}), ${names(delivery.lookAt)} = NULL
      WHERE ${delivery.id} IN (${wakeable(now)})
      RETURNING ${columns}`,
  )
}

/** Only of those who have not changed or removed their quiet hours since they were read. */
function renewQuietTimes(list: string, now: number): Query {
  const { id, quietFrom, quietUntil, timeZone, quietStartsAt, quietEndsAt } = recipient
  return statement(sql`UPDATE ${recipient}
    SET ${names(quietStartsAt)} = v.value ->> 1, ${names(quietEndsAt)} = v.value ->> 2
    FROM json_each(${list}) v WHERE ${id} = v.value ->> 0 AND ${quietEndsAt} <= ${now}
      AND (${quietFrom}, ${quietUntil}, ${timeZone}) = (v.value ->> 3, v.value ->> 4, v.value ->> 5)`)
}

/** Makes the next sweep check a recipient's held messages again after they changed quiet hours or ended a pause. */
export function lookAtHeld(recipientId: number, now: number): Query {
  return query
    .update(delivery)
    .set({ dueAt: now })
    .where(sql`${delivery.recipientId} = ${recipientId} AND ${delivery.state} = 'held'`)
}
