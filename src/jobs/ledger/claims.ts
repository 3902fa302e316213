import { and, desc, eq, isNull, lte, max, notExists, or, sql } from 'drizzle-orm'
import { firstIn, runIn } from '../../db/own-database.ts'
import { parameter, parameters, into, prepared, query, statement } from '../../db/query.ts'
import { MAX_CONNECTIONS, MAX_RUNNERS } from '../connections.ts'
import type { QueueMessage, ClaimedJob, Verdict } from './calls.ts'
import { holder, holderOf, isHolder, joinHeld } from './due.ts'
import { changing, readJob } from './rows.ts'
import { isPaused } from './settings.ts'
import { scalar, type Transaction } from './sql.ts'
import { counter, inState, job, line, run, type StoredJob } from './tables.ts'
import { count, measure } from './tally.ts'
import { workerBegins } from './workers.ts'

/** A worker loses its job this long after its last heartbeat, in ms. */
export const LEASE_MS = 20_000
/** No heartbeat extends a lease further than this past the job's deadline, in ms. */
const MAX_PAST_DEADLINE_MS = 10_000
const MAX_LINES = 200
const MAX_RUNS = 50

const markUnsent = changing({ sent_at: null })

/** Compare-and-set from queued to started: one caller gets the message's job, the others nothing. */
export function claim(tx: Transaction, message: QueueMessage, worker: string): ClaimedJob[] {
  const row = readJob(tx.sql, message.job)
  if (row?.state !== 'queued' || row.attempt !== message.attempt || isPaused(tx)) return []
  if (holderOf(tx, row.exclusive_name)) {
    runIn(tx.sql, markUnsent({ seq: row.seq }))
    return []
  }
  return start(tx, [row], worker)
}

const findNext = prepared(() =>
  query
    .select()
    .from(job)
    .where(
      and(
        inState('queued'),
        or(isNull(job.exclusive_name), notExists(query.select({ seq: holder.seq }).from(holder).where(isHolder))),
      ),
    )
    .orderBy(desc(job.priority), job.due_at, job.seq)
    .limit(sql.placeholder('limit')),
)

/** The next queued jobs that are not held, whether their messages were sent or not; `count` at most. */
export function claimNext(tx: Transaction, worker: string, count: number): ClaimedJob[] {
  const claimed: ClaimedJob[] = []
  if (isPaused(tx)) return claimed
  while (claimed.length < count) {
    const rows = runIn(tx.sql, findNext({ limit: count - claimed.length }))
    if (rows.length === 0) break
    // From the first exclusive name on, others with that name are held.
    const exclusive = rows.findIndex(({ exclusive_name: name }) => name !== null)
    claimed.push(...start(tx, exclusive < 0 ? rows : rows.slice(0, exclusive + 1), worker))
  }
  return claimed
}

const countQueued = prepared(() =>
  query.select({ value: counter.jobs }).from(counter).where(inState('queued', counter)),
)

/** The most jobs that one worker runs at a time: if few wait, others get some too, to use all connections. */
export function shareOf(tx: Transaction): number {
  const queued = scalar(tx.sql, countQueued()) ?? 0
  return Math.max(MAX_CONNECTIONS, Math.ceil(queued / MAX_RUNNERS))
}

const startJobs = prepared(() => {
  const { now, worker, list } = parameters('now', 'worker', 'list')
  return query
    .update(job)
    .set({
      state: 'started',
      started_at: now,
      heartbeat_at: now,
      lease_until: sql`j.value ->> 2`,
      deadline: sql`j.value ->> 3`,
      worker,
      tries: sql`${job.tries} + 1`,
      sent_at: null,
      stop_asked: false,
    })
    .from(sql`json_each(${list}) AS j`)
    .where(sql`${job.seq} = j.value ->> 0`)
})

const addRuns = prepared(() => {
  const { now, worker, list } = parameters('now', 'worker', 'list')
  return statement(sql`INSERT INTO ${into(run, run.job, run.attempt, run.worker, run.started_at)}
    SELECT value ->> 0, value ->> 1, ${worker}, ${now} FROM json_each(${list})`)
})

