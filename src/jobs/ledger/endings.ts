import { and, eq, lte, sql } from 'drizzle-orm'
import { runIn } from '../../db/own-database.ts'
import { parameter, parameters, prepared, query } from '../../db/query.ts'
import { DAY_MS } from '../../lib/time.ts'
import { type EndedAttempt, type Ending, MAX_ERROR_LENGTH } from './calls.ts'
import { runningAttempt } from './claims.ts'
import { changing } from './rows.ts'
import type { Transaction } from './sql.ts'
import { inState, job, type Outcome, run, type StoredJob } from './tables.ts'
import { count, measure } from './tally.ts'
import { workerEnds } from './workers.ts'

type Again = Extract<Ending, { how: 'again' }>
type Failure = Omit<Extract<Ending, { how: 'failed' }>, 'how'>

/** How long a job waits for a version that knows its task: longer than a rollback lasts, short enough to be noticed. */
const MAX_RETURNED_MS = DAY_MS
/** The delay until it is offered again: another isolate may run the newer version by then. */
const RETURN_DELAY_MS = 60_000
const MAX_EXPIRED = 500
/** A longer result is recorded by itself, because a statement's argument is at most 2 MB. */
const MAX_SHORT_RESULT = 10_000

/** Records how attempts ended. A report about an attempt that is no longer running changes nothing. */
export function endAll(tx: Transaction, attempts: readonly EndedAttempt[]): void {
  finishAll(tx, attempts)
  for (const { job: id, attempt, ending } of attempts) {
    const row = ending.how === 'finished' ? null : runningAttempt(tx, id, attempt)
    if (!row) continue
    if (ending.how === 'again') again(tx, row, ending)
    if (ending.how === 'returned') giveBack(tx, row, ending.reason)
    if (ending.how === 'stopped') stopped(tx, row, ending.reason)
    if (ending.how === 'failed') retryOrFail(tx, row, 'retried', ending)
  }
}

/** JSON lists: of each job, what identifies it, its attempt, and its result. */
const listed = sql`json_each(${parameter('list')}) AS j`

const finishJobs = prepared(() =>
  query
    .update(job)
    .set({
      state: 'finished',
      ended_at: parameter('now'),
      lease_until: null,
      deadline: null,
      result: sql`j.value ->> 2`,
      error: null,
    })
    .from(listed)
    .where(sql`${job.id} = j.value ->> 0 AND ${job.attempt} = j.value ->> 1 AND ${inState('started')}`)
    .returning({
      seq: job.seq,
      id: job.id,
      attempt: job.attempt,
      started_at: job.started_at,
      worker: job.worker,
    }),
)

const finishRuns = prepared(() =>
  query
    .update(run)
    .set({ ended_at: parameter('now'), outcome: 'finished', error: null })
    .from(listed)
    .where(sql`${run.job} = j.value ->> 0 AND ${run.attempt} = j.value ->> 1`),
)

/** Records the attempts that succeeded, those with short results in two statements together. */
function finishAll(tx: Transaction, attempts: readonly EndedAttempt[]): void {
  const { sql: db, now } = tx
  const results = attempts.flatMap(({ job: id, attempt, ending }) =>
    ending.how === 'finished' ? [[id, attempt, ending.result] as const] : [],
  )
  const lists = Map.groupBy(results, ([id, , result]) => (result.length <= MAX_SHORT_RESULT ? 'short' : id))
  for (const list of lists.values()) {
    const rows = runIn(db, finishJobs({ now, list: JSON.stringify(list) }))
    runIn(db, finishRuns({ now, list: JSON.stringify(rows.map(({ seq, attempt }) => [seq, attempt])) }))
    for (const row of rows) {
      noteRun(tx, row, 'finished')
      tx.touched.add(row.id)
    }
    count(tx, 'finished', rows.length)
  }
}

const renew = changing({ tries: 0, returned_at: null, ...parameters('input', 'priority') })

/** Not done yet: the same job is due again with new attempts. A stop requested in the meantime takes precedence. */
function again(tx: Transaction, row: StoredJob, { at, input, priority }: Again): void {
  if (row.stop_asked) return endStopped(tx, row, 'Stopped between runs.')
  endRun(tx, row, 'again', null)
  backToSchedule(tx, row, at, null)
  const changed = { input, priority: priority === null ? row.priority : Math.trunc(priority) }
  runIn(tx.sql, renew({ seq: row.seq, ...changed }))
}

const giveTryBack = changing({ tries: sql`${job.tries} - 1`, returned_at: parameter('since') })

/**
 * The version that claimed the job does not know its task: a newer version enqueued it during a deployment or before a
 * rollback. It waits, with its tries unchanged, for a version that does. If no version knows the task for a long time,
 * the task was removed, and the job fails.
 */
