import { inArray, type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import { alias, type SQLiteColumn, type SQLiteTable } from 'drizzle-orm/sqlite-core'
import { read, template } from '../../db/query.ts'
import { type KnownSetting, settingMs } from '../../db/read-setting.ts'
import { classAlert, delivery, deliveryAlert, opening, seatChange, section, watch } from '../../db/schema/index.ts'
import { DAY_MS } from '../../lib/time.ts'
import { deliveryStates, unfinishedStates } from '../../lib/contract.ts'
import { s, w } from '../aliases.ts'

/** A table that grows without limit, and which of its rows may be deleted. */
export interface Deletable {
  /** Its name in `monthly_total`. */
  what: 'alert' | 'delivery' | 'opening' | 'seat_change'
  table: SQLiteTable
  /** The table, under the alias that the conditions use. */
  row: SQLiteTable & { id: SQLiteColumn }
  /** The column with the time it was written, ms since epoch. Ids increase with it. */
  at: SQLiteColumn
  age: keyof Cutoffs
  /** A further condition for rows older than the cutoff (ms). */
  where: (cutoff: number) => SQL
  /** '' by default. */
  channel?: SQLWrapper
  state: SQLWrapper
}

const oldAlert = alias(classAlert, 'old_alert')
const oldDelivery = alias(delivery, 'old_delivery')
const oldOpening = alias(opening, 'old_opening')
const oldChange = alias(seatChange, 'old_change')
const latestOpening = alias(opening, 'latest_opening')
const laterChange = alias(seatChange, 'later_change')

const endStates = deliveryStates.filter((state) => !unfinishedStates.includes(state))
/** Whether only a person's Retry can change a delivery. Deliveries in other states are kept. */
const isOver = ({ state }: typeof delivery | typeof oldDelivery): SQL => inArray(state, endStates).inlineParams()

/** Reminders depend on the latest alert of each active watch. */
const isLatestOfWatch = sql`EXISTS (SELECT 1 FROM ${watch} ${w} WHERE ${w.sectionId} = ${oldAlert.sectionId}
    AND ${w.recipientId} = ${oldAlert.recipientId} AND ${w.archivedAt} IS NULL)
  AND ${oldAlert.openingId} = (SELECT max(${classAlert.openingId}) FROM ${classAlert}
    WHERE ${classAlert.sectionId} = ${oldAlert.sectionId} AND ${classAlert.recipientId} = ${oldAlert.recipientId})`

const isLatestOpening = (openingId: SQLiteColumn, sectionId: SQLiteColumn): SQL =>
  sql`EXISTS (SELECT 1 FROM ${section} ${s} WHERE ${s.id} = ${sectionId} AND ${s.watchCount} > 0)
    AND ${openingId} = (SELECT ${latestOpening.id} FROM ${opening} ${latestOpening} WHERE ${latestOpening.sectionId} = ${sectionId}
      ORDER BY ${latestOpening.version} DESC LIMIT 1)`

/** In this order: a delivery is deleted once its alerts are gone, and so is an opening. */
export const deletables: readonly Deletable[] = [
  {
    what: 'alert',
    table: classAlert,
    row: oldAlert,
    at: oldAlert.createdAt,
    age: 'alerts',
    where: () => sql`(${oldAlert.pollId} IS NOT NULL OR ${oldAlert.canceledAt} IS NOT NULL)
      AND NOT EXISTS (SELECT 1 FROM ${deliveryAlert} JOIN ${delivery} ON ${delivery.id} = ${deliveryAlert.deliveryId}
        WHERE ${deliveryAlert.alertId} = ${oldAlert.id} AND NOT ${isOver(delivery)})
      AND NOT (${isLatestOfWatch}) AND NOT (${isLatestOpening(oldAlert.openingId, oldAlert.sectionId)})`,
    state: oldAlert.kind,
  },
  {
    what: 'delivery',
    table: delivery,
    row: oldDelivery,
    at: oldDelivery.createdAt,
    age: 'alerts',
    where: () => sql`${isOver(oldDelivery)}
      AND NOT EXISTS (SELECT 1 FROM ${deliveryAlert} WHERE ${deliveryAlert.deliveryId} = ${oldDelivery.id})`,
    channel: oldDelivery.channel,
    state: oldDelivery.state,
  },
  {
    what: 'opening',
    table: opening,
    row: oldOpening,
    at: oldOpening.seenOpenAt,
    age: 'alerts',
    where: () => sql`NOT EXISTS (SELECT 1 FROM ${classAlert} WHERE ${classAlert.openingId} = ${oldOpening.id})
      AND NOT (${isLatestOpening(oldOpening.id, oldOpening.sectionId)})`,
    state: sql`''`,
  },
  {
    what: 'seat_change',
    table: seatChange,
    row: oldChange,
    at: oldChange.at,
    age: 'seat_changes',
    // The state at the cutoff is kept, because charts start from it.
    where: (
      cutoff,
    ) => sql`EXISTS (SELECT 1 FROM ${seatChange} ${laterChange} WHERE ${laterChange.sectionId} = ${oldChange.sectionId}
      AND ${laterChange.at} < ${cutoff} AND (${laterChange.at}, ${laterChange.id}) > (${oldChange.at}, ${oldChange.id}))`,
    state: oldChange.status,
  },
]

/**
 * Days that openings, alerts and deliveries are kept: at least as long as the link in a message works, which is for 30
 * days after a pause of up to 30.
 */
export const keepAlerts = { setting: 'keep_alerts_days', initial: 400, minimum: 61, maximum: 3650 } as const
/** Days that seat changes are kept; at least 7, because pages show the last week. */
export const keepSeatChanges = { setting: 'keep_seat_changes_days', initial: 400, minimum: 7, maximum: 3650 } as const

/** ms since epoch; older rows may be deleted. */
interface Cutoffs {
  alerts: number
  seat_changes: number
}

/** The cutoffs at `now` by the settings. */
export async function readCutoffs(db: D1Database, now: number): Promise<Cutoffs> {
  const cutoff = (kept: KnownSetting) => sql<number>`${now} - ${settingMs(kept, DAY_MS)}`
  const fields = { alerts: cutoff(keepAlerts), seat_changes: cutoff(keepSeatChanges) }
  const [cutoffs] = await read(
    db,
    template(fields, (columns) => sql`SELECT ${columns}`),
  )
  return cutoffs ?? { alerts: 0, seat_changes: 0 }
}
