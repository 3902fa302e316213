import * as z from 'zod'
import { defineJob, runAgain } from '../../jobs/job.ts'
import { ringDeliveries } from '../deliveries/ring-deliveries.ts'
import { mostReminders, releaseStatements } from './release-alerts.ts'

/** A reminder says "still open": it is not sent on a belief older than this. */
const freshMs = 15 * 60_000
/** Most rows one sweep takes up; it runs again at once for the rest. */
const most = 500

/**
 * Releases what was held, reminds where a seat is still open, and queues every delivery that was written but has no living
 * job (a consumer died, a queue lost a message). The minute cron runs it; a poll that held an alert runs it on time.
 */
export const sweepAlerts = defineJob({
  name: 'sweep-alerts',
  queue: 'alerts',
  input: z.object({}),
  limit: { attempts: 3, run_seconds: 15, retry_seconds: [5] },
  async run({ env, job, now }) {
    const at = now()
    const pollId = `${job.id}.${job.attempt}`
    const results = await env.DB.batch<{ id: number }>([
      releaseHeld(env.DB, pollId, at),
      cancelHeld(env.DB, at),
      remind(env.DB, pollId, at),
      forgetReminders(env.DB, at),
      ...releaseStatements(env.DB, pollId, at),
      env.DB.prepare(
        `SELECT id FROM delivery WHERE state IN ('queued', 'sending', 'unconfirmed') AND due_at <= ? ORDER BY due_at LIMIT ?`,
      ).bind(at, most),
    ])
    const due = results.at(-1)?.results ?? []
    await ringDeliveries(
      env,
      due.map(({ id }) => id),
    )
    const [released = 0, canceled = 0, reminders = 0] = results.map(({ meta }) => meta.changes)
    // Deliveries that are due stay so until they are sent, so their number says nothing about what is left.
    if (Math.max(released, canceled, reminders) >= most) return runAgain(now(), {})
    return { released, canceled, reminders, queued: due.length }
  },
})

/** Held alerts whose time has come and whose section is still open, for those who still watch. */
function releaseHeld(db: D1Database, pollId: string, now: number): D1PreparedStatement {
  return db
    .prepare(
      `UPDATE class_alert SET poll_id = ?
       WHERE id IN (
         SELECT a.id FROM class_alert a JOIN section s ON s.id = a.section_id AND s.status = 'open'
         JOIN watch w ON w.section_id = a.section_id AND w.recipient_id = a.recipient_id AND w.archived_at IS NULL
         WHERE a.poll_id IS NULL AND a.canceled_at IS NULL AND a.release_at <= ? ORDER BY a.release_at LIMIT ?)`,
    )
    .bind(pollId, now, most)
}

/** The others: closed again, or nobody watches any more. */
function cancelHeld(db: D1Database, now: number): D1PreparedStatement {
  return db
    .prepare(
      `UPDATE class_alert SET canceled_at = ?
       WHERE id IN (
         SELECT a.id FROM class_alert a
         WHERE a.poll_id IS NULL AND a.canceled_at IS NULL AND a.release_at <= ?
           AND NOT EXISTS (
             SELECT 1 FROM section s JOIN watch w ON w.section_id = s.id AND w.recipient_id = a.recipient_id
             WHERE s.id = a.section_id AND s.status = 'open' AND w.archived_at IS NULL)
         LIMIT ?)`,
    )
    .bind(now, now, most)
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
