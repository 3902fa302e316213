import { sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/sqlite-core'
import * as z from 'zod/mini'
import { isIn } from '../../db/json-argument.ts'
import { names, query, template, write } from '../../db/query.ts'
import { delivery, isUnsettled, isWaitingOrHeld, recipient } from '../../db/schema/index.ts'
import { enqueue } from '../../jobs/enqueue.ts'
import { defineJob, type JobContext, runAgain, type Schedule } from '../../jobs/job.ts'
import { everyMinutes } from '../../jobs/schedules.ts'
import { releaseDueAlerts } from '../alerts/release-alerts.ts'
import { deliveryHeldUntil } from './of-contact.ts'
import { wakeHeld } from './wake-held.ts'
import { NEW_MESSAGE_PRIORITY } from './send-delivery.ts'
import { queueFound, type DeliveryToQueue, queueFields } from './queue-deliveries.ts'
import { MINUTE_MS } from '../../lib/time.ts'

/** The most texts that one run releases. */
const MAX_TEXTS = 500
/** Deliveries read and queued at a time. */
const PAGE_SIZE = 1000
/** A queued delivery is checked again after this long, in ms: until then it is waiting for its turn. */
const LOOK_AGAIN_MS = 10 * MINUTE_MS
/** A run stops this long before its deadline and is continued by another, in ms. */
const SPARE_MS = 5000

/**
 * Releases held alerts, wakes messages whose quiet hours or wait for a push receipt are over, adds reminders where a
 * seat is still open, and queues every delivery that was written but has no active job (a consumer died, a queue lost a
 * message). The minute cron runs it; a poll whose alerts or texts wait schedules it for the right moment.
 */
export const sweepAlerts = defineJob({
  name: 'sweep-alerts',
  queue: 'alerts',
  input: z.object({}),
  limit: { attempts: 3, run_seconds: 15, retry_seconds: [5] },
  async run(context, _input) {
    const { env, job, now } = context
    const { isDone, textsDueAt, ...report } = await releaseDueAlerts(env.DB, `${job.id}.${job.attempt}`, now())
    const held = await wakeHeld(env.DB, now())
    const laterAt = Math.max(textsDueAt, held.textsDueAt)
    if (laterAt > 0) await planSweep(env, laterAt)
    const texts = await releaseWaiting(env, now())
    const leftOver = await queueLeftOver(context)
    return isDone && held.isDone && texts.isDone && leftOver.isDone
      ? { ...report, woken: held.woken, texts: texts.released.length, queued: leftOver.queued }
      : runAgain(now(), {})
  },
})

/** Plans an extra sweep, which goes before other work: the alerts and texts that it releases are new. @param at in ms */
export async function planSweep(env: Env, at: number): Promise<void> {
  await enqueue(env, sweepAlerts, {}, { key: `sweep:${at}`, at, priority: NEW_MESSAGE_PRIORITY })
}

/** A new job every minute, even if an earlier one failed, so that no message is lost. */
export const scheduleSweep: Schedule = {
  name: 'sweep-alerts',
  every: 'every minute',
  nextAt: everyMinutes(1),
  async plan(env, minute) {
    await enqueue(env, sweepAlerts, {}, { key: `sweep:${minute}` })
  },
}

const other = alias(delivery, 'other')

/**
 * Ends the wait of due texts: not needed if the alert was seen, held in quiet hours, otherwise sent.
 * @returns the texts to send; `isDone` is false if more may be due
 */
export async function releaseWaiting(env: Env, now: number) {
  const { id, state, dueAt, restartedAt, pollId, recipientId, seenAt } = delivery
  const until = deliveryHeldUntil(now)
  const wasSeen = sql`EXISTS (SELECT 1 FROM ${delivery} ${other} WHERE ${other.pollId} = ${pollId}
    AND ${other.recipientId} = ${recipientId} AND ${other.seenAt} IS NOT NULL
    AND EXISTS (SELECT 1 FROM ${recipient} WHERE ${recipient.id} = ${recipientId} AND NOT ${recipient.isSmsAtOnce}))`
  const { rows } = await write(
    env.DB,
    template(
      { ...queueFields, seen_at: seenAt },
      (columns) => sql`UPDATE ${delivery}
        SET ${names(state)} = iif(${wasSeen}, 'not_needed', iif(${until} > ${now}, 'held', 'queued')),
          ${names(dueAt)} = max(${now}, ${until}), ${names(restartedAt)} = iif(${until} > ${now}, ${until}, ${restartedAt})
        WHERE ${id} IN (SELECT ${id} FROM ${delivery}
          WHERE ${isWaitingOrHeld} AND ${state} = 'waiting' AND ${dueAt} <= ${now}
          ORDER BY ${dueAt} LIMIT ${MAX_TEXTS})
        RETURNING ${columns}`,
    ),
  )
  const released = rows.filter((row) => row.state === 'queued')
  await queueFound(env, released, NEW_MESSAGE_PRIORITY)
  return { released, isDone: rows.length < MAX_TEXTS }
}

/** Queues what is due, page by page, until nothing is left or the run's time is up. */
async function queueLeftOver({
  env,
  now,
  deadline,
  checkpoint,
}: JobContext): Promise<{ queued: number; isDone: boolean }> {
  let queued = 0
  for (;;) {
    const due = await takeDue(env.DB, now())
    try {
      await queueFound(env, due)
    } catch (error) {
      await clearLook(env.DB, due)
      throw error
    }
    queued += due.length
    if (due.length < PAGE_SIZE) return { queued, isDone: true }
    if (now() > deadline - SPARE_MS) return { queued, isDone: false }
    await checkpoint()
  }
}

/** The longest-waiting deliveries. Setting their next check keeps those in line from being queued every minute. */
async function takeDue(db: D1Database, now: number): Promise<DeliveryToQueue[]> {
  const { id, dueAt, lookAt } = delivery
  const nextLook = sql`max(${dueAt}, coalesce(${lookAt}, 0))`
  const { rows } = await write(
    db,
    template(
      queueFields,
      (columns) => sql`UPDATE ${delivery} SET ${names(lookAt)} = ${now + LOOK_AGAIN_MS}
        WHERE ${id} IN (
          SELECT ${id} FROM ${delivery} WHERE ${isUnsettled} AND ${nextLook} <= ${now}
          ORDER BY ${nextLook}, ${id} LIMIT ${PAGE_SIZE})
        RETURNING ${columns}`,
    ),
  )
  return rows
}

/** Undoes {@link takeDue} for deliveries that could not be queued, so that the next run finds them. */
async function clearLook(db: D1Database, due: readonly DeliveryToQueue[]): Promise<void> {
  const ids = due.map(({ id }) => id)
  await write(db, query.update(delivery).set({ lookAt: null }).where(isIn(delivery.id, ids)))
}
