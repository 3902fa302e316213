import type { JobDetail } from '../ledger-views.ts'
import { readJob, toRecord } from './rows.ts'
import type { Turn } from './sql.ts'
import { readRunsOfJob } from './workers.ts'

/** All the ledger knows of one job. */
export function readDetail({ sql, queue }: Pick<Turn, 'sql' | 'queue'>, job: string): JobDetail | null {
  const row = readJob(sql, job)
  if (!row) return null
  return {
    ...toRecord(row, queue),
    tries: row.tries,
    limit: { attempts: row.attempts_limit, run_seconds: row.run_seconds, retry_seconds: JSON.parse(row.retry_seconds) },
    priority: row.priority,
    key: row.key,
    exclusive:
      row.exclusive_name === null || row.when_held === null
        ? null
        : { name: row.exclusive_name, when_held: row.when_held },
    asked_by: row.asked_by,
    heartbeat_at: row.heartbeat_at,
    lease_until: row.lease_until,
    stop_asked: row.stop_asked === 1,
    lines: sql.rows<{ at: number; line: string }>('SELECT at, line FROM line WHERE job = ? ORDER BY number', row.seq),
    runs: readRunsOfJob(sql, row.seq),
  }
}

/** Names of every kind of job there ever was, in order. */
export function readTasks({ sql }: Pick<Turn, 'sql'>): string[] {
  return sql.rows<{ name: string }>('SELECT name FROM task ORDER BY name').map(({ name }) => name)
}
