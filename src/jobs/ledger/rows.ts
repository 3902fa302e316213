import type { JobRecord, JobState, QueueName } from '../job.ts'
import { first, type Reader, type Sql } from './sql.ts'
import type { JobDetail } from './views.ts'
import { readRunsOfJob } from './workers.ts'

export type StoredJob = {
  seq: number
  id: string
  task: string
  key: string | null
  state: JobState
  priority: number
  exclusive_name: string | null
  when_held: 'wait' | 'skip' | null
  input: string
  attempts_limit: number
  run_seconds: number
  retry_seconds: string
  attempt: number
  tries: number
  asked_by: string | null
  created_at: number
  due_at: number
  queued_at: number | null
  started_at: number | null
  ended_at: number | null
  heartbeat_at: number | null
  lease_until: number | null
  deadline: number | null
  /** When its message was sent; null before that, and if it must be sent again. */
  rung_at: number | null
  stop_asked: number
  returned_at: number | null
  worker: string | null
  progress_done: number
  progress_total: number
  progress_label: string
  result: string | null
  error: string | null
}

export const isEnded = (state: JobState): boolean => ['finished', 'failed', 'stopped', 'canceled'].includes(state)

export function readJob(sql: Sql, id: string): StoredJob | null {
  return first<StoredJob>(sql, 'SELECT * FROM job WHERE id = ?', id)
}

export function toRecord(row: StoredJob, queue: QueueName): JobRecord {
  const { id, task, state, attempt, error, created_at, due_at, queued_at, started_at, ended_at, worker } = row
  const times = { created_at, due_at, queued_at, started_at, ended_at }
  const input: unknown = JSON.parse(row.input)
  const progress = { done: row.progress_done, total: row.progress_total, label: row.progress_label }
  const result: unknown = row.result === null ? null : JSON.parse(row.result)
  return { id, name: id, task, queue, state, input, attempt, progress, result, error, ...times, worker }
}

export function readDetail({ sql, queue }: Reader, job: string): JobDetail | null {
  const row = readJob(sql, job)
  if (!row) return null
  return {
    ...toRecord(row, queue),
    tries: row.tries,
    limit: { attempts: row.attempts_limit, run_seconds: row.run_seconds, retry_seconds: JSON.parse(row.retry_seconds) },
    priority: row.priority,
    key: row.key,
    exclusive: row.exclusive_name,
    asked_by: row.asked_by,
    heartbeat_at: row.heartbeat_at,
    lease_until: row.lease_until,
    stop_asked: row.stop_asked === 1,
    lines: sql.rows<{ at: number; line: string }>('SELECT at, line FROM line WHERE job = ? ORDER BY number', row.seq),
    runs: readRunsOfJob(sql, row.seq),
  }
}

export function readTasks({ sql }: Reader): string[] {
  return sql.rows<{ name: string }>('SELECT name FROM task ORDER BY name').map(({ name }) => name)
}
