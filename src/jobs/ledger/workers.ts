import type { WorkerName } from './calls.ts'
import type { RunRecord, WorkerRecord } from './views.ts'
import { figure, type Reader, type Sql, type Turn } from './sql.ts'

/** How long a worker without jobs counts as idle, ms; after that it counts as gone. */
const IDLE_MS = 60_000

export interface WorkerChange {
  begun: number
  location: string | null
  ended: number
  successful: number
  failed: number
}

function changeOf({ workers }: Turn, worker: string): WorkerChange {
  const change = workers.get(worker) ?? { begun: 0, location: null, ended: 0, successful: 0, failed: 0 }
  workers.set(worker, change)
  return change
}

/** Records that a worker took this many jobs; the first ones create the worker. */
export function workerBegins(turn: Turn, { worker, location }: WorkerName, jobs: number): void {
  const change = changeOf(turn, worker)
  change.begun += jobs
  change.location = location
}

/** Records that one of a worker's jobs is over, finished or with an expired lease. */
export function workerEnds(turn: Turn, worker: string, outcome: RunRecord['outcome']): void {
  const change = changeOf(turn, worker)
  change.ended += 1
  if (outcome === 'finished' || outcome === 'again') change.successful += 1
  if (outcome === 'failed' || outcome === 'retried' || outcome === 'lost') change.failed += 1
}

/** Writes the workers' changes of this turn: a worker that took a job as another ended was busy throughout. */
export function writeWorkers({ sql, now, workers }: Turn): void {
  for (const [worker, { begun, location, ended, successful, failed }] of workers) {
    if (ended > 0) {
      sql.rows(
        `UPDATE worker SET running = running - ?1, seen_at = ?2,
           busy_ms = busy_ms + CASE WHEN running <= ?1 THEN ?2 - busy_since ELSE 0 END,
           busy_since = CASE WHEN running <= ?1 THEN NULL ELSE busy_since END,
           successful = successful + ?3, failed = failed + ?4 WHERE name = ?5`,
        ended,
        now,
        successful,
        failed,
        worker,
      )
    }
    if (begun > 0) {
      sql.rows(
        `INSERT INTO worker (name, location, born_at, seen_at, running, busy_since) VALUES (?1, ?2, ?3, ?3, ?4, ?3)
         ON CONFLICT (name) DO UPDATE SET running = running + excluded.running, seen_at = excluded.seen_at,
           location = coalesce(excluded.location, location), busy_since = coalesce(busy_since, excluded.busy_since)`,
        worker,
        location,
        now,
        begun,
      )
    }
  }
}

type WorkerRow = Omit<WorkerRecord, 'state' | 'current_jobs'> & { running: number; busy_since: number | null }

export function countWorkers({ sql, now }: Reader): number {
  const busy = figure(sql, 'SELECT count(*) AS figure FROM worker WHERE running > 0') ?? 0
  const idle =
    figure(sql, 'SELECT count(*) AS figure FROM worker WHERE seen_at > ? AND running = 0', now - IDLE_MS) ?? 0
  return busy + idle
}

/** The newest 500 workers that are alive; with `includeGone` also those whose counts are still kept. */
export function readWorkers({ sql, now }: Reader, includeGone = false): WorkerRecord[] {
  return sql
    .rows<WorkerRow>(
      'SELECT * FROM worker WHERE running > 0 OR seen_at > ? ORDER BY born_at DESC, name LIMIT 500',
      includeGone ? -1 : now - IDLE_MS,
    )
    .map((row) => toWorker(sql, row, now))
}

export function readWorkersNamed({ sql, now }: Reader, names: readonly string[]): WorkerRecord[] {
  return sql
    .rows<WorkerRow>('SELECT * FROM worker WHERE name IN (SELECT value FROM json_each(?))', JSON.stringify(names))
    .map((row) => toWorker(sql, row, now))
}

function toWorker(sql: Sql, { running, busy_since, ...kept }: WorkerRow, now: number): WorkerRecord {
  if (running === 0) return { ...kept, state: kept.seen_at > now - IDLE_MS ? 'idle' : 'gone', current_jobs: [] }
  const jobs = sql.rows<{ id: string }>(
    `SELECT id FROM job WHERE state = 'started' AND worker = ? ORDER BY seq`,
    kept.name,
  )
  const current_jobs = jobs.map(({ id }) => id)
  return { ...kept, state: 'busy', seen_at: now, current_jobs, busy_ms: kept.busy_ms + now - (busy_since ?? now) }
}

/** A job keeps only the queue times of its newest attempt, and its result. */
const runColumns = `job.id AS job, job.task, run.attempt, run.worker, run.started_at, run.ended_at, run.outcome, run.error,
  job.created_at, iif(run.attempt = job.attempt, job.queued_at, NULL) AS queued_at,
  iif(run.attempt = job.attempt, substr(job.result, 1, 200), NULL) AS result`

/** The most runs of a worker that can be listed, because a long-lived isolate runs a great many. */
const MAX_RUNS_SHOWN = 5000

/** The newest runs of a worker. `total` counts {@link MAX_RUNS_SHOWN} at most. */
export function readRunsOfWorker({ sql }: Reader, worker: string, size: number): { runs: RunRecord[]; total: number } {
  const counted = 'SELECT count(*) AS figure FROM (SELECT 1 FROM run WHERE worker = ? LIMIT ?)'
  const runs = sql.rows<RunRecord>(
    `SELECT ${runColumns} FROM run JOIN job ON job.seq = run.job WHERE run.worker = ?
     ORDER BY run.started_at DESC, run.job DESC LIMIT ?`,
    worker,
    Math.min(size, MAX_RUNS_SHOWN),
  )
  return { runs, total: figure(sql, counted, worker, MAX_RUNS_SHOWN) ?? 0 }
}

export function readRunsOfJob(sql: Sql, seq: number): RunRecord[] {
  return sql.rows<RunRecord>(
    `SELECT ${runColumns} FROM run JOIN job ON job.seq = run.job WHERE run.job = ? ORDER BY run.attempt DESC LIMIT 50`,
    seq,
  )
}
