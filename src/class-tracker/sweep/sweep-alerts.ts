import { sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/sqlite-core'
import * as z from 'zod/mini'
import { into, names, type Query, query, statement, template, write, writeTogether } from '../../db/query.ts'
import { classAlert, delivery, section, sectionGroup, watch } from '../../db/schema/index.ts'
import { defineJob, type JobContext, runAgain } from '../../jobs/job.ts'
import { ring, type WaitingDelivery, waitingFields } from '../deliveries/ring-deliveries.ts'
import { mostReminders, releaseStatements } from './release-alerts.ts'

const a = alias(classAlert, 'a')
const h = alias(classAlert, 'h')
const o = alias(classAlert, 'o')
const g = alias(sectionGroup, 'g')
const s = alias(section, 's')
const w = alias(watch, 'w')

/** An alert says "open", or "still open": it is not released on a belief older than this. */
const freshMs = 15 * 60_000
/** A held alert that waits for a fresh belief longer than this is canceled. */
const MAX_HELD_MS = 2 * 60 * 60_000
/** Most alerts one run releases; it runs again at once for the rest. */
const most = 500
/** Deliveries that are read and queued at a time. */
const pageSize = 1000
/** A delivery that was queued once is looked after again so much later: until then it is waiting for its turn. */
const lookAgainMs = 10 * 60_000
/** A run ends this long before its deadline and runs again for what is left, ms. */
const spareMs = 5000

/**
 * Releases what was held, reminds where a seat is still open, and queues every delivery that was written but has no living
 * job (a consumer died, a queue lost a message). The minute cron runs it; a poll that held an alert runs it on time.
 */
export const sweepAlerts = defineJob({
  name: 'sweep-alerts',
  queue: 'alerts',
  input: z.object({}),
  limit: { attempts: 3, run_seconds: 15, retry_seconds: [5] },
  async run(context, _input) {
    const { env, job, now } = context
    const at = now()
    const pollId = `${job.id}.${job.attempt}`
    const [released, canceled, reminders] = await writeTogether(env.DB, [
      releaseHeld(pollId, at),
      cancelHeld(at),
      remind(pollId, at),
      forgetReminders(at),
      ...releaseStatements(pollId, at),
    ])
    const { queued, isDone } = await ringLeftOver(context)
    if (!isDone || Math.max(released.changes, canceled.changes, reminders.changes) >= most) return runAgain(now(), {})
    return { released: released.changes, canceled: canceled.changes, reminders: reminders.changes, queued }
  },
})

/** Queues what is due, a page after another, until nothing is left or the run's time is over. */
async function ringLeftOver({
  env,
  now,
  deadline,
  checkpoint,
}: JobContext): Promise<{ queued: number; isDone: boolean }> {
  let queued = 0
  for (;;) {
    const due = await takeDue(env.DB, now())
    try {
      await ring(env, due)
    } catch (error) {
      await forgetLook(env.DB, due)
      throw error
    }
    queued += due.length
    if (due.length < pageSize) return { queued, isDone: true }
    if (now() > deadline - spareMs) return { queued, isDone: false }
    await checkpoint()
  }
}

/**
 * The deliveries that wait longest, marked as looked after: those that wait for their turn are not taken again every minute.
 */
async function takeDue(db: D1Database, now: number): Promise<WaitingDelivery[]> {
  const { id, state, dueAt, lookAt } = delivery
  const nextLook = sql`max(${dueAt}, coalesce(${lookAt}, 0))`
  const { rows } = await write(
    db,
    template(
      waitingFields,
      (columns) => sql`UPDATE ${delivery} SET ${names(lookAt)} = ${now + lookAgainMs}
        WHERE ${id} IN (
          SELECT ${id} FROM ${delivery} WHERE ${state} IN ('queued', 'sending', 'unconfirmed') AND ${nextLook} <= ${now}
          ORDER BY ${nextLook}, ${id} LIMIT ${pageSize})
        RETURNING ${columns}`,
    ),
  )
  return rows
}

/** They could not be queued. */
async function forgetLook(db: D1Database, due: readonly WaitingDelivery[]): Promise<void> {
  const list = JSON.stringify(due.map(({ id }) => id))
  const isDue = sql`${delivery.id} IN (SELECT value FROM json_each(${list}))`
  await write(db, query.update(delivery).set({ lookAt: null }).where(isDue))
}

/** Held alerts whose time has come and whose section is freshly believed to be open, for those who still watch. */
function releaseHeld(pollId: string, now: number): Query {
  return statement(sql`UPDATE ${classAlert} SET ${names(classAlert.pollId)} = ${pollId}
    WHERE ${classAlert.id} IN (
      SELECT ${a.id} FROM ${classAlert} ${a} JOIN ${section} ${s} ON ${s.id} = ${a.sectionId} AND ${s.status} = 'open'
        AND ${s.missingSince} IS NULL AND ${s.unknownSince} IS NULL
      JOIN ${sectionGroup} ${g} ON ${g.id} = ${s.groupId} AND ${g.readAt} >= ${now - freshMs}
      JOIN ${watch} ${w} ON ${w.sectionId} = ${a.sectionId} AND ${w.recipientId} = ${a.recipientId} AND ${w.archivedAt} IS NULL
      WHERE ${a.pollId} IS NULL AND ${a.canceledAt} IS NULL AND ${a.releaseAt} <= ${now} ORDER BY ${a.releaseAt} LIMIT ${most})`)
}

/** The others: closed again, not read for too long, or nobody watches any more. */
function cancelHeld(now: number): Query {
  return statement(sql`UPDATE ${classAlert} SET ${names(classAlert.canceledAt)} = ${now}
    WHERE ${classAlert.id} IN (
      SELECT ${a.id} FROM ${classAlert} ${a}
      WHERE ${a.pollId} IS NULL AND ${a.canceledAt} IS NULL AND ${a.releaseAt} <= ${now}
        AND (${a.releaseAt} <= ${now - MAX_HELD_MS} OR NOT EXISTS (
          SELECT 1 FROM ${section} ${s} JOIN ${watch} ${w} ON ${w.sectionId} = ${s.id} AND ${w.recipientId} = ${a.recipientId}
          WHERE ${s.id} = ${a.sectionId} AND ${s.status} IN ('open', 'unknown') AND ${w.archivedAt} IS NULL))
      LIMIT ${most})`)
}

/**
 * One more alert for the latest opening of a section that is still open, at most three an opening. Whoever is notified of a
 * new opening just now, or soon, needs no reminder of an older one.
 */
function remind(pollId: string, now: number): Query {
  const { openingId, recipientId, sectionId, kind, reminder, createdAt } = classAlert
  return statement(sql`INSERT INTO ${into(classAlert, openingId, recipientId, sectionId, kind, reminder, createdAt, classAlert.pollId)}
    SELECT (SELECT max(${o.openingId}) FROM ${classAlert} ${o}
        WHERE ${o.sectionId} = ${w.sectionId} AND ${o.recipientId} = ${w.recipientId}),
      ${w.recipientId}, ${w.sectionId}, 'reminder', ${w.reminders} + 1, ${now}, ${pollId}
    FROM ${watch} ${w} JOIN ${section} ${s} ON ${s.id} = ${w.sectionId} AND ${s.status} = 'open'
      AND ${s.missingSince} IS NULL AND ${s.unknownSince} IS NULL
    JOIN ${sectionGroup} ${g} ON ${g.id} = ${s.groupId} AND ${g.readAt} >= ${now - freshMs}
    WHERE ${w.remindAt} <= ${now} AND ${w.archivedAt} IS NULL AND ${w.reminders} < ${mostReminders}
      AND EXISTS (SELECT 1 FROM ${classAlert} ${o} WHERE ${o.sectionId} = ${w.sectionId} AND ${o.recipientId} = ${w.recipientId})
      AND NOT EXISTS (
        SELECT 1 FROM ${classAlert} ${h} WHERE ${h.sectionId} = ${w.sectionId} AND ${h.recipientId} = ${w.recipientId}
          AND ${h.canceledAt} IS NULL AND (${h.pollId} IS NULL OR ${h.pollId} = ${pollId}))
    ORDER BY ${w.remindAt} LIMIT ${most}
    ON CONFLICT DO NOTHING`)
}

/** A seat that is gone reminds nobody; its next opening starts anew. */
function forgetReminders(now: number): Query {
  return statement(sql`UPDATE ${watch} SET ${names(watch.remindAt)} = NULL
    WHERE ${watch.id} IN (
      SELECT ${w.id} FROM ${watch} ${w} JOIN ${section} ${s} ON ${s.id} = ${w.sectionId}
      WHERE ${w.remindAt} <= ${now} AND (${s.status} NOT IN ('open', 'unknown') OR ${w.archivedAt} IS NOT NULL))`)
}
