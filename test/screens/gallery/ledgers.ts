import { queueNames, type QueueName } from '../../../src/jobs/job.ts'
import type { App, Statement } from '../../browser/app.ts'
import { dayOf } from './day.ts'
import { jobsSql } from './jobs.ts'

const secondMs = 1000
const minuteMs = 60 * secondMs

const pausedFor = 19 * minuteMs

/** The isolates that ran the jobs of each queue. */
const workers: Readonly<Record<QueueName, readonly string[]>> = {
  polls: ['worker-8d21f0c4-77', 'worker-1b9e33a0-4c'],
  refresh: ['worker-8d21f0c4-77', 'worker-c05a7e12-91', 'worker-f3d84b66-0e'],
  alerts: ['worker-1b9e33a0-4c'],
  maintenance: ['worker-c05a7e12-91'],
}

/** A day of jobs in all four ledgers; maintenance has been paused for a while. */
export async function seedLedgers(app: App, now: number): Promise<void> {
  const sources = await app.sql<{ id: number; name: string }>('SELECT id, name FROM source')
  const day = dayOf(sources, now)
  // From filling the catalog.
  const before = ['job', 'worker', 'tally', 'setting'].map((table) => ({ text: `DELETE FROM ${table}` }))
  for (const queue of queueNames) await app.ledgerSql(queue, before)
  const maintenance = await app.ledger('maintenance')
  await maintenance.pause('admin')
  await app.ledgerSql('maintenance', [
    { text: 'UPDATE audit SET at = ?', values: [now - pausedFor] },
    { text: `UPDATE setting SET value = ? WHERE name = 'paused_at'`, values: [now - pausedFor] },
    ...schedulesSql(now),
  ])
  for (const queue of queueNames) {
    await app.ledgerSql(queue, jobsSql(queue, day[queue], workers[queue]))
    await app.ledgerSql(queue, workersSql(queue, now))
  }
}

function workersSql(queue: QueueName, now: number): Statement[] {
  return workers[queue].map((name) => ({
    text: `INSERT INTO worker (name, born_at, seen_at, running, busy_since, busy_ms, successful, failed)
      SELECT ?1, ?2 - 5400000, ?2, sum(state = 'started'), max(iif(state = 'started', started_at, NULL)),
        coalesce(sum(ended_at - started_at), 0), sum(state = 'finished'), sum(state = 'failed')
      FROM job WHERE worker = ?1`,
    values: [name, now],
  }))
}

/** The last runs of the schedules: all succeeded. */
function schedulesSql(now: number): Statement[] {
  const every: Readonly<Record<string, number>> = {
    'poll-sources': 1,
    'sweep-alerts': 1,
    'refresh-catalog': 1,
    'send-account-email': 1,
    'check-invites': 5,
    'archive-watches': 24 * 60,
    'delete-old-alerts': 24 * 60,
    'delete-old-account-data': 24 * 60,
    'refresh-instructors': 24 * 60,
    'tidy-directory': 24 * 60,
  }
  return Object.entries(every).map(([name, minutes]) => ({
    text: 'INSERT INTO schedule (name, last_run_at, last_error) VALUES (?, ?, ?)',
    values: [name, now - (now % (minutes * minuteMs)), ''],
  }))
}

/** The cron has just ticked, and workers still exist. */
export async function keepTicking(app: App): Promise<void> {
  const now = Date.now()
  for (const queue of queueNames)
    await app.ledgerSql(queue, [
      {
        text: `INSERT INTO setting (name, value) VALUES ('last_tick_at', ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value`,
        values: [now - 22 * secondMs],
      },
      { text: 'UPDATE worker SET seen_at = ?', values: [now - 4 * secondMs] },
    ])
}
