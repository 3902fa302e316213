import { eq } from 'drizzle-orm'
import type { SQLiteUpdateSetSource } from 'drizzle-orm/sqlite-core'
import { firstIn, runIn } from '../../db/own-database.ts'
import { parameter, prepared, query } from '../../db/query.ts'
import type { JobRecord, QueueName } from '../job.ts'
import type { Reader, Sql } from './sql.ts'
import { job, line, type StoredJob, task } from './tables.ts'
import type { JobDetail } from './views.ts'
import { readRunsOfJob } from './workers.ts'

/** A statement that changes the job with the number `seq`. */
export const changing = (set: SQLiteUpdateSetSource<typeof job>) =>
  prepared(() =>
    query
      .update(job)
      .set(set)
      .where(eq(job.seq, parameter('seq'))),
  )

const findJob = prepared(() =>
  query
    .select()
    .from(job)
    .where(eq(job.id, parameter('id'))),
)

export function readJob(sql: Sql, id: string): StoredJob | null {
  return firstIn(sql, findJob({ id }))
}

export function toRecord(row: StoredJob, queue: QueueName): JobRecord {
  const { id, task, state, attempt, error, created_at, due_at, queued_at, started_at, ended_at, worker } = row
  const times = { created_at, due_at, queued_at, started_at, ended_at }
  const input: unknown = JSON.parse(row.input)
  const progress = { done: row.progress_done, total: row.progress_total, label: row.progress_label }
  const result: unknown = row.result === null ? null : JSON.parse(row.result)
  return { id, task, queue, state, input, attempt, progress, result, error, ...times, worker }
}

export function readDetail({ sql, queue }: Reader, id: string): JobDetail | null {
  const row = readJob(sql, id)
  if (!row) return null
  const lines = query.select({ at: line.at, line: line.line }).from(line).where(eq(line.job, row.seq))
  return {
    ...toRecord(row, queue),
    tries: row.tries,
    limit: { attempts: row.attempts_limit, run_seconds: row.run_seconds, retry_seconds: row.retry_seconds },
    priority: row.priority,
    key: row.key,
    exclusive: row.exclusive_name,
    asked_by: row.asked_by,
    heartbeat_at: row.heartbeat_at,
    lease_until: row.lease_until,
    stop_asked: row.stop_asked,
    lines: runIn(sql, lines.orderBy(line.number)),
    runs: readRunsOfJob(sql, row.seq),
  }
}

export function readTasks({ sql }: Reader): string[] {
  return runIn(sql, query.select().from(task).orderBy(task.name)).map(({ name }) => name)
}
