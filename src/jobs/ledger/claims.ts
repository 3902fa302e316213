import type { QueueMessage, Grant, Verdict, WorkerName } from './calls.ts'
import { isHeld, joinHeld } from './due.ts'
import { readJob, type StoredJob } from './rows.ts'
import { isPaused } from './settings.ts'
import { figure, type Turn } from './sql.ts'
import { count, measure } from './tally.ts'
import { workerBegins } from './workers.ts'

/** A worker loses its job this long after its last heartbeat, ms. */
export const LEASE_MS = 20_000
/** No heartbeat extends a lease further than this past the job's deadline, ms. */
const MAX_PAST_DEADLINE_MS = 10_000
const MAX_LINES = 200
const MAX_RUNS = 50
/** How many workers share the waiting jobs; each gets at least one job per connection. */
const SHARES = 24
export const LEAST_SHARE = 6

/** Compare-and-set from queued to started: one caller gets the message's job, the others nothing. */
export function claim(turn: Turn, { job, attempt }: QueueMessage, by: WorkerName): Grant[] {
  const row = readJob(turn.sql, job)
  if (row?.state !== 'queued' || row.attempt !== attempt || isPaused(turn)) return []
  if (isHeld(turn, row.exclusive_name)) {
    turn.sql.rows('UPDATE job SET rung_at = NULL WHERE seq = ?', row.seq)
    return []
  }
  return start(turn, [row], by)
}

/** The next queued jobs that are not held, whether their messages were sent or not; `count` at most. */
export function claimNext(turn: Turn, by: WorkerName, count: number): Grant[] {
  const grants: Grant[] = []
  if (isPaused(turn)) return grants
  while (grants.length < count) {
    const rows = turn.sql.rows<StoredJob>(
      `SELECT * FROM job WHERE state = 'queued' AND (exclusive_name IS NULL OR NOT EXISTS
         (SELECT 1 FROM job AS holder WHERE holder.state = 'started' AND holder.exclusive_name = job.exclusive_name))
       ORDER BY priority DESC, due_at, seq LIMIT ?`,
      count - grants.length,
    )
    if (rows.length === 0) break
    // From the first exclusive name on, others with that name are held.
    const exclusive = rows.findIndex(({ exclusive_name: name }) => name !== null)
    grants.push(...start(turn, exclusive < 0 ? rows : rows.slice(0, exclusive + 1), by))
  }
  return grants
}

/** The most jobs that one worker runs at a time: if few wait, other workers get some too, to use all connections. */
export function shareOf({ sql }: Turn): number {
  const queued = figure(sql, `SELECT jobs AS figure FROM counter WHERE state = 'queued'`) ?? 0
  return Math.max(LEAST_SHARE, Math.ceil(queued / SHARES))
}

/** Gives queued jobs to a worker. At most one of them may have an exclusive name. */
function start(turn: Turn, rows: readonly StoredJob[], by: WorkerName): Grant[] {
  const { sql, now, queue } = turn
  const grants = rows.map(({ id, attempt, task, input, run_seconds: runSeconds }): Grant => {
    const deadline = Math.trunc(now + runSeconds * 1000)
    const leaseUntil = Math.min(now + LEASE_MS, deadline + MAX_PAST_DEADLINE_MS)
    return { job: id, attempt, task, queue, input, lease_until: leaseUntil, deadline }
  })
  const list = JSON.stringify(
    rows.map(({ seq, attempt }, index) => [seq, attempt, grants[index]?.lease_until, grants[index]?.deadline]),
  )
  sql.rows(
    `UPDATE job SET state = 'started', started_at = ?1, heartbeat_at = ?1, lease_until = j.value ->> 2,
      deadline = j.value ->> 3, worker = ?2, tries = tries + 1, rung_at = NULL, stop_asked = 0
     FROM json_each(?3) AS j WHERE seq = j.value ->> 0`,
    now,
    by.worker,
    list,
  )
  sql.rows(
    `INSERT INTO run (job, attempt, worker, location, started_at)
     SELECT value ->> 0, value ->> 1, ?, ?, ? FROM json_each(?)`,
    by.worker,
    by.location,
    now,
    list,
  )
  for (const row of rows) {
    if (row.attempt > MAX_RUNS)
      sql.rows('DELETE FROM run WHERE job = ? AND attempt <= ?', row.seq, row.attempt - MAX_RUNS)
    measure(turn, 'wait', now - (row.queued_at ?? now))
    turn.touched.add(row.id)
  }
  workerBegins(turn, by, rows.length)
  count(turn, 'started', rows.length)
  if (rows.some(({ exclusive_name: name }) => name !== null)) joinHeld(turn)
  return grants
}

/** The job's row if this attempt is the one that is running; every later call of a worker checks this. */
export function runningAttempt(turn: Turn, job: string, attempt: number): StoredJob | null {
  const row = readJob(turn.sql, job)
  return row?.state === 'started' && row.attempt === attempt ? row : null
}

export function heartbeat(turn: Turn, job: string, attempt: number): Verdict {
  const row = runningAttempt(turn, job, attempt)
  if (!row) return 'lost'
  const latest = (row.deadline ?? turn.now) + MAX_PAST_DEADLINE_MS
  const leaseUntil = Math.max(row.lease_until ?? 0, Math.min(turn.now + LEASE_MS, latest))
  turn.sql.rows('UPDATE job SET heartbeat_at = ?, lease_until = ? WHERE seq = ?', turn.now, leaseUntil, row.seq)
  return row.stop_asked === 1 ? 'stop' : 'go_on'
}

export function progress(
  turn: Turn,
  job: string,
  attempt: number,
  done: number,
  total: number,
  label: string,
): Verdict {
  const verdict = heartbeat(turn, job, attempt)
  if (verdict === 'lost') return verdict
  turn.sql.rows(
    'UPDATE job SET progress_done = ?, progress_total = ?, progress_label = ? WHERE id = ?',
    done,
    total,
    label.slice(0, 500),
    job,
  )
  turn.touched.add(job)
  return verdict
}

/** Stores one log line; the newest 200 of a job are kept. */
export function log(turn: Turn, job: string, attempt: number, line: string): Verdict {
  const row = runningAttempt(turn, job, attempt)
  if (!row) return 'lost'
  const [kept] = turn.sql.rows<{ number: number }>(
    `INSERT INTO line (job, number, at, line)
     VALUES (?, (SELECT coalesce(max(number), 0) + 1 FROM line WHERE job = ?), ?, ?) RETURNING number`,
    row.seq,
    row.seq,
    turn.now,
    line.slice(0, 1000),
  )
  if (kept) turn.sql.rows('DELETE FROM line WHERE job = ? AND number <= ?', row.seq, kept.number - MAX_LINES)
  turn.touched.add(job)
  return row.stop_asked === 1 ? 'stop' : 'go_on'
}
