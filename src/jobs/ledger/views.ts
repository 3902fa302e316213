import * as z from 'zod/mini'
import type { JobLimit, JobRecord, QueueName } from '../job.ts'
import type { JobState } from '../../lib/contract.ts'
import type { line } from './tables.ts'
import type { RunRecord } from './workers.ts'

export type { AuditRecord } from './audit.ts'
export type { RunRecord, WorkerRecord } from './workers.ts'

const Registry = z.enum(['queued', 'scheduled', 'active', 'finished', 'failed', 'canceled'])
export type Registry = z.infer<typeof Registry>

export const JobFilter = z.object({
  /** The dashboard's lists: `active` is started; `finished` holds finished and stopped. */
  registry: z.exactOptional(Registry),
  /** One of the two states in `finished`. */
  state: z.exactOptional(z.enum(['finished', 'stopped'])),
  task: z.exactOptional(z.string()),
  /** Text to find in name, input and error, ignoring the case of a–z. */
  q: z.exactOptional(z.string()),
  /** Created at or after, in ms. */
  since: z.exactOptional(z.number()),
  /** Created before, in ms. */
  until: z.exactOptional(z.number()),
})
export type JobFilter = z.infer<typeof JobFilter>

export interface JobListRequest extends JobFilter {
  /** From 1; only for a whole registry (no `task`, `q`, `since`, `until`). A page past the end is the last one. */
  page?: number
  /** 1 to 500; 20 when absent. */
  size?: number
  /** Continues where an earlier answer stopped. */
  cursor?: number
}

export interface JobList {
  /** Newest first; of a whole list of ended jobs, what ended last. */
  jobs: JobRecord[]
  /** How many match; null if only a full search could tell. */
  total: number | null
  page: number
  total_pages: number | null
  /** Pass it to get more; null at the end, and if there are page numbers. A search may return few jobs, or none, with a cursor. */
  cursor: number | null
}

/** How many jobs a search finds among the newest of a list. */
export interface JobMatches {
  jobs: number
  /** Whether the list has older jobs that were not searched. */
  is_more: boolean
}

export interface JobDetail extends JobRecord {
  /** Attempts begun since the job was last queued; `attempt` never goes back, so no two runs share a number. */
  tries: number
  limit: JobLimit
  priority: number
  key: string | null
  /** Its exclusive name. */
  exclusive: string | null
  asked_by: string | null
  heartbeat_at: number | null
  lease_until: number | null
  stop_asked: boolean
  /** The newest 200, oldest first. */
  lines: Pick<typeof line.$inferSelect, 'at' | 'line'>[]
  /** The newest 50, newest first. */
  runs: RunRecord[]
}

export interface QueueStats {
  queue: QueueName
  counts: Record<JobState, number>
  /** When the job waiting longest became due, in ms. */
  oldest_queued_at: number | null
  workers: number
  paused: boolean
  /** Null while it runs, and if it is not known. */
  paused_at: number | null
  paused_by: string | null
  last_tick_at: number | null
}

/** Whether the queue is paused: it keeps its jobs and starts none. */
export interface QueuePause {
  /** ms since epoch; null if it is not known. */
  at: number | null
  /** Null for the system, and if it is not known. */
  by: string | null
}

/** What is counted in every minute. */
export const countedActs = ['enqueued', 'started', 'finished', 'failed', 'stopped', 'canceled', 'retried'] as const
export type CountedAct = (typeof countedActs)[number]

export interface MinuteCount extends Record<CountedAct, number> {
  /** Start, in ms. */
  at: number
  /** Due → started and started → ended, in ms, accurate to a tenth; null if there are none. */
  wait_p50: number | null
  wait_p95: number | null
  run_p50: number | null
  run_p95: number | null
}

export interface LedgerSettings {
  /** Messages sent before they are claimed. */
  ahead: number
  /** Days an ended job is kept. */
  keep_days: number
  /** The most rows kept: the oldest ended ones are deleted first. */
  keep_rows: number
}
