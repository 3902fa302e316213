import { type SQL, sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/sqlite-core'
import { into, names, type Query, statement } from '../../db/query.ts'
import { classAlert, contact, delivery, deliveryAlert, recipient, setting, watch } from '../../db/schema/index.ts'

const a = alias(classAlert, 'a')
const c = alias(contact, 'c')
const d = alias(delivery, 'd')
const r = alias(recipient, 'r')

/** Seconds a section may stay open before its watchers are reminded, unless the setting says otherwise. */
export const reminderGraceSeconds = 6 * 3600
/** A shorter setting is a mistake or no number at all: it would remind with every sweep. */
const leastGraceSeconds = 60
/** Reminders after one opening's alert. */
export const mostReminders = 3

const graceMs: SQL = sql`(SELECT coalesce(
  (SELECT CAST(${setting.value} AS INTEGER) FROM ${setting}
   WHERE ${setting.name} = 'reminder_grace_seconds' AND CAST(${setting.value} AS INTEGER) >= ${sql.raw(String(leastGraceSeconds))}),
  ${sql.raw(String(reminderGraceSeconds))})) * 1000`

/**
 * What follows when alerts are released under `pollId`: their watches remember it, one delivery is written for each usable
 * contact of each recipient, and every alert is put into its recipient's deliveries. A recipient without a usable contact
 * gets none, and the alert is shown as not sent.
 */
export function releaseStatements(pollId: string, now: number): readonly [Query, Query, Query] {
  const { recipientId, contactId, channel, address, state, dueAt, createdAt } = delivery
  return [
    statement(sql`UPDATE ${watch}
      SET ${names(watch.lastAlertAt)} = ${now}, ${names(watch.reminders)} = ${a.reminder},
        ${names(watch.remindAt)} = iif(${a.reminder} < ${sql.raw(String(mostReminders))}, ${now} + ${graceMs}, NULL)
      FROM ${classAlert} ${a}
      WHERE ${a.pollId} = ${pollId} AND ${watch.sectionId} = ${a.sectionId} AND ${watch.recipientId} = ${a.recipientId}`),
    statement(sql`INSERT INTO ${into(delivery, delivery.pollId, recipientId, contactId, channel, address, state, dueAt, createdAt)}
      SELECT DISTINCT ${pollId}, ${c.recipientId}, ${c.id}, ${c.kind}, ${c.address}, 'queued', ${now}, ${now}
      FROM ${classAlert} ${a}
      JOIN ${recipient} ${r} ON ${r.id} = ${a.recipientId}
      JOIN ${contact} ${c} ON ${c.recipientId} = ${r.id} AND ${c.isEnabled} AND ${c.optedOutAt} IS NULL
        AND (${c.kind} <> 'phone' OR ${r.isContactByPhone})
      WHERE ${a.pollId} = ${pollId}
      ON CONFLICT DO NOTHING`),
    statement(sql`INSERT INTO ${into(deliveryAlert, deliveryAlert.deliveryId, deliveryAlert.alertId)}
      SELECT ${d.id}, ${a.id} FROM ${delivery} ${d}
      JOIN ${classAlert} ${a} ON ${a.pollId} = ${d.pollId} AND ${a.recipientId} = ${d.recipientId}
      WHERE ${d.pollId} = ${pollId}
      ON CONFLICT DO NOTHING`),
  ]
}