const deleteRuns = prepared(() =>
  query.delete(run).where(and(eq(run.job, parameter('job')), lte(run.attempt, parameter('until')))),
)

/** Gives queued jobs to a worker. At most one of them may have an exclusive name. */
function start(tx: Transaction, rows: readonly StoredJob[], worker: string): ClaimedJob[] {
  const { sql: db, now, queue } = tx
  const claimed = rows.map(({ id, attempt, task, input, run_seconds: runSeconds }): ClaimedJob => {
    const deadline = Math.trunc(now + runSeconds * 1000)
    const leaseUntil = Math.min(now + LEASE_MS, deadline + MAX_PAST_DEADLINE_MS)
    return { job: id, attempt, task, queue, input, lease_until: leaseUntil, deadline }
  })
  const list = JSON.stringify(
    rows.map(({ seq, attempt }, index) => [seq, attempt, claimed[index]?.lease_until, claimed[index]?.deadline]),
  )
  runIn(db, startJobs({ now, list, worker }))
  runIn(db, addRuns({ now, list, worker }))
  for (const row of rows) {
    if (row.attempt > MAX_RUNS) runIn(db, deleteRuns({ job: row.seq, until: row.attempt - MAX_RUNS }))
    measure(tx, 'wait', now - (row.queued_at ?? now))
    tx.touched.add(row.id)
  }
  workerBegins(tx, worker, rows.length)
  count(tx, 'started', rows.length)
  if (rows.some(({ exclusive_name: name }) => name !== null)) joinHeld(tx)
  return claimed
}

/** The job's row if this attempt is the one that is running; every later call of a worker checks this. */
export function runningAttempt(tx: Transaction, id: string, attempt: number): StoredJob | null {
  const row = readJob(tx.sql, id)
  return row?.state === 'started' && row.attempt === attempt ? row : null
}

const extendLease = changing(parameters('heartbeat_at', 'lease_until'))

export function heartbeat(tx: Transaction, id: string, attempt: number): Verdict {
  const row = runningAttempt(tx, id, attempt)
  if (!row) return 'lost'
  const latest = (row.deadline ?? tx.now) + MAX_PAST_DEADLINE_MS
  const leaseUntil = Math.max(row.lease_until ?? 0, Math.min(tx.now + LEASE_MS, latest))
  runIn(tx.sql, extendLease({ seq: row.seq, heartbeat_at: tx.now, lease_until: leaseUntil }))
  return row.stop_asked ? 'stop' : 'continue'
}

const setProgress = prepared(() => {
  const { id, ...set } = parameters('id', 'progress_done', 'progress_total', 'progress_label')
  return query.update(job).set(set).where(eq(job.id, id))
})

export function progress(
  tx: Transaction,
  id: string,
  attempt: number,
  done: number,
  total: number,
  label: string,
): Verdict {
  const verdict = heartbeat(tx, id, attempt)
  if (verdict === 'lost') return verdict
  const values = { progress_done: done, progress_total: total, progress_label: label.slice(0, 500) }
  runIn(tx.sql, setProgress({ id, ...values }))
  tx.touched.add(id)
  return verdict
}

const addLine = prepared(() => {
  const values = parameters('job', 'at', 'line')
  const last = query
    .select({ number: max(line.number) })
    .from(line)
    .where(eq(line.job, values.job))
  return query
    .insert(line)
    .values({ ...values, number: sql`coalesce(${last}, 0) + 1` })
    .returning({ number: line.number })
})

const deleteLines = prepared(() =>
  query.delete(line).where(and(eq(line.job, parameter('job')), lte(line.number, parameter('until')))),
)

/** Stores one log line; the newest 200 of a job are kept. */
export function log(tx: Transaction, id: string, attempt: number, text: string): Verdict {
  const row = runningAttempt(tx, id, attempt)
  if (!row) return 'lost'
  const added = firstIn(tx.sql, addLine({ job: row.seq, at: tx.now, line: text.slice(0, 1000) }))
  if (added) runIn(tx.sql, deleteLines({ job: row.seq, until: added.number - MAX_LINES }))
  tx.touched.add(id)
  return row.stop_asked ? 'stop' : 'continue'
}
