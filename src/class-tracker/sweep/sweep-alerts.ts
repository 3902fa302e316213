import * as z from 'zod'
import { defineJob, type JobContext, runAgain } from '../../jobs/job.ts'
import { ring, type WaitingDelivery, waitingColumns } from '../deliveries/ring-deliveries.ts'
import { mostReminders, releaseStatements } from './release-alerts.ts'

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
    const results = await env.DB.batch([
      releaseHeld(env.DB, pollId, at),
      cancelHeld(env.DB, at),
      remind(env.DB, pollId, at),
      forgetReminders(env.DB, at),
      ...releaseStatements(env.DB, pollId, at),
    ])
    const { queued, isDone } = await ringLeftOver(context)
    const [released = 0, canceled = 0, reminders = 0] = results.map(({ meta }) => meta.changes)
    if (!isDone || Math.max(released, canceled, reminders) >= most) return runAgain(now(), {})
    return { released, canceled, reminders, queued }
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
  const { results } = await db
    .prepare(
      `UPDATE delivery SET look_at = ?1 + ?2
       WHERE id IN (
         SELECT id FROM delivery WHERE state IN ('queued', 'sending', 'unconfirmed') AND max(due_at, coalesce(look_at, 0)) <= ?1
         ORDER BY max(due_at, coalesce(look_at, 0)), id LIMIT ?3)
       RETURNING ${waitingColumns}`,
    )
    .bind(now, lookAgainMs, pageSize)
    .all<WaitingDelivery>()
  return results
}

/** They could not be queued. */
async function forgetLook(db: D1Database, due: readonly WaitingDelivery[]): Promise<void> {
  const list = JSON.stringify(due.map(({ id }) => id))
  await db.prepare('UPDATE delivery SET look_at = NULL WHERE id IN (SELECT value FROM json_each(?))').bind(list).run()
}

/** Held alerts whose time has come and whose section is freshly believed to be open, for those who still watch. */
function releaseHeld(db: D1Database, pollId: string, now: number): D1PreparedStatement {
  return db
    .prepare(
      `UPDATE class_alert SET poll_id = ?
       WHERE id IN (
         SELECT a.id FROM class_alert a JOIN section s ON s.id = a.section_id AND s.status = 'open'
           AND s.missing_since IS NULL AND s.unknown_since IS NULL
         JOIN section_group g ON g.id = s.group_id AND g.read_at >= ?
         JOIN watch w ON w.section_id = a.section_id AND w.recipient_id = a.recipient_id AND w.archived_at IS NULL
         WHERE a.poll_id IS NULL AND a.canceled_at IS NULL AND a.release_at <= ? ORDER BY a.release_at LIMIT ?)`,
    )
    .bind(pollId, now - freshMs, now, most)
}

/** The others: closed again, not read for too long, or nobody watches any more. */
function cancelHeld(db: D1Database, now: number): D1PreparedStatement {
  return db
    .prepare(
      `UPDATE class_alert SET canceled_at = ?
       WHERE id IN (
         SELECT a.id FROM class_alert a
         WHERE a.poll_id IS NULL AND a.canceled_at IS NULL AND a.release_at <= ?
           AND (a.release_at <= ? OR NOT EXISTS (
             SELECT 1 FROM section s JOIN watch w ON w.section_id = s.id AND w.recipient_id = a.recipient_id
             WHERE s.id = a.section_id AND s.status IN ('open', 'unknown') AND w.archived_at IS NULL))
         LIMIT ?)`,
    )
    .bind(now, now, now - MAX_HELD_MS, most)
}

/**
 * One more alert for the latest opening of a section that is still open, at most three an opening. Whoever is told of a new
 * opening just now, or soon, needs no reminder of an older one.
 */
function remind(db: D1Database, pollId: string, now: number): D1PreparedStatement {
  return db
    .prepare(
      `INSERT INTO class_alert (opening_id, recipient_id, section_id, kind, reminder, created_at, poll_id)
       SELECT (SELECT max(o.opening_id) FROM class_alert o WHERE o.section_id = w.section_id AND o.recipient_id = w.recipient_id),
         w.recipient_id, w.section_id, 'reminder', w.reminders + 1, ?, ?
       FROM watch w JOIN section s ON s.id = w.section_id AND s.status = 'open' AND s.missing_since IS NULL AND s.unknown_since IS NULL
       JOIN section_group g ON g.id = s.group_id AND g.read_at >= ?
       WHERE w.remind_at <= ? AND w.archived_at IS NULL AND w.reminders < ${mostReminders}
         AND EXISTS (SELECT 1 FROM class_alert o WHERE o.section_id = w.section_id AND o.recipient_id = w.recipient_id)
         AND NOT EXISTS (
           SELECT 1 FROM class_alert h WHERE h.section_id = w.section_id AND h.recipient_id = w.recipient_id
             AND h.canceled_at IS NULL AND (h.poll_id IS NULL OR h.poll_id = ?))
       ORDER BY w.remind_at LIMIT ?
       ON CONFLICT DO NOTHING`,
    )
    .bind(now, pollId, now - freshMs, now, pollId, most)
}

/** A seat that is gone reminds nobody; its next opening starts anew. */
function forgetReminders(db: D1Database, now: number): D1PreparedStatement {
  return db
    .prepare(
      `UPDATE watch SET remind_at = NULL
       WHERE id IN (
         SELECT w.id FROM watch w JOIN section s ON s.id = w.section_id
         WHERE w.remind_at <= ? AND (s.status NOT IN ('open', 'unknown') OR w.archived_at IS NOT NULL))`,
    )
    .bind(now)
}
