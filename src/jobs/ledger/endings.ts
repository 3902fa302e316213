import { DAY_MS } from '../../lib/time.ts'
import type { EndedAttempt, Ending } from './calls.ts'
import type { RunRecord } from './views.ts'
import { runningAttempt } from './claims.ts'
import type { StoredJob } from './rows.ts'
import type { Turn } from './sql.ts'
import { count, measure } from './tally.ts'
import { workerEnds } from './workers.ts'

type Outcome = NonNullable<RunRecord['outcome']>
type Again = Extract<Ending, { how: 'again' }>
type Failure = Omit<Extract<Ending, { how: 'failed' }>, 'how'>

/** How long a job waits for a version that knows its task: longer than a rollback lasts, short enough to be noticed. */
const MAX_RETURNED_MS = DAY_MS
/** The delay until it is offered again: another isolate may run the newer version by then. */
const RETURN_DELAY_MS = 60_000
const MAX_EXPIRED = 500
const MAX_ERROR_LENGTH = 8000
/** A longer result is recorded by itself, because a statement's argument is at most 2 MB. */
const MAX_SHORT_RESULT = 10_000

/** Records how attempts ended. A report about an attempt that is no longer running changes nothing. */
export function endAll(turn: Turn, attempts: readonly EndedAttempt[]): void {
  finishAll(turn, attempts)
  for (const { job, attempt, ending } of attempts) {
    const row = ending.how === 'finished' ? null : runningAttempt(turn, job, attempt)
    if (!row) continue
    if (ending.how === 'again') again(turn, row, ending)
    if (ending.how === 'returned') giveBack(turn, row, ending.reason)
    if (ending.how === 'stopped') endStopped(turn, row, ending.reason)
    if (ending.how === 'failed') retryOrFail(turn, row, 'retried', ending)
  }
}

/** Records the attempts that succeeded, those with short results in two statements together. */
function finishAll(turn: Turn, attempts: readonly EndedAttempt[]): void {
  const { sql, now } = turn
  const results = attempts.flatMap(({ job, attempt, ending }) =>
    ending.how === 'finished' ? [[job, attempt, ending.result] as const] : [],
  )
  const lists = Map.groupBy(results, ([job, , result]) => (result.length <= MAX_SHORT_RESULT ? 'short' : job))
  for (const list of lists.values()) {
    const rows = sql.rows<Pick<StoredJob, 'seq' | 'id' | 'attempt' | 'started_at' | 'worker'>>(
      `UPDATE job SET state = 'finished', ended_at = ?1, lease_until = NULL, deadline = NULL, result = j.value ->> 2, error = NULL
       FROM json_each(?2) AS j WHERE job.id = j.value ->> 0 AND job.attempt = j.value ->> 1 AND job.state = 'started'
       RETURNING seq, id, attempt, started_at, worker`,
      now,
      JSON.stringify(list),
    )
    sql.rows(
      `UPDATE run SET ended_at = ?1, outcome = 'finished', error = NULL
       FROM json_each(?2) AS j WHERE run.job = j.value ->> 0 AND run.attempt = j.value ->> 1`,
      now,
      JSON.stringify(rows.map(({ seq, attempt }) => [seq, attempt])),
    )
    for (const row of rows) {
      noteRun(turn, row, 'finished')
      turn.touched.add(row.id)
    }
    count(turn, 'finished', rows.length)
  }
}

/** Not done yet: the same job is due again with new attempts. A stop requested in the meantime takes precedence. */
function again(turn: Turn, row: StoredJob, { at, input, priority }: Again): void {
  if (row.stop_asked === 1) return endStopped(turn, row, 'Stopped between runs.')
  endRun(turn, row, 'again', null)
  backToSchedule(turn, row, at, null)
  turn.sql.rows(
    'UPDATE job SET tries = 0, returned_at = NULL, input = ?, priority = coalesce(?, priority) WHERE seq = ?',
    input,
    priority === null ? null : Math.trunc(priority),
    row.seq,
  )
}

/**
 * The version that claimed the job does not know its task: a newer version enqueued it during a deployment or before a
 * rollback. It waits, with its tries unchanged, for a version that does. If no version knows the task for a long time,
 * the task was removed, and the job fails.
 */
