import { and, eq, lt, sql } from 'drizzle-orm'
import { firstIn, runIn } from '../../db/own-database.ts'
import { parameter, parameters, prepared, query } from '../../db/query.ts'
import { type JobRecord, nameJob } from '../job.ts'
import type { JobRequest } from './calls.ts'
import { joinHeld } from './due.ts'
import { readJob, toRecord } from './rows.ts'
import { readValue, writeValue } from './settings.ts'
import type { Transaction } from './sql.ts'
import { inState, job, task } from './tables.ts'
import { count } from './tally.ts'

const addTask = prepared(() =>
  query
    .insert(task)
    .values({ name: parameter('name') })
    .onConflictDoNothing(),
)

/** Stores the jobs, or finds the unfinished ones with the same keys; returns them in the order of the requests. */
export function enqueueAll(tx: Transaction, requests: readonly JobRequest[]): JobRecord[] {
  const before = readValue(tx, 'last_seq') ?? 0
  let seq = before
  const names = requests.map((request) => {
    const unended = request.key === undefined ? null : findUnfinishedByKey(tx, request.key)
    if (unended) {
      raisePriority(tx, unended, request)
      if ((request.asked_by ?? null) !== null) withdrawStop(tx, unended)
      return unended
    }
    seq += 1
    return insert(tx, seq, request)
  })
  if (seq > before) writeValue(tx, 'last_seq', seq)
  count(tx, 'enqueued', seq - before)
  for (const name of new Set(requests.map((request) => request.task))) runIn(tx.sql, addTask({ name }))
  joinHeld(tx)
  return names.flatMap((name) => {
    const row = readJob(tx.sql, name)
    return row ? [toRecord(row, tx.queue)] : []
  })
}

const findUnfinished = prepared(() =>
  query
    .select({ id: job.id })
    .from(job)
    .where(and(eq(job.key, parameter('key')), sql`${job.state} IN ('scheduled', 'queued', 'started')`)),
)

/** The name of the job with this key that has not ended; null without one. */
export function findUnfinishedByKey(tx: Transaction, key: string): string | null {
  return firstIn(tx.sql, findUnfinished({ key }))?.id ?? null
}

const raise = prepared(() => {
  const { id, priority, at, now } = parameters('id', 'priority', 'at', 'now')
  const isScheduled = inState('scheduled')
  const isDue = sql`${isScheduled} AND ${at} <= ${now}`
  return query
    .update(job)
    .set({
      priority,
      due_at: sql`iif(${isScheduled}, min(${job.due_at}, ${at}), ${job.due_at})`,
      state: sql`iif(${isDue}, 'queued', ${job.state})`,
      queued_at: sql`iif(${isDue}, ${now}, ${job.queued_at})`,
      sent_at: sql`iif(${isScheduled}, NULL, ${job.sent_at})`,
    })
    .where(and(eq(job.id, id), lt(job.priority, priority)))
    .returning({ id: job.id })
})

/** A higher priority also makes the joined job due now: a person does not wait for a nightly job, or for its retry. */
function raisePriority(tx: Transaction, id: string, { priority = 0, at = tx.now }: JobRequest): void {
  const values = { id, priority: Math.trunc(priority), at: Math.trunc(at), now: tx.now }
  if (runIn(tx.sql, raise(values)).length > 0) tx.touched.add(id)
}

const clearStop = prepared(() =>
  query
    .update(job)
    .set({ stop_asked: false })
    .where(and(eq(job.id, parameter('id')), sql`${job.stop_asked}`))
    .returning({ id: job.id }),
)

/** A person who asks for a job that is still being stopped would otherwise see it end without its work. */
function withdrawStop(tx: Transaction, id: string): void {
  if (runIn(tx.sql, clearStop({ id })).length > 0) tx.touched.add(id)
}

const addJob = prepared(() => {
  const named = parameters('seq', 'id', 'task', 'key', 'state', 'priority', 'exclusive_name', 'when_held', 'input')
  const limits = parameters('attempts_limit', 'run_seconds', 'retry_seconds')
  return query
    .insert(job)
    .values({ ...named, ...limits, ...parameters('asked_by', 'created_at', 'due_at', 'queued_at') })
})

function insert(tx: Transaction, seq: number, { limit, exclusive, ...request }: JobRequest): string {
  const { now } = tx
  const id = nameJob(request.task, tx.queue, now, seq)
  const dueAt = Math.trunc(request.at ?? now)
  const isDue = dueAt <= now
  runIn(
    tx.sql,
    addJob({
      seq,
      id,
      task: request.task,
      key: request.key ?? null,
      state: isDue ? 'queued' : 'scheduled',
      priority: Math.trunc(request.priority ?? 0),
      exclusive_name: exclusive?.name ?? null,
      when_held: exclusive?.when_held ?? null,
      input: request.input,
      attempts_limit: limit.attempts,
      run_seconds: limit.run_seconds,
      retry_seconds: JSON.stringify(limit.retry_seconds),
      asked_by: request.asked_by ?? null,
      created_at: now,
      due_at: dueAt,
      queued_at: isDue ? now : null,
    }),
  )
  tx.touched.add(id)
  return id
}
