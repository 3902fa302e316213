import type { EnqueueOptions, JobLimit, QueueName } from '../job.ts'
import type { JobState } from '../../lib/contract.ts'
import type { schedule } from './tables.ts'
import type { JobFilter } from './views.ts'

export interface JobRequest extends EnqueueOptions {
  task: string
  /** JSON text */
  input: string
  limit: JobLimit
}

/** A message on the Cloudflare Queue. It only wakes a consumer: the ledger decides. */
export interface QueueMessage {
  job: string
  attempt: number
}

/** A job that was given to a worker. */
export interface ClaimedJob {
  job: string
  attempt: number
  task: string
  queue: QueueName
  /** JSON text */
  input: string
  /** ms since epoch; after that the job may be given to another worker, unless a heartbeat arrived. */
  lease_until: number
  /** ms since epoch; the attempt should be over by then. */
  deadline: number
}

/**
 * `finished`: `result` is JSON text. `again`: not done yet, due at `at` (ms) with `input` (JSON text), `priority` as
 * before when null. `failed`: another try at `retry_at` (ms; null = the usual delay), unless `gives_up`. `returned`:
 * this version does not know its task; the job waits for one that does, with its tries unchanged.
 */
export type Ending =
  | { how: 'finished'; result: string }
  | { how: 'again'; at: number; input: string; priority: number | null }
  | { how: 'stopped'; reason: string }
  | { how: 'failed'; error: string; retry_at: number | null; gives_up: boolean }
  | { how: 'returned'; reason: string }

/** What is longer of an attempt's error is cut off. */
export const MAX_ERROR_LENGTH = 8000

export interface EndedAttempt {
  job: string
  attempt: number
  ending: Ending
}

export interface TakeRequest {
  ended: readonly EndedAttempt[]
  /** Messages that reached it; their jobs come first, if they can start. */
  messages: readonly QueueMessage[]
  /** Then the next queued jobs, up to this many in total, within the worker's share. */
  count: number
  /** The jobs that the worker is already running; default: none. */
  running?: number
}

/** `stop`: a person asked the job to stop. `lost`: the attempt is no longer this worker's. */
export type Verdict = 'continue' | 'stop' | 'lost'

export interface ActResult {
  done: boolean
  /** Afterwards; a running job that was asked to stop is still `started`. Null if there is no such job. */
  state: JobState | null
  /** Why it was refused, as text; '' if it was done. */
  why: string
}

export const bulkActs = ['delete', 'requeue', 'stop', 'cancel'] as const
export type BulkAct = (typeof bulkActs)[number]
/** The job that performs an action on many jobs. */
export const BULK_JOB = 'bulk-act'

export interface BulkRequest {
  act: BulkAct
  /** Either chosen jobs (500 at most) … */
  jobs?: string[]
  /** … or everything a filter matches, 500 a call: call again with `cursor` until it is null. */
  filter?: JobFilter
  cursor?: number
  /** A job to skip: the one that performs this action. */
  except?: string
  /** When a person was asked, ms since epoch: jobs that came into the list since are skipped. */
  began_at?: number
  by: string | null
}

export interface BulkResult {
  done: number
  /** How many of them keep running until their next checkpoint: they could only be asked to stop. */
  stop_asked: number
  refused: number
  /** Where to continue; jobs created after the first call are skipped. */
  cursor: number | null
}

/** The stored state of a schedule. One that never ran and was never switched off is not listed. */
export type ScheduleState = typeof schedule.$inferSelect

export interface ScheduleRun {
  name: string
  /** ms since epoch */
  at: number
  /** '': it succeeded. */
  error: string
  /** Who asked for this run, for the audit; absent for the cron's own. */
  by?: string
}
