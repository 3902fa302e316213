import { DAY_MS } from '../../lib/durations.ts'
import type { EndedAttempt, Ending } from './calls.ts'
import type { RunRecord } from './views.ts'
import { runningAttempt } from './claims.ts'
import type { StoredJob } from './rows.ts'
import { first, type Turn } from './sql.ts'
import { count, measure } from './tally.ts'
import { workerEnds } from './workers.ts'

type Ended = 'finished' | 'failed' | 'stopped'
type Again = Omit<Extract<Ending, { how: 'again' }>, 'how'>
type Failure = Omit<Extract<Ending, { how: 'failed' }>, 'how'>

/** How long a job waits for a version that knows its task: longer than a rollback lasts, short enough to be noticed. */
const MAX_RETURNED_MS = DAY_MS
/** The delay until it is offered again: another isolate may run the newer version by then. */
const RETURN_DELAY_MS = 60_000
const MAX_EXPIRED = 500
const MAX_ERROR_LENGTH = 8000
/** The longest result that is recorded together with others: a statement's argument is at most 2 MB. */
const MAX_SHORT_RESULT = 10_000

/** Records how attempts ended; returns for each whether it was still the running one. */
export function endAll(turn: Turn, attempts: readonly EndedAttempt[]): boolean[] {
  const finished = finishTogether(turn, attempts)
  return attempts.map((ended) => {
    const { job, attempt, ending } = ended
    if (finished.has(ended)) return true
    if (ending.how === 'finished') return finish(turn, job, attempt, ending.result)
    if (ending.how === 'again') return again(turn, job, attempt, ending)
    if (ending.how === 'returned') return giveBack(turn, job, attempt, ending.reason)
    if (ending.how === 'stopped') return stopped(turn, job, attempt, ending.reason)
    return fail(turn, job, attempt, ending)
  })
}

/** Records in two statements what succeeded and was still running. @returns those attempts */
function finishTogether(turn: Turn, attempts: readonly EndedAttempt[]): ReadonlySet<EndedAttempt> {
  const { sql, now } = turn
  const byJob = new Map<string, EndedAttempt>()
  const list: [job: string, attempt: number, result: string][] = []
  for (const ended of attempts) {
    const { job, attempt, ending } = ended
    // What comes second about a job is judged after what came first.
    const isFirst = !byJob.has(job)
    if (isFirst) byJob.set(job, ended)
    if (isFirst && ending.how === 'finished' && ending.result.length <= MAX_SHORT_RESULT)
      list.push([job, attempt, ending.result])
  }
  if (list.length < 2) return new Set()
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
  return new Set(rows.flatMap(({ id }) => byJob.get(id) ?? []))
}

/** The attempt succeeded; `result` is JSON text. */
export function finish(turn: Turn, job: string, attempt: number, result: string): boolean {
  const row = runningAttempt(turn, job, attempt)
  if (!row) return hadEndedAs(turn, job, attempt, ['finished'])
  endRun(turn, row, 'finished', null)
  endJob(turn, row, 'finished', result, null)
  return true
}

/** The attempt stopped because a person asked for it. */
export function stopped(turn: Turn, job: string, attempt: number, reason: string): boolean {
  const row = runningAttempt(turn, job, attempt)
  if (!row) return hadEndedAs(turn, job, attempt, ['stopped'])
  endStopped(turn, row, reason)
  return true
}

/**
 * Not done yet: the same job is due at `at` with `input` (JSON text) and new attempts; `priority` null: unchanged. A
 * stop requested in the meantime takes precedence.
 */
export function again(turn: Turn, job: string, attempt: number, { at, input, priority }: Again): boolean {
  const row = runningAttempt(turn, job, attempt)
  if (!row) return hadEndedAs(turn, job, attempt, ['again', 'stopped'])
  if (row.stop_asked === 1) {
    endStopped(turn, row, 'Stopped between runs.')
    return true
  }
  endRun(turn, row, 'again', null)
  backToSchedule(turn, row, at, null)
  turn.sql.rows(
    'UPDATE job SET tries = 0, returned_at = NULL, input = ?, priority = coalesce(?, priority) WHERE seq = ?',
    input,
    priority === null ? null : Math.trunc(priority),
    row.seq,
  )
  return true
}

/**
 * The attempt failed: another try at `retry_at` (ms; null = the usual delay), unless it was the last or trying cannot
 * help.
 */
export function fail(turn: Turn, job: string, attempt: number, failure: Failure): boolean {
  const row = runningAttempt(turn, job, attempt)
  if (!row) return hadEndedAs(turn, job, attempt, ['retried', 'failed', 'stopped'])
  retryOrFail(turn, row, 'retried', failure)
  return true
}

/**
 * The version that claimed the job does not know its task: a newer version enqueued it during a deployment or before a
 * rollback. It waits, with its tries unchanged, for a version that does. If no version knows the task for a long time,
 * the task was removed, and the job fails.
 */
export function giveBack(turn: Turn, job: string, attempt: number, reason: string): boolean {
  const row = runningAttempt(turn, job, attempt)
  if (!row) return hadEndedAs(turn, job, attempt, ['returned', 'failed', 'stopped'])
  const error = reason.slice(0, MAX_ERROR_LENGTH)
  const since = row.returned_at ?? turn.now
  if (row.stop_asked === 1) {
    endStopped(turn, row, error)
  } else if (turn.now - since >= MAX_RETURNED_MS) {
    endRun(turn, row, 'failed', error)
    endJob(turn, row, 'failed', null, error)
  } else {
    endRun(turn, row, 'returned', error)
    backToSchedule(turn, row, turn.now + RETURN_DELAY_MS, null)
    turn.sql.rows('UPDATE job SET tries = tries - 1, returned_at = ? WHERE seq = ?', since, row.seq)
  }
  return true
}

/** Ends attempts whose lease ran out. */
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

/** A call that is repeated because its answer was lost gets the same answer. */
function hadEndedAs({ sql }: Turn, job: string, attempt: number, outcomes: RunRecord['outcome'][]): boolean {
  const run = first<Pick<RunRecord, 'outcome'>>(
    sql,
    'SELECT outcome FROM run WHERE job = (SELECT seq FROM job WHERE id = ?) AND attempt = ?',
    job,
    attempt,
  )
  return run !== null && outcomes.includes(run.outcome)
}

function retryOrFail(turn: Turn, row: StoredJob, outcome: 'retried' | 'lost', failure: Failure): void {
  const error = failure.error.slice(0, MAX_ERROR_LENGTH)
  if (row.stop_asked === 1) return endStopped(turn, row, error)
  if (failure.gives_up || row.tries >= row.attempts_limit) {
    endRun(turn, row, outcome === 'lost' ? 'lost' : 'failed', error)
    endJob(turn, row, 'failed', null, error)
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
  endJob(turn, row, 'stopped', null, reason.slice(0, MAX_ERROR_LENGTH))
}

function endRun(turn: Turn, row: StoredJob, outcome: NonNullable<RunRecord['outcome']>, error: string | null): void {
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
  outcome: NonNullable<RunRecord['outcome']>,
): void {
  measure(turn, 'run', turn.now - (startedAt ?? turn.now))
  if (worker !== null) workerEnds(turn, worker, outcome)
}

function endJob(turn: Turn, row: StoredJob, state: Ended, result: string | null, error: string | null): void {
  turn.sql.rows(
    `UPDATE job SET state = ?, ended_at = ?, lease_until = NULL, deadline = NULL, result = ?, error = ? WHERE seq = ?`,
    state,
    turn.now,
    result,
    error,
    row.seq,
  )
  count(turn, state)
  turn.touched.add(row.id)
}
