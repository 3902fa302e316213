import type { JobRecord } from '../job.ts'
import { nameJob } from '../job-name.ts'
import type { JobRequest } from './calls.ts'
import { joinHeld } from './due.ts'
import { readJob, toRecord, type StoredJob } from './rows.ts'
import { readMark, writeMark } from './settings.ts'
import { first, type Turn } from './sql.ts'
import { count } from './tally.ts'

/** Stores the jobs, or finds the unfinished ones with the same keys; returns them in the order of the requests. */
export function enqueueAll(turn: Turn, requests: readonly JobRequest[]): JobRecord[] {
  const before = readMark(turn, 'last_seq') ?? 0
  let seq = before
  const names = requests.map((request) => {
    const unended = request.key === undefined ? null : findUnended(turn, request.key)
    if (unended) {
      raisePriority(turn, unended, request)
      return unended
    }
    seq += 1
    return insert(turn, seq, request)
  })
  if (seq > before) writeMark(turn, 'last_seq', seq)
  count(turn, 'enqueued', seq - before)
  for (const task of new Set(requests.map((request) => request.task))) {
    turn.sql.rows('INSERT INTO task (name) VALUES (?) ON CONFLICT DO NOTHING', task)
  }
  joinHeld(turn)
  return names.flatMap((name) => {
    const row = readJob(turn.sql, name)
    return row ? [toRecord(row, turn.queue)] : []
  })
}

/** The name of the job with this key that has not ended; null without one. */
export function findUnended({ sql }: Turn, key: string): string | null {
  return (
    first<Pick<StoredJob, 'id'>>(
      sql,
      `SELECT id FROM job WHERE key = ? AND state IN ('scheduled', 'queued', 'started')`,
      key,
    )?.id ?? null
  )
}

/** A higher priority also makes the joined job due now: a person does not wait for a nightly job or a retry. */
function raisePriority(turn: Turn, job: string, { priority = 0, at = turn.now }: JobRequest): void {
  const { sql, now } = turn
  const raised = sql.rows<{ id: string }>(
    `UPDATE job SET priority = ?1, due_at = iif(state = 'scheduled', min(due_at, ?2), due_at),
       state = iif(state = 'scheduled' AND ?2 <= ?3, 'queued', state),
       queued_at = iif(state = 'scheduled' AND ?2 <= ?3, ?3, queued_at), rung_at = iif(state = 'scheduled', NULL, rung_at)
     WHERE id = ?4 AND priority < ?1 RETURNING id`,
    Math.trunc(priority),
    Math.trunc(at),
    now,
    job,
  )
  for (const { id } of raised) turn.touched.add(id)
}

function insert(turn: Turn, seq: number, { task, input, limit, ...options }: JobRequest): string {
  const { sql, queue, now } = turn
  const name = nameJob(task, queue, now, seq)
  const dueAt = Math.trunc(options.at ?? now)
  const isDue = dueAt <= now
  sql.rows(
    `INSERT INTO job (seq, id, task, key, state, priority, exclusive_name, when_held, input, attempts_limit, run_seconds,
      retry_seconds, asked_by, created_at, due_at, queued_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    seq,
    name,
    task,
    options.key ?? null,
    isDue ? 'queued' : 'scheduled',
    Math.trunc(options.priority ?? 0),
    options.exclusive?.name ?? null,
    options.exclusive?.when_held ?? null,
    input,
    limit.attempts,
    limit.run_seconds,
    JSON.stringify(limit.retry_seconds),
    options.asked_by ?? null,
    now,
    dueAt,
    isDue ? now : null,
  )
  turn.touched.add(name)
  return name
}
