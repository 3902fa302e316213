import { type SQL, sql } from 'drizzle-orm'
import { alias, type SQLiteColumn } from 'drizzle-orm/sqlite-core'
import { names, type Query, statement } from '../../db/query.ts'
import { settingMs, settingValue } from '../../db/read-setting.ts'
import {
  canBeMessaged,
  classAlert,
  contact,
  delivery,
  deliveryAlert,
  opening,
  recipient,
  section,
  watch,
} from '../../db/schema/index.ts'
import { MINUTE_MS } from '../../lib/time.ts'
import { seatsLeftOf } from '../courses/section-row.ts'
import { heldUntil } from '../recipients/held-until.ts'
import { isUnsentEnd } from '../watches/last-alert.ts'
import { a, d, o, s, w } from '../aliases.ts'

/*
 * Fair turns: where more people wait than seats opened, they are notified in waves as large as the seats, longest wait
 * first. The next wave is notified as soon as someone in the one before gets a seat or passes, otherwise after {@link
 * waveSeconds}. Someone who cannot be reached now takes no place in a wave. Someone who begins to wait for an open
 * section comes after all who still wait for their turn. A person who leaves the line delays no one.
 */

/** Whether the setting `fair_turns` is on. */
export const fairTurns = { setting: 'fair_turns', initial: 'off' } as const

/** The rule as staff and recipients read it. */
export const fairTurnsRule =
  'People are notified in turns, longest wait first. If you pass, the next people in line are notified right away.'

/** How long one wave has before the next is notified: the setting `wave_seconds`. */
export const waveSeconds = { setting: 'wave_seconds', initial: 60, minimum: 10, maximum: 3600 } as const

/** How long after a recipient's last alert for a section the next one is held, in ms. */
export const ALERT_PAUSE_MS = 10 * MINUTE_MS

/** Until when another alert for the section of watch `w` is held, in ms; 0 if the recipient had none. */
export const heldBefore = sql`coalesce(${w.lastAlertAt} + ${ALERT_PAUSE_MS}, 0)`

const own = alias(classAlert, 'own')

export const isFairTurns: SQL = sql`(${settingValue(fairTurns.setting)} IS 'on')`

export const waveMs = settingMs(waveSeconds)

/** Whether a message to a recipient goes out at `now` (ms): a contact is usable, and messages are not held. */
export const isReachable = (recipientId: SQLiteColumn, now: number): SQL => sql`EXISTS (
  SELECT 1 FROM ${contact} JOIN ${recipient} ON ${recipient.id} = ${contact.recipientId}
  WHERE ${contact.recipientId} = ${recipientId} AND ${canBeMessaged} AND ${heldUntil(now)} <= ${now})`

/** Whether alert `a` is held for a later wave. */
const isHeldForTurn = sql`${a.wave} > 0 AND ${a.pollId} IS NULL AND ${a.canceledAt} IS NULL AND ${a.releaseAt} IS NOT NULL`

/** When the last person who still waits for a turn at the section is notified, in ms; NULL if no one does. */
export const lastTurnOf = (sectionId: SQLiteColumn): SQL =>
  sql`(SELECT max(${a.releaseAt}) FROM ${classAlert} ${a}
    WHERE ${a.sectionId} = ${sectionId} AND ${isHeldForTurn} AND NOT ${isOver(a.openingId, sectionId)})`

/**
 * Whether the section has closed and opened again since an opening. Openings that were recorded only for new watches of
 * an open section do not count.
 */
const isOver = (openingId: SQLiteColumn, sectionId: SQLiteColumn | number): SQL =>
  sql`EXISTS (SELECT 1 FROM ${opening} ${o}
    WHERE ${o.sectionId} = ${sectionId} AND ${o.id} > ${openingId} AND ${o.lastClosedAt} IS NOT NULL)`

/** Ends the turns of openings that are over: the section has closed, or has opened again since. */
export function endTurns(now: number): Query {
  return statement(sql`UPDATE ${classAlert} SET ${names(classAlert.canceledAt)} = ${now}
    WHERE ${classAlert.id} IN (
      SELECT ${a.id} FROM ${classAlert} ${a} JOIN ${section} ${s} ON ${s.id} = ${a.sectionId}
      WHERE ${isHeldForTurn} AND (${s.status} NOT IN ('open', 'unknown') OR ${isOver(a.openingId, a.sectionId)}))`)
}

/**
 * Moves up those whose turn comes too late by now: someone before them left the line or cannot be reached, no message of
 * the last turn arrived, more seats are free, or fair turns were switched off.
 */