function giveBack(turn: Turn, row: StoredJob, reason: string): void {
  const error = reason.slice(0, MAX_ERROR_LENGTH)
  const since = row.returned_at ?? turn.now
  if (row.stop_asked === 1) return endStopped(turn, row, error)
  if (turn.now - since >= MAX_RETURNED_MS) {
    endRun(turn, row, 'failed', error)
    endJob(turn, row, 'failed', error)
    return
  }
  endRun(turn, row, 'returned', error)
  backToSchedule(turn, row, turn.now + RETURN_DELAY_MS, null)
  turn.sql.rows('UPDATE job SET tries = tries - 1, returned_at = ? WHERE seq = ?', since, row.seq)
}

export function expireLeases(turn: Turn): void {
  const rows = turn.sql.rows<StoredJob>(
    `SELECT * FROM job WHERE state = 'started' AND lease_until <= ? ORDER BY lease_until LIMIT ?`,
    turn.now,
    MAX_EXPIRED,
  )
  for (const row of rows) {
    const error = `Worker ${row.worker} sent no heartbeat in time.`
    retryOrFail(turn, row, 'lost', { error, retry_at: null, gives_up: false })
  }
}

function retryOrFail(turn: Turn, row: StoredJob, outcome: 'retried' | 'lost', failure: Failure): void {
  const error = failure.error.slice(0, MAX_ERROR_LENGTH)
  if (row.stop_asked === 1) return endStopped(turn, row, error)
  if (failure.gives_up || row.tries >= row.attempts_limit) {
    endRun(turn, row, outcome === 'lost' ? 'lost' : 'failed', error)
    endJob(turn, row, 'failed', error)
    return
  }
  endRun(turn, row, outcome, error)
  count(turn, 'retried')
  backToSchedule(turn, row, failure.retry_at ?? turn.now + retryDelay(row), error)
}

function retryDelay(row: StoredJob): number {
  const delays: number[] = JSON.parse(row.retry_seconds)
  return (delays[row.tries - 1] ?? delays.at(-1) ?? 0) * 1000
}

function backToSchedule({ sql, now, touched }: Turn, row: StoredJob, at: number, error: string | null): void {
  const isDue = at <= now
  sql.rows(
    `UPDATE job SET state = ?, attempt = attempt + 1, due_at = ?, queued_at = ?, rung_at = NULL, lease_until = NULL,
      deadline = NULL, error = ? WHERE seq = ?`,
    isDue ? 'queued' : 'scheduled',
    Math.trunc(at),
    isDue ? now : null,
    error,
    row.seq,
  )
  touched.add(row.id)
}

function endStopped(turn: Turn, row: StoredJob, reason: string): void {
  endRun(turn, row, 'stopped', reason.slice(0, MAX_ERROR_LENGTH))
  endJob(turn, row, 'stopped', reason.slice(0, MAX_ERROR_LENGTH))
}

function endRun(turn: Turn, row: StoredJob, outcome: Outcome, error: string | null): void {
  turn.sql.rows(
    'UPDATE run SET ended_at = ?, outcome = ?, error = ? WHERE job = ? AND attempt = ?',
    turn.now,
    outcome,
    error,
    row.seq,
    row.attempt,
  )
  noteRun(turn, row, outcome)
}

function noteRun(
  turn: Turn,
  { started_at: startedAt, worker }: Pick<StoredJob, 'started_at' | 'worker'>,
  outcome: Outcome,
): void {
  measure(turn, 'run', turn.now - (startedAt ?? turn.now))
  if (worker !== null) workerEnds(turn, worker, outcome)
}

function endJob(turn: Turn, row: StoredJob, state: 'failed' | 'stopped', error: string): void {
  turn.sql.rows(
    `UPDATE job SET state = ?, ended_at = ?, lease_until = NULL, deadline = NULL, result = NULL, error = ? WHERE seq = ?`,
    state,
    turn.now,
    error,
    row.seq,
  )
  count(turn, state)
  turn.touched.add(row.id)
}
