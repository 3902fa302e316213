import { type SQL, sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/sqlite-core'
import { into, names, type Query, statement } from '../../db/query.ts'
import { classAlert, delivery, deliveryAlert, section } from '../../db/schema/index.ts'
import { clearLastAlert } from '../watches/last-alert.ts'
import { isIn } from '../../db/json-argument.ts'
import { a } from '../aliases.ts'

const apart = alias(delivery, 'apart')

/** Why a message, or the part of one about a section, is not sent. */
export const seatGone = 'Seat gone before it was sent.'

/** A message whose try is recorded, and the alerts that its text leaves out because their seats are gone. */
interface LeftOut {
  id: number
  claim: number
  /** When it is tried, in ms. */
  now: number
  alerts: readonly number[]
}

/** Whether a section that was left out may be open again; then the text must be written anew. @param alerts a JSON list */
export const isOpenAgain = (alerts: SQL): SQL => sql`EXISTS (
  SELECT 1 FROM json_each(${alerts}) left_out CROSS JOIN ${classAlert} ${a} ON ${a.id} = left_out.value
  JOIN ${section} ON ${section.id} = ${a.sectionId} AND ${section.status} IN ('open', 'unknown'))`

/**
 * The statements that follow when tries are recorded: the alerts that are left out go into another message, which is
 * gone, so that they do not count as sent, and the next opening of their sections is not held back.
 */
export function splitOffGone(tries: readonly LeftOut[]): Query[] {
  const some = tries.filter(({ alerts }) => alerts.length > 0)
  if (some.length === 0) return []
  const { pollId, recipientId, contactId, channel, address, state, dueAt, createdAt, restartedAt, isSilent } = delivery
  const list = JSON.stringify(some.map(({ id, claim, now, alerts }) => [id, claim, now, alerts]))
  const apartPollId = sql`${pollId} || '.' || (j.value ->> 2)`
  const isRecorded = sql`${delivery.id} = j.value ->> 0 AND ${dueAt} = j.value ->> 1 AND ${state} = 'sending'
    AND ${delivery.triedAt} = j.value ->> 2`
  const recorded = sql`FROM json_each(${list}) j CROSS JOIN ${delivery} ON ${isRecorded}`
  const both = sql`${recorded} CROSS JOIN ${delivery} ${apart} ON ${apart.pollId} = ${apartPollId} AND ${apart.contactId} = ${contactId}`
  return [
    statement(sql`INSERT INTO ${into(delivery, pollId, recipientId, contactId, channel, address, state, dueAt, createdAt, restartedAt, isSilent, delivery.lastError)}
      SELECT ${apartPollId}, ${recipientId}, ${contactId}, ${channel}, ${address}, 'gone', ${dueAt}, ${createdAt}, ${restartedAt},
        ${isSilent}, ${seatGone}
      ${recorded} WHERE true
      ON CONFLICT DO NOTHING`),
    statement(sql`UPDATE ${deliveryAlert} SET ${names(deliveryAlert.deliveryId)} = moved.apart_id
      FROM (SELECT ${delivery.id} AS id, ${apart.id} AS apart_id, j.value -> 3 AS alerts ${both}) moved
      WHERE ${deliveryAlert.deliveryId} = moved.id AND ${isIn(deliveryAlert.alertId, sql`moved.alerts`)}`),
    clearLastAlert(sql`SELECT ${apart.id} AS id ${both}`),
  ]
}