function giveBack(tx: Transaction, row: StoredJob, reason: string): void {
  const error = reason.slice(0, MAX_ERROR_LENGTH)
  const since = row.returned_at ?? tx.now
  if (row.stop_asked) return endStopped(tx, row, error)
  if (tx.now - since >= MAX_RETURNED_MS) {
    endRun(tx, row, 'failed', error)
    endJob(tx, row, 'failed', error)
    return
  }
  endRun(tx, row, 'returned', error)
  backToSchedule(tx, row, tx.now + RETURN_DELAY_MS, null)
  runIn(tx.sql, giveTryBack({ seq: row.seq, since }))
}

const findExpired = prepared(() =>
  query
    .select()
    .from(job)
    .where(and(inState('started'), lte(job.lease_until, parameter('now'))))
    .orderBy(job.lease_until)
    .limit(MAX_EXPIRED),
)

export function expireLeases(tx: Transaction): void {
  for (const row of runIn(tx.sql, findExpired({ now: tx.now }))) {
    const error = `Worker ${row.worker} sent no heartbeat in time.`
    retryOrFail(tx, row, 'lost', { error, retry_at: null, gives_up: false })
  }
}

function retryOrFail(tx: Transaction, row: StoredJob, outcome: 'retried' | 'lost', failure: Failure): void {
  const error = failure.error.slice(0, MAX_ERROR_LENGTH)
  if (row.stop_asked) return endStopped(tx, row, error)
  if (failure.gives_up || row.tries >= row.attempts_limit) {
    endRun(tx, row, outcome === 'lost' ? 'lost' : 'failed', error)
    endJob(tx, row, 'failed', error)
    return
  }
  endRun(tx, row, outcome, error)
  count(tx, 'retried')
  backToSchedule(tx, row, failure.retry_at ?? tx.now + retryDelay(row), error)
}

function retryDelay({ retry_seconds: delays, tries }: StoredJob): number {
  return (delays[tries - 1] ?? delays.at(-1) ?? 0) * 1000
}

const schedule = changing({
  ...parameters('state', 'due_at', 'queued_at', 'error'),
  attempt: sql`${job.attempt} + 1`,
  sent_at: null,
  lease_until: null,
  deadline: null,
})

function backToSchedule(
  { sql: db, now, touched }: Transaction,
  { seq, id }: StoredJob,
  at: number,
  error: string | null,
): void {
  const times = { due_at: Math.trunc(at), queued_at: at <= now ? now : null }
  runIn(db, schedule({ seq, state: at <= now ? 'queued' : 'scheduled', ...times, error }))
  touched.add(id)
}

/** The worker heard of a stop. If someone has asked for the job since, it starts over. */
function stopped(tx: Transaction, row: StoredJob, reason: string): void {
  if (row.stop_asked) return endStopped(tx, row, reason)
  endRun(tx, row, 'stopped', reason)
  backToSchedule(tx, row, tx.now, null)
  runIn(tx.sql, renew({ seq: row.seq, input: row.input, priority: row.priority }))
}

function endStopped(tx: Transaction, row: StoredJob, reason: string): void {
  endRun(tx, row, 'stopped', reason.slice(0, MAX_ERROR_LENGTH))
  endJob(tx, row, 'stopped', reason.slice(0, MAX_ERROR_LENGTH))
}

const closeRun = prepared(() => {
  const { seq, attempt, ...set } = parameters('seq', 'attempt', 'ended_at', 'outcome', 'error')
  return query
    .update(run)
    .set(set)
    .where(and(eq(run.job, seq), eq(run.attempt, attempt)))
})

function endRun(tx: Transaction, row: StoredJob, outcome: Outcome, error: string | null): void {
  const { seq, attempt } = row
  runIn(tx.sql, closeRun({ seq, attempt, ended_at: tx.now, outcome, error }))
  noteRun(tx, row, outcome)
}

function noteRun(
  tx: Transaction,
  { started_at: startedAt, worker }: Pick<StoredJob, 'started_at' | 'worker'>,
  outcome: Outcome,
): void {
  measure(tx, 'run', tx.now - (startedAt ?? tx.now))
  if (worker !== null) workerEnds(tx, worker, outcome)
}

const closeJob = changing({
  ...parameters('state', 'ended_at', 'error'),
  lease_until: null,
  deadline: null,
  result: null,
})

function endJob(tx: Transaction, { seq, id }: StoredJob, state: 'failed' | 'stopped', error: string): void {
  runIn(tx.sql, closeJob({ seq, state, ended_at: tx.now, error }))
  count(tx, state)
  tx.touched.add(id)
}
