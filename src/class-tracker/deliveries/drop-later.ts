import { type SQL, sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/sqlite-core'
import { isIn } from '../../db/json-argument.ts'
import { names, type Query, statement } from '../../db/query.ts'
import { classAlert, delivery, deliveryAlert } from '../../db/schema/index.ts'
import { endClaims } from '../watches/end-claims.ts'
import { isUnsentEnd } from '../watches/last-alert.ts'
import { a } from '../aliases.ts'

const told = alias(delivery, 'told')
const ofLater = alias(deliveryAlert, 'of_later')

/**
 * For messages that waited a long time for their turns and are now accepted. Later messages to the same contacts that
 * were recorded in the meantime and not tried yet would repeat them: those lose the sections that the early messages are
 * about, and are canceled if none is left; the claim of one that a runner has just claimed ends. Notifications stay,
 * because a text waits to see whether its own notification is seen.
 * @param early the accepted messages, and the ids of the sections they are about
 */
export function dropLater(early: readonly { id: number; sections: readonly number[] }[], now: number): Query[] {
  const { deliveryId, alertId } = deliveryAlert
  const list = JSON.stringify(early.map(({ id, sections }) => [id, sections]))
  const isUntried = sql`${delivery.state} IN ('waiting', 'queued', 'sending') AND ${delivery.channel} <> 'push' AND ${delivery.body} IS NULL`
  const later = (columns: SQL) => sql`SELECT ${columns} FROM json_each(${list}) j
    CROSS JOIN ${delivery} ${told} ON ${told.id} = j.value ->> 0 AND ${told.acceptedAt} IS NOT NULL AND NOT ${isUnsentEnd(told.state)}
    CROSS JOIN ${delivery} ON ${delivery.contactId} = ${told.contactId} AND ${delivery.id} > ${told.id} AND ${isUntried}
      AND coalesce(${delivery.restartedAt}, ${delivery.createdAt}) <= ${told.firstTriedAt}`
  const itsRepeated = sql`CROSS JOIN ${deliveryAlert} ${ofLater} ON ${ofLater.deliveryId} = ${delivery.id}
    CROSS JOIN ${classAlert} ${a} ON ${a.id} = ${ofLater.alertId} AND ${isIn(a.sectionId, sql`j.value -> 1`)}`
  return [
    endClaims(sql`${later(sql`${delivery.id}`)} ${itsRepeated}`, now),
    statement(sql`WITH repeated AS MATERIALIZED (
        ${later(sql`${delivery.id} AS id, ${a.id} AS alert_id, ${told.id} AS told_id`)} ${itsRepeated})
      UPDATE OR IGNORE ${deliveryAlert} SET ${names(deliveryId)} = repeated.told_id
      FROM repeated WHERE ${deliveryId} = repeated.id AND ${alertId} = repeated.alert_id`),
    statement(sql`UPDATE ${delivery}
      SET ${names(delivery.state)} = 'canceled', ${names(delivery.lastError)} = 'An earlier message is about the same section.'
      WHERE ${delivery.id} IN (${later(sql`${delivery.id}`)})
        AND NOT EXISTS (SELECT 1 FROM ${deliveryAlert} ${ofLater} WHERE ${ofLater.deliveryId} = ${delivery.id})`),
  ]
}
