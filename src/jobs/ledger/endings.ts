import { DAY_MS } from '../../lib/time.ts'
import type { EndedAttempt, Ending } from './calls.ts'
import type { RunRecord } from './views.ts'
import { runningAttempt } from './claims.ts'
import type { StoredJob } from './rows.ts'
import { first, type Turn } from './sql.ts'
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

/** The outcomes that the report of an ending can have had. */
const outcomesOf: Readonly<Record<Ending['how'], readonly Outcome[]>> = {
  finished: ['finished'],
  again: ['again', 'stopped'],
  stopped: ['stopped'],
  failed: ['retried', 'failed', 'stopped'],
  returned: ['returned', 'failed', 'stopped'],
}

/** Records how attempts ended; returns for each whether it was still the running one, or had ended the same way. */
export function endAll(turn: Turn, attempts: readonly EndedAttempt[]): boolean[] {
  const finished = finishAll(turn, attempts)
  return attempts.map((ended) => {
    const { job, attempt, ending } = ended
    if (ending.how === 'finished') return finished.has(keyOf(job, attempt)) || hadEndedAs(turn, ended)
    const row = runningAttempt(turn, job, attempt)
    if (!row) return hadEndedAs(turn, ended)
    if (ending.how === 'again') again(turn, row, ending)
    else if (ending.how === 'returned') giveBack(turn, row, ending.reason)
    else if (ending.how === 'stopped') endStopped(turn, row, ending.reason)
    else retryOrFail(turn, row, 'retried', ending)
    return true
  })
}

const keyOf = (job: string, attempt: number): string => `${job} ${attempt}`

/**
 * Records the attempts that succeeded, those with short results in two statements together. Of several reports about
 * one attempt, the first counts.
 * @returns the keys of the attempts that this ended
 */
function finishAll(turn: Turn, attempts: readonly EndedAttempt[]): ReadonlySet<string> {
  const { sql, now } = turn
  const reports = new Map(attempts.toReversed().map((ended) => [keyOf(ended.job, ended.attempt), ended]))
  const results = [...reports.values()].flatMap(({ job, attempt, ending }) =>
    ending.how === 'finished' ? [[job, attempt, ending.result] as const] : [],
  )
  const lists = Map.groupBy(results, ([job, , result]) => (result.length <= MAX_SHORT_RESULT ? 'short' : job))
  const keys = new Set<string>()
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
      keys.add(keyOf(row.id, row.attempt))
    }
    count(turn, 'finished', rows.length)
  }
  return keys
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

/** A call that is repeated because its answer was lost gets the same answer. */
function hadEndedAs({ sql }: Turn, { job, attempt, ending }: EndedAttempt): boolean {
  const run = first<{ outcome: Outcome }>(
    sql,
    `SELECT outcome FROM run WHERE job = (SELECT seq FROM job WHERE id = ?) AND attempt = ? AND outcome IS NOT NULL`,
    job,
    attempt,
  )
  return run !== null && outcomesOf[ending.how].includes(run.outcome)
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
