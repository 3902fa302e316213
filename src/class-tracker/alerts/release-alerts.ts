import { and, eq, sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/sqlite-core'
import { constant, into, names, query, type Query, statement, writeTogether } from '../../db/query.ts'
import { settingMs } from '../../db/read-setting.ts'
import {
  classAlert,
  contact,
  delivery,
  deliveryAlert,
  recipient,
  section,
  sectionGroup,
  watch,
  canBeMessaged,
} from '../../db/schema/index.ts'
import { DAY_MS } from '../../lib/time.ts'
import { endTurns, moveUp } from './fair-turns.ts'
import { isSeenOpen, MAX_HELD_MS } from './seen-open.ts'
import { heldUntil, isSilentNow, smsAfterMs, waitsForPush } from '../recipients/held-until.ts'
import { a, d, g, s, w } from '../aliases.ts'

const earlier = alias(classAlert, 'earlier')
const waiting = alias(classAlert, 'waiting')

/** How long a section may stay open before its watchers are reminded: the setting `reminder_grace_seconds`. */
export const reminderGrace = {
  setting: 'reminder_grace_seconds',
  initial: 6 * 3600,
  minimum: 60,
  maximum: 30 * 24 * 3600,
} as const
/** How many reminders may follow the alert of one opening. */
const MAX_REMINDERS = 3
/** The most alerts that one call releases, cancels or adds. */
const MAX_ALERTS = 500

export const graceMs = settingMs(reminderGrace)

/** Whether the recipient of alert `a` wants reminders. */
const wantsReminders = sql`(SELECT ${recipient.isReminded} FROM ${recipient} WHERE ${recipient.id} = ${a.recipientId})`

/** Whether alert `a` is in a delivery. */
const isDelivered = sql`EXISTS (SELECT 1 FROM ${deliveryAlert} WHERE ${deliveryAlert.alertId} = ${a.id})`

/** Whether watch `w` has had a message since alert `a` was held, about a newer opening: a second one would repeat it. */
const isOvertaken = sql`coalesce(${w.lastAlertAt}, 0) > ${a.createdAt}`

/**
 * Releases held alerts, cancels those no longer true and adds reminders, in one batch with their deliveries.
 * @param pollId new for each call; released alerts carry it
 * @returns how many; until when their texts wait for a notification to be seen, in ms (0: none does); `isDone` is false
 * if there may be more
 */
export async function releaseDueAlerts(
  db: D1Database,
  pollId: string,
  now: number,
): Promise<{ released: number; canceled: number; reminders: number; textsDueAt: number; isDone: boolean }> {
  const [, , released, canceled, reminders, , , , , texts] = await writeTogether(db, [
    endTurns(now),
    moveUp(now),
    releaseHeld(pollId, now),
    cancelHeld(now),
    remind(pollId, now),
    deleteReminders(now),
    ...makeDeliveries(pollId, now),
    query
      .select({ due_at: sql<number>`coalesce(max(${delivery.dueAt}), 0)` })
      .from(delivery)
      .where(and(eq(delivery.pollId, pollId), eq(delivery.state, 'waiting'))),
  ])
  const textsDueAt = texts.rows[0]?.due_at ?? 0
  const counts = { released: released.changes, canceled: canceled.changes, reminders: reminders.changes }
  return { ...counts, textsDueAt, isDone: Math.max(...Object.values(counts)) < MAX_ALERTS }
}

/**
 * The statements that follow when alerts are released under `pollId`: one delivery is written for each usable contact
 * of each recipient (held in their quiet hours and pauses; a text waits while a notification may be seen), every alert is
 * put into its recipient's deliveries, and their watches record the alert. A recipient without a usable contact gets
 * none, and the alert is shown as not sent.
 */
export function makeDeliveries(pollId: string, now: number): readonly [Query, Query, Query] {
  const { recipientId, contactId, channel, address, state, dueAt, createdAt, isSilent } = delivery
  const until = heldUntil(now)
  return [
    statement(sql`INSERT INTO ${into(delivery, delivery.pollId, recipientId, contactId, channel, address, state, dueAt, createdAt, isSilent)}
      SELECT DISTINCT ${pollId}, ${contact.recipientId}, ${contact.id}, ${contact.kind}, ${contact.address},
        iif(${until} > ${now}, 'held', iif(${waitsForPush}, 'waiting', 'queued')),
        max(${now} + iif(${until} <= ${now} AND ${waitsForPush}, ${smsAfterMs}, 0), ${until}), ${now}, ${isSilentNow(now)}
      FROM ${classAlert} ${a}
      JOIN ${recipient} ON ${recipient.id} = ${a.recipientId}
      JOIN ${contact} ON ${contact.recipientId} = ${recipient.id} AND ${canBeMessaged}
      WHERE ${a.pollId} = ${pollId}
      ON CONFLICT DO NOTHING`),
    statement(sql`INSERT INTO ${into(deliveryAlert, deliveryAlert.deliveryId, deliveryAlert.alertId)}
      SELECT ${d.id}, ${a.id} FROM ${delivery} ${d}
      JOIN ${classAlert} ${a} ON ${a.pollId} = ${d.pollId} AND ${a.recipientId} = ${d.recipientId}
      WHERE ${d.pollId} = ${pollId}
      ON CONFLICT DO NOTHING`),
    // An alert that nobody is sent does not hold back the next one.
    statement(sql`UPDATE ${watch}
      SET ${names(watch.lastAlertAt)} = iif(${isDelivered}, ${now}, ${watch.lastAlertAt}), ${names(watch.reminders)} = ${a.reminder},
        ${names(watch.remindAt)} = iif(${a.reminder} < ${constant(MAX_REMINDERS)} AND ${wantsReminders}, ${now} + ${graceMs}, NULL)
      FROM ${classAlert} ${a}
      WHERE ${a.pollId} = ${pollId} AND ${watch.sectionId} = ${a.sectionId} AND ${watch.recipientId} = ${a.recipientId}`),
  ]
}

/** Held alerts that are due, whose section was recently read as open, and whose recipient still waits for a message. */
function releaseHeld(pollId: string, now: number): Query {
  return statement(sql`UPDATE ${classAlert} SET ${names(classAlert.pollId)} = ${pollId}
    WHERE ${classAlert.id} IN (
      SELECT ${a.id} FROM ${classAlert} ${a} JOIN ${section} ${s} ON ${s.id} = ${a.sectionId}
      JOIN ${sectionGroup} ${g} ON ${g.id} = ${s.groupId} AND ${isSeenOpen(s, g, now)}
      JOIN ${watch} ${w} ON ${w.sectionId} = ${a.sectionId} AND ${w.recipientId} = ${a.recipientId} AND ${w.archivedAt} IS NULL
        AND NOT ${isOvertaken}
      WHERE ${a.pollId} IS NULL AND ${a.canceledAt} IS NULL AND ${a.releaseAt} <= ${now} ORDER BY ${a.releaseAt} LIMIT ${MAX_ALERTS})`)
}

/**
 * Held alerts whose section is closed again, was not read as open for too long although its school was asked (our own
 * outage does not count, for a day), or is no longer watched, and overtaken ones.
 */
function cancelHeld(now: number): Query {
  const mayWait = sql`(${a.releaseAt} > ${now - MAX_HELD_MS}
    OR coalesce(${g.askedAt}, 0) < ${a.releaseAt} AND ${a.releaseAt} > ${now - DAY_MS})`
  return statement(sql`UPDATE ${classAlert} SET ${names(classAlert.canceledAt)} = ${now}
    WHERE ${classAlert.id} IN (
      SELECT ${a.id} FROM ${classAlert} ${a}
      WHERE ${a.pollId} IS NULL AND ${a.canceledAt} IS NULL AND ${a.releaseAt} <= ${now} AND NOT EXISTS (
        SELECT 1 FROM ${section} ${s} JOIN ${watch} ${w} ON ${w.sectionId} = ${s.id} AND ${w.recipientId} = ${a.recipientId}
        JOIN ${sectionGroup} ${g} ON ${g.id} = ${s.groupId} AND ${mayWait}
        WHERE ${s.id} = ${a.sectionId} AND ${s.status} IN ('open', 'unknown') AND ${w.archivedAt} IS NULL
          AND NOT ${isOvertaken})
      LIMIT ${MAX_ALERTS})`)
}

/**
 * A reminder of an opening, at most three; none for a recipient just notified of a newer one, or soon to be, nor while a
 * message about the section is held: "still open" must not be the first they read.
 */
function remind(pollId: string, now: number): Query {
  const { openingId, recipientId, sectionId, kind, reminder, createdAt } = classAlert
  return statement(sql`INSERT INTO ${into(classAlert, openingId, recipientId, sectionId, kind, reminder, createdAt, classAlert.pollId)}
    SELECT (SELECT max(${earlier.openingId}) FROM ${classAlert} ${earlier}
        WHERE ${earlier.sectionId} = ${w.sectionId} AND ${earlier.recipientId} = ${w.recipientId}),
      ${w.recipientId}, ${w.sectionId}, 'reminder', ${w.reminders} + 1, ${now}, ${pollId}
    FROM ${watch} ${w} JOIN ${section} ${s} ON ${s.id} = ${w.sectionId}
    JOIN ${sectionGroup} ${g} ON ${g.id} = ${s.groupId} AND ${isSeenOpen(s, g, now)}
    WHERE ${w.remindAt} <= ${now} AND ${w.archivedAt} IS NULL AND ${w.reminders} < ${MAX_REMINDERS}
      AND EXISTS (SELECT 1 FROM ${classAlert} ${earlier} WHERE ${earlier.sectionId} = ${w.sectionId} AND ${earlier.recipientId} = ${w.recipientId})
      AND NOT EXISTS (
        SELECT 1 FROM ${classAlert} ${waiting} WHERE ${waiting.sectionId} = ${w.sectionId} AND ${waiting.recipientId} = ${w.recipientId}
          AND ${waiting.canceledAt} IS NULL AND (${waiting.pollId} IS NULL OR ${waiting.pollId} = ${pollId} OR EXISTS (
            SELECT 1 FROM ${deliveryAlert} JOIN ${delivery} ${d} ON ${d.id} = ${deliveryAlert.deliveryId}
            WHERE ${deliveryAlert.alertId} = ${waiting.id} AND ${d.state} = 'held')))
    ORDER BY ${w.remindAt} LIMIT ${MAX_ALERTS}
    ON CONFLICT DO NOTHING`)
}

/** Once the seat is gone, its reminders end; the next opening starts over. */
function deleteReminders(now: number): Query {
  return statement(sql`UPDATE ${watch} SET ${names(watch.remindAt)} = NULL
    WHERE ${watch.id} IN (
      SELECT ${w.id} FROM ${watch} ${w} JOIN ${section} ${s} ON ${s.id} = ${w.sectionId}
      WHERE ${w.remindAt} <= ${now} AND (${s.status} NOT IN ('open', 'unknown') OR ${w.archivedAt} IS NOT NULL))`)
}
