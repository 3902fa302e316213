import { sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/sqlite-core'
import { names, query, type Query, statement, template, writeTogether } from '../../db/query.ts'
import { classAlert, delivery, deliveryAlert, recipient } from '../../db/schema/index.ts'
import { isTimeZone } from '../../lib/time.ts'
import { deliveryHeldUntil, ofContact } from './of-contact.ts'
import { quietTimeAt } from '../recipients/quiet-time.ts'
import { smsAfterMs, waitsForPush } from '../recipients/held-until.ts'

const a = alias(classAlert, 'a')
const b = alias(classAlert, 'b')
const ofHeld = alias(deliveryAlert, 'of_held')
const ofLater = alias(deliveryAlert, 'of_later')
const later = alias(delivery, 'later')

/** The most recipients whose quiet hours are renewed, and the most messages that are woken, in one run. */
const MAX_ROWS = 500

/** The condition of the index `delivery_waiting`, and the exact one. */
const isDue = (now: number) =>
  sql`${delivery.state} IN ('waiting', 'held') AND ${delivery.state} = 'held' AND ${delivery.dueAt} <= ${now}`

/**
 * Sends held messages whose quiet time is over, if the seat is still open, once per section, and renews the quiet
 * times.
 * @returns how many were woken; until when those that are texts wait for a notification to be seen, in ms (0: none
 * does); `isDone` is false if there may be more
 */
export async function wakeHeld(
  db: D1Database,
  now: number,
): Promise<{ woken: number; textsDueAt: number; isDone: boolean }> {
  const [, over, woken] = await writeTogether(db, [
    dropRepeated(now),
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
    wake(now),
  ])
  const renewed = over.rows.flatMap(({ id, quiet_from: from, quiet_until: until, time_zone }) => {
    if (from === null || until === null) return []
    // A zone may have been renamed since it was chosen, and one recipient must not end the sweep.
    const timeZone = isTimeZone(time_zone) ? time_zone : 'UTC'
    const { starts_at, ends_at } = quietTimeAt({ from, until, timeZone }, now)
    return [[id, starts_at, ends_at]]
  })
  if (renewed.length > 0) await writeTogether(db, [renewQuietTimes(JSON.stringify(renewed))])
  const waiting = woken.rows.filter(({ state }) => state === 'waiting').map(({ due_at }) => due_at)
  return {
    woken: woken.rows.length,
    textsDueAt: Math.max(0, ...waiting),
    isDone: Math.max(woken.rows.length, renewed.length) < MAX_ROWS,
  }
}

/** Of several messages about the same sections, which may accumulate overnight, only the newest is sent. */
function dropRepeated(now: number): Query {
  return statement(sql`UPDATE ${delivery}
    SET ${names(delivery.state)} = 'canceled', ${names(delivery.lastError)} = 'A later message is about the same section.'
    WHERE ${isDue(now)} AND NOT EXISTS (
      SELECT 1 FROM ${deliveryAlert} ${ofHeld} JOIN ${classAlert} ${a} ON ${a.id} = ${ofHeld.alertId}
      WHERE ${ofHeld.deliveryId} = ${delivery.id} AND NOT EXISTS (
        SELECT 1 FROM ${delivery} ${later}
        JOIN ${deliveryAlert} ${ofLater} ON ${ofLater.deliveryId} = ${later.id}
        JOIN ${classAlert} ${b} ON ${b.id} = ${ofLater.alertId} AND ${b.sectionId} = ${a.sectionId}
        WHERE ${later.contactId} = ${delivery.contactId} AND ${later.id} > ${delivery.id} AND ${later.state} = 'held'))`)
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
        ${names(delivery.askedAt)} = max(${now}, ${until}), ${names(delivery.lookAt)} = NULL
      WHERE ${delivery.id} IN (
        SELECT ${delivery.id} FROM ${delivery} WHERE ${isDue(now)} ORDER BY ${delivery.dueAt} LIMIT ${MAX_ROWS})
      RETURNING ${columns}`,
  )
}

function renewQuietTimes(list: string): Query {
  return statement(sql`UPDATE ${recipient}
    SET ${names(recipient.quietStartsAt)} = v.value ->> 1, ${names(recipient.quietEndsAt)} = v.value ->> 2
    FROM json_each(${list}) v WHERE ${recipient.id} = v.value ->> 0`)
}

/** Makes the next sweep check a recipient's held messages again after they changed quiet hours or ended a pause. */
export function lookAtHeld(recipientId: number, now: number): Query {
  return query
    .update(delivery)
    .set({ dueAt: now })
    .where(sql`${delivery.recipientId} = ${recipientId} AND ${delivery.state} = 'held'`)
}
