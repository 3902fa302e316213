import { iso, isoOrNull } from '../web/moment.ts'
import type { JobRecord } from './job.ts'
import type { QueueStats, Registry } from './ledger/views.ts'

const longestText = 200

/** A job as one row of a list, told outside: its dates are ISO 8601 in UTC. */
export interface ShownJob extends Pick<JobRecord, 'name' | 'queue' | 'task' | 'attempt' | 'worker' | 'progress'> {
  status: JobRecord['state']
  created_at: string
  due_at: string
  queued_at: string | null
  started_at: string | null
  ended_at: string | null
  /** The first line, at most 200 characters. */
  error: string | null
  /** The input as JSON, at most 200 characters. */
  arguments: string
}

export function shownJob(record: JobRecord): ShownJob {
  return {
    name: record.name,
    queue: record.queue,
    task: record.task,
    status: record.state,
    created_at: iso(record.created_at),
    due_at: iso(record.due_at),
    queued_at: isoOrNull(record.queued_at),
    started_at: isoOrNull(record.started_at),
    ended_at: isoOrNull(record.ended_at),
    attempt: record.attempt,
    worker: record.worker,
    progress: record.progress,
    error: firstLine(record.error),
    arguments: shortened(JSON.stringify(record.input) ?? ''),
  }
}

/** Jobs in each list of the dashboard: stopped ones are filed under finished. */
export function countsOf({ counts }: Pick<QueueStats, 'counts'>): Record<Registry, number> {
  return {
    queued: counts.queued,
    scheduled: counts.scheduled,
    active: counts.started,
    finished: counts.finished + counts.stopped,
    failed: counts.failed,
    canceled: counts.canceled,
  }
}

/** The first line of an error, short enough for a list. */
export function firstLine(error: string | null): string | null {
  return error === null ? null : shortened(error.trim().split('\n', 1)[0] ?? '')
}

function shortened(text: string): string {
  return text.length <= longestText ? text : `${text.slice(0, longestText - 1)}…`
}
