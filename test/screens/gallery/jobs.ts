import { nameJob, type QueueName } from '../../../src/jobs/job.ts'
import type { Transaction } from '../../../src/jobs/ledger/sql.ts'
import { count, measure, writeTallies } from '../../../src/jobs/ledger/tally.ts'
import type { Statement } from '../../browser/app.ts'

/** A job that ended, is running, or waits. */
export interface DayJob {
  task: string
  input: unknown
  /** When it was due, ms since epoch. */
  at: number
  waitMs: number
  runMs: number
  state: 'finished' | 'failed' | 'canceled' | 'queued' | 'scheduled' | 'started'
  result?: unknown
  error?: string
  tries?: number
  askedBy?: string
  progress?: readonly [done: number, total: number, label: string]
}

const minuteMs = 60_000
const leaseMs = 60 * minuteMs
const rowsTogether = 400

const isOver = ({ state }: DayJob): boolean => state === 'finished' || state === 'failed'

const columns =
  'seq, id, task, state, priority, input, attempts_limit, run_seconds, retry_seconds, attempt, tries, asked_by, created_at, due_at, queued_at, started_at, ended_at, heartbeat_at, lease_until, worker, progress_done, progress_total, progress_label, result, error'

/** Jobs as a ledger's rows, with the figures of their minutes and their workers' runs. `jobs`: oldest first. */
export function jobsSql(queue: QueueName, jobs: readonly DayJob[], workers: readonly string[]): Statement[] {
  const rows = jobs.map((job, index) => rowOf(queue, job, index, workers))
  const runs = rows.flatMap((row) => {
    const [seq, , , state] = row
    const [started, ended, worker] = [row[15], row[16], row[19]]
    return started === null ? [] : [[seq, row[9], worker, started, ended, state === 'started' ? null : state, row[24]]]
  })
  return [
    ...inserts(`INSERT INTO job (${columns})`, columns.split(', ').length, rows),
    ...inserts('INSERT INTO run (job, attempt, worker, started_at, ended_at, outcome, error)', 7, runs),
    ...[...new Set(jobs.map(({ task }) => task))].map((task) => ({
      text: 'INSERT INTO task (name) VALUES (?) ON CONFLICT DO NOTHING',
      values: [task],
    })),
    { text: `INSERT INTO setting (name, value) VALUES ('last_seq', ?)`, values: [jobs.length] },
    ...talliesSql(queue, jobs),
  ]
}

function rowOf(queue: QueueName, job: DayJob, index: number, workers: readonly string[]): (string | number | null)[] {
  const { task, input, at, waitMs, runMs, state, tries = 1, askedBy = null, progress = [0, 0, ''] } = job
  const hasStarted = isOver(job) || state === 'started'
  const startedAt = hasStarted ? at + waitMs : null
  const endedAt = isOver(job) ? at + waitMs + runMs : state === 'canceled' ? at + waitMs : null
  return [
    index + 1,
    nameJob(task, queue, at, index + 1),
    task,
    state,
    askedBy === null ? 0 : 10,
    JSON.stringify(input),
    3,
    20,
    '[30,300]',
    tries,
    tries,
    askedBy,
    state === 'scheduled' ? at - 40 * minuteMs : at,
    at,
    state === 'scheduled' ? null : at,
    startedAt,
    endedAt,
    startedAt,
    state === 'started' ? Date.now() + leaseMs : null,
    hasStarted ? (workers[index % workers.length] ?? null) : null,
    ...progress,
    job.result === undefined ? null : JSON.stringify(job.result),
    job.error ?? null,
  ]
}

/** Rows of `width` values, many per statement. */
function inserts(into: string, width: number, rows: readonly (readonly unknown[])[]): Statement[] {
  const values = Array.from({ length: width }, (_, column) => `value ->> ${column}`).join(', ')
  const statements: Statement[] = []
  for (let at = 0; at < rows.length; at += rowsTogether)
    statements.push({
      text: `${into} SELECT ${values} FROM json_each(?)`,
      values: [JSON.stringify(rows.slice(at, at + rowsTogether))],
    })
  return statements
}

/** The figures that the ledger would have counted, minute by minute. */
function talliesSql(queue: QueueName, jobs: readonly DayJob[]): Statement[] {
  const statements: Statement[] = []
  const sql: Transaction['sql'] = {
    rows(text, ...values) {
      statements.push({ text, values })
      return []
    },
    atomically: (act) => act(),
  }
  const minutes = Map.groupBy(jobs.filter(isOver), ({ at, waitMs, runMs }) =>
    Math.floor((at + waitMs + runMs) / minuteMs),
  )
  for (const [minute, ended] of minutes) {
    const tx: Transaction = {
      sql,
      queue,
      now: minute * minuteMs,
      touched: new Set(),
      isQueueTouched: false,
      tallies: new Map(),
      workers: new Map(),
    }
    count(tx, 'enqueued', ended.length)
    count(tx, 'started', ended.length)
    for (const { state, waitMs, runMs } of ended) {
      count(tx, state === 'failed' ? 'failed' : 'finished')
      measure(tx, 'wait', waitMs)
      measure(tx, 'run', runMs)
    }
    writeTallies(tx)
  }
  return statements
}
