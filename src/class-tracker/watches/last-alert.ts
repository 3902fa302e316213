import { inArray, type SQL, sql } from 'drizzle-orm'
import { alias, type SQLiteColumn } from 'drizzle-orm/sqlite-core'
import { names, type Query, statement } from '../../db/query.ts'
import { classAlert, delivery, deliveryAlert, watch } from '../../db/schema/index.ts'
import { type DeliveryState, unsentEnds } from '../../lib/contract.ts'
import { a, d, w } from '../aliases.ts'

const ofDelivery = alias(deliveryAlert, 'of_delivery')
const ofAlert = alias(deliveryAlert, 'of_alert')
const other = alias(delivery, 'other')

export const isUnsentEnd = (state: SQLiteColumn) => inArray(state, [...unsentEnds])

/** How a message ends that told nobody itself. What makes a text unneeded may say less than the text would have. */
export const untoldEnds: readonly DeliveryState[] = [...unsentEnds, 'not_needed']
const isUntoldEnd = (state: SQLiteColumn) => inArray(state, [...untoldEnds])

/**
 * No message went out: the next opening is not held back, nor one that already is (a trigger on the watch), unless this
 * or another message may have arrived.
 * @param ids a SELECT of deliveries that are settled as {@link untoldEnds} in the same batch, as `id`
 */
export function clearLastAlert(ids: SQL): Query {
  return statement(sql`UPDATE ${watch} SET ${names(watch.lastAlertAt)} = NULL
    WHERE ${watch.id} IN (
      SELECT ${w.id} FROM (${ids}) ended
      CROSS JOIN ${delivery} ${d} ON ${d.id} = ended.id AND ${isUntoldEnd(d.state)}
      CROSS JOIN ${deliveryAlert} ${ofDelivery} ON ${ofDelivery.deliveryId} = ${d.id}
      CROSS JOIN ${classAlert} ${a} ON ${a.id} = ${ofDelivery.alertId}
      CROSS JOIN ${watch} ${w} ON ${w.recipientId} = ${a.recipientId} AND ${w.sectionId} = ${a.sectionId}
        AND ${w.lastAlertAt} IN (${d.createdAt}, ${d.restartedAt})
      WHERE NOT EXISTS (
        SELECT 1 FROM ${deliveryAlert} ${ofAlert} JOIN ${delivery} ${other} ON ${other.id} = ${ofAlert.deliveryId}
        WHERE ${ofAlert.alertId} = ${a.id}
          AND (NOT ${isUntoldEnd(other.state)} OR ${other.body} IS NOT NULL)))`)
}
