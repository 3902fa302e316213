import { and, count, desc, eq, gt, or, sql } from 'drizzle-orm'
import { isIn } from '../../db/json-argument.ts'
import { runIn } from '../../db/own-database.ts'
import { excluded, parameter, parameters, prepared, query, type RowOf } from '../../db/query.ts'
import { scalar, type Reader, type Sql, type Transaction } from './sql.ts'
import { inState, job, type Outcome, run, worker } from './tables.ts'

/** How long a worker without jobs counts as idle, in ms; after that it counts as gone. */
const IDLE_MS = 60_000

export interface WorkerChange {
  begun: number
  ended: number
  successful: number
  failed: number
}

function changeOf({ workers }: Transaction, name: string): WorkerChange {
  const change = workers.get(name) ?? { begun: 0, ended: 0, successful: 0, failed: 0 }
  workers.set(name, change)
  return change
}

/** Records that a worker took this many jobs; the first ones create the worker. */
export function workerBegins(tx: Transaction, name: string, jobs: number): void {
  changeOf(tx, name).begun += jobs
}

/** Records that one of a worker's jobs is over, finished or with an expired lease. */
export function workerEnds(tx: Transaction, name: string, outcome: Outcome): void {
  const change = changeOf(tx, name)
  change.ended += 1
  if (outcome === 'finished' || outcome === 'again') change.successful += 1
  if (outcome === 'failed' || outcome === 'retried' || outcome === 'lost') change.failed += 1
}

const addEnded = prepared(() => {
  const { name, now, ended, successful, failed } = parameters('name', 'now', 'ended', 'successful', 'failed')
  const isIdle = sql`${worker.running} <= ${ended}`
  return query
    .update(worker)
    .set({
      running: sql`${worker.running} - ${ended}`,
      seen_at: now,
      busy_ms: sql`${worker.busy_ms} + iif(${isIdle}, ${now} - ${worker.busy_since}, 0)`,
      busy_since: sql`iif(${isIdle}, NULL, ${worker.busy_since})`,
      successful: sql`${worker.successful} + ${successful}`,
      failed: sql`${worker.failed} + ${failed}`,
    })
    .where(eq(worker.name, name))
})

const addBegun = prepared(() => {
  const { name, now, begun } = parameters('name', 'now', 'begun')
  return query
    .insert(worker)
    .values({ name, born_at: now, seen_at: now, running: begun, busy_since: now })
    .onConflictDoUpdate({
      target: worker.name,
      set: {
        running: sql`${worker.running} + ${excluded(worker.running)}`,
        seen_at: excluded(worker.seen_at),
        busy_since: sql`coalesce(${worker.busy_since}, ${excluded(worker.busy_since)})`,
      },
    })
})

/** Writes the workers' changes in this transaction: a worker that took a job as another ended was busy throughout. */
export function writeWorkers({ sql: db, now, workers }: Transaction): void {
  for (const [name, { begun, ...change }] of workers) {
    if (change.ended > 0) runIn(db, addEnded({ name, now, ...change }))
    if (begun > 0) runIn(db, addBegun({ name, now, begun }))
  }
}

type StoredWorker = typeof worker.$inferSelect

export interface WorkerRecord extends Omit<StoredWorker, 'location' | 'running' | 'busy_since'> {
  state: 'busy' | 'idle' | 'gone'
  /** Jobs it runs now. */
  current_jobs: string[]
}

const isBusy = gt(worker.running, 0).inlineParams()

export function countWorkers({ sql: db, now }: Reader): number {
  const isIdle = and(gt(worker.seen_at, now - IDLE_MS), eq(worker.running, 0))
  const [busy, idle] = [isBusy, isIdle].map((is) => scalar(db, query.select({ value: count() }).from(worker).where(is)))
  return (busy ?? 0) + (idle ?? 0)
}

export const MAX_WORKERS_LISTED = 500

/**
 * At most {@link MAX_WORKERS_LISTED} workers: those running jobs first, then the most recently seen. `includeGone` adds
 * workers that are gone but whose counts are still kept.
 */
export function readWorkers({ sql: db, now }: Reader, includeGone: boolean): WorkerRecord[] {
  const isListed = or(isBusy, gt(worker.seen_at, includeGone ? -1 : now - IDLE_MS))
  const listed = query
    .select()
    .from(worker)
    .where(isListed)
    .orderBy(desc(isBusy), desc(worker.seen_at), worker.name)
    .limit(MAX_WORKERS_LISTED)
  return runIn(db, listed).map((row) => toWorker(db, row, now))
}

export function readWorkersByName({ sql: db, now }: Reader, names: readonly string[]): WorkerRecord[] {
  return runIn(db, query.select().from(worker).where(isIn(worker.name, names))).map((row) => toWorker(db, row, now))
}

const findCurrent = prepared(() =>
  query
    .select({ id: job.id, heartbeat_at: job.heartbeat_at })
    .from(job)
    .where(and(inState('started'), eq(job.worker, parameter('name'))))
    .orderBy(job.seq),
)

function toWorker(db: Sql, { location: _never, running, busy_since, ...row }: StoredWorker, now: number): WorkerRecord {
  if (running === 0) return { ...row, state: row.seen_at > now - IDLE_MS ? 'idle' : 'gone', current_jobs: [] }
  const current = runIn(db, findCurrent({ name: row.name }))
  const current_jobs = current.map(({ id }) => id)
  // A heartbeat is stored only with its job.
  const seen_at = Math.max(row.seen_at, ...current.map(({ heartbeat_at: at }) => at ?? 0))
  return { ...row, state: 'busy', seen_at, current_jobs, busy_ms: row.busy_ms + now - (busy_since ?? now) }
}

const isNewest = eq(run.attempt, job.attempt)

const selectRuns = () =>
  query
    .select({
      job: job.id,
      state: job.state,
      task: job.task,
      attempt: run.attempt,
      worker: run.worker,
      started_at: run.started_at,
      ended_at: run.ended_at,
      outcome: run.outcome,
      error: run.error,
      created_at: job.created_at,
      /** When the job was last queued; null for attempts before its newest, because a job keeps only one. */
      queued_at: sql<number | null>`iif(${isNewest}, ${job.queued_at}, NULL)`,
      /** The first 200 characters of the job's result as JSON; null as above, and before there is one. */
      result: sql<string | null>`iif(${isNewest}, substr(${job.result}, 1, 200), NULL)`,
    })
    .from(run)
    .innerJoin(job, eq(job.seq, run.job))

export type RunRecord = RowOf<ReturnType<typeof selectRuns>>

/** The most runs of a worker that can be listed, because a long-lived isolate runs a great many. */
const MAX_RUNS_SHOWN = 5000

/** The newest runs of a worker. `total` counts {@link MAX_RUNS_SHOWN} at most. */
export function readRunsOfWorker(
  { sql: db }: Reader,
  name: string,
  size: number,
): { runs: RunRecord[]; total: number } {
  const isOfWorker = eq(run.worker, name)
  const newest = selectRuns().where(isOfWorker).orderBy(desc(run.started_at), desc(run.job))
  const counted = query.select({ job: run.job }).from(run).where(isOfWorker).limit(MAX_RUNS_SHOWN).as('counted')
  return {
    runs: runIn(db, newest.limit(Math.min(size, MAX_RUNS_SHOWN))),
    total: scalar(db, query.select({ value: count() }).from(counted)) ?? 0,
  }
}

export function readRunsOfJob(db: Sql, seq: number): RunRecord[] {
  return runIn(db, selectRuns().where(eq(run.job, seq)).orderBy(desc(run.attempt)).limit(50))
}