export function moveUp(now: number): Query {
  const { id, releaseAt } = classAlert
  const wasSent = sql`EXISTS (SELECT 1 FROM ${deliveryAlert} JOIN ${delivery} ${d} ON ${d.id} = ${deliveryAlert.deliveryId}
    WHERE ${deliveryAlert.alertId} = ${own.id} AND ${d.state} <> 'held' AND NOT ${isUnsentEnd(d.state)})`
  return statement(sql`WITH line AS MATERIALIZED (
      SELECT ${a.id} AS id, ${a.sectionId} AS section_id,
        (row_number() OVER (PARTITION BY ${a.sectionId} ORDER BY ${a.releaseAt}, ${a.id}) - 1)
          / max(1, coalesce(${seatsLeftOf(s)}, 1)) AS waves_before
      FROM ${classAlert} ${a} JOIN ${section} ${s} ON ${s.id} = ${a.sectionId}
      JOIN ${watch} ${w} ON ${w.sectionId} = ${a.sectionId} AND ${w.recipientId} = ${a.recipientId} AND ${w.archivedAt} IS NULL
        AND ${heldBefore} <= ${now}
      WHERE ${isHeldForTurn} AND NOT ${isOver(a.openingId, a.sectionId)} AND ${isReachable(a.recipientId, now)}),
    told AS MATERIALIZED (
      SELECT ${own.sectionId} AS section_id, max(coalesce(${own.releaseAt}, ${own.createdAt})) + ${waveMs} AS next_at
      FROM ${classAlert} ${own} WHERE ${own.sectionId} IN (SELECT section_id FROM line) AND ${own.pollId} IS NOT NULL
        AND ${own.reminder} = 0 AND ${own.answeredAt} IS NULL AND NOT ${isOver(own.openingId, own.sectionId)} AND ${wasSent}
      GROUP BY ${own.sectionId})
    UPDATE ${classAlert} SET ${names(releaseAt)} = turn.at FROM (
      SELECT id, iif(${isFairTurns}, max(${now}, coalesce(next_at, 0)) + waves_before * ${waveMs}, ${now}) AS at
      FROM line LEFT JOIN told USING (section_id)) turn
    WHERE ${id} = turn.id AND ${releaseAt} > turn.at`)
}

/** {@link heldBefore} of a recipient's watch of the section. */
const heldFor = (recipientId: SQLiteColumn, sectionId: number): SQL =>
  sql`coalesce((SELECT ${heldBefore} FROM ${watch} ${w}
    WHERE ${w.sectionId} = ${sectionId} AND ${w.recipientId} = ${recipientId}), 0)`

/**
 * Called when a recipient got a seat or passes. Notifies the next person who may be notified now and moves everyone
 * else up by the same amount, but no one to a time within {@link ALERT_PAUSE_MS} of their last alert. People of a later
 * opening, who began to wait while the section was open, move up only while the recipient's own turn lasts. A repeated
 * call does nothing, nor does an answer to an opening that is over.
 */
export function advanceNextWave(recipientId: number, sectionId: number, now: number): readonly [Query, Query] {
  const isOwn = sql`${own.sectionId} = ${sectionId} AND ${own.recipientId} = ${recipientId}
    AND ${own.pollId} IS NOT NULL AND ${own.answeredAt} IS NULL`
  const isOwnTurn = sql`coalesce(${own.releaseAt}, ${own.createdAt}) > ${now} - ${waveMs}`
  const next = sql`${a.sectionId} = ${sectionId} AND ${isHeldForTurn} AND NOT ${isOver(a.openingId, sectionId)}
    AND EXISTS (SELECT 1 FROM ${classAlert} ${own} WHERE ${isOwn} AND ${own.reminder} = 0
      AND (${own.openingId} = ${a.openingId} OR ${isOwnTurn} AND NOT ${isOver(own.openingId, sectionId)}))`
  const first = sql`(SELECT min(${a.releaseAt}) FROM ${classAlert} ${a}
    WHERE ${next} AND ${heldFor(a.recipientId, sectionId)} <= ${now})`
  const { id, releaseAt, answeredAt } = classAlert
  const moved = sql`${releaseAt} - max(0, coalesce(${first}, 0) - ${now})`
  return [
    statement(sql`UPDATE ${classAlert}
      SET ${names(releaseAt)} = max(${moved}, min(${releaseAt}, ${heldFor(classAlert.recipientId, sectionId)}))
      WHERE ${id} IN (SELECT ${a.id} FROM ${classAlert} ${a} WHERE ${next})`),
    statement(sql`UPDATE ${classAlert} SET ${names(answeredAt)} = ${now}
      WHERE ${id} IN (SELECT ${own.id} FROM ${classAlert} ${own} WHERE ${isOwn})`),
  ]
}
