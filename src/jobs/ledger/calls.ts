import type { EnqueueOptions, JobLimit, JobRecord, JobState, QueueName } from '../job.ts'
import type {
  JobFilter,
  JobListRequest,
  JobMatches,
  JobList,
  RunRecord,
  JobDetail,
  QueuePause,
  QueueStats,
  WorkerRecord,
  MinuteCount,
  AuditRecord,
  LedgerSettings,
} from './views.ts'

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

/** Who asks for work: the isolate's name, and the data center when the platform says so. */
export interface WorkerName {
  worker: string
  location: string | null
}

export interface Grant {
  granted: true
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
 * `gone`: no such job. `not_queued`: it is running, ended, or not due yet. `attempt`: the message belongs to an older
 * attempt. `paused`: the queue is paused. `held`: another job of the same exclusive name runs.
 */
export interface Refusal {
  granted: false
  why: 'gone' | 'not_queued' | 'attempt' | 'paused' | 'held'
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

export interface EndedAttempt {
  job: string
  attempt: number
  ending: Ending
}

/** What a worker reports and requests in one call. */
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
export type Verdict = 'go_on' | 'stop' | 'lost'

export interface Act {
  done: boolean
  /**
   * The job's state afterwards; a running job that was asked to stop is still `started`. Null if there is no such job.
   */
  state: JobState | null
  /** Why it was refused, as text; '' if it was done. */
  why: string
}

export type BulkAct = 'cancel' | 'stop' | 'requeue' | 'delete'

export interface BulkRequest {
  act: BulkAct
  /** Either chosen jobs (500 at most) … */
  jobs?: string[]
  /** … or everything a filter matches, 500 a call: call again with `cursor` until it is null. */
  filter?: JobFilter
  cursor?: number
  /** A job to skip: the one that performs this action. */
  except?: string
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
export interface ScheduleState {
  name: string
  is_enabled: boolean
  /** ms since epoch */
  last_run_at: number | null
  /** '': it succeeded; null before the first run. */
  last_error: string | null
  /** When it was last switched on again, ms since epoch; null when it was never off. */
  enabled_at: number | null
}

export interface ScheduleRun {
  name: string
  /** ms since epoch */
  at: number
  /** '': it succeeded. */
  error: string
  /** Who asked for this run, for the audit; absent for the cron's own. */
  by?: string
}

interface TickResult {
  /** Whether the alarm was missing and was set again. */
  alarm_repaired: boolean
  pruned: number
}

/**
 * Every call of a ledger. There is one ledger per queue, and no other way to its rows. Every call is one uninterrupted
 * turn. A call by an attempt that is no longer running changes nothing and says so.
 */
export interface LedgerCalls {
  /** In the order of the requests. A request whose `key` belongs to an unfinished job returns that job. */
  enqueue(requests: JobRequest[]): Promise<JobRecord[]>

  /**
   * Takes reports on how a worker's attempts ended, then returns new jobs for it; none if there are none or the queue
   * is paused.
   */
  take(by: WorkerName, request: TakeRequest): Promise<Grant[]>
  heartbeat(job: string, attempt: number): Promise<Verdict>
  progress(job: string, attempt: number, done: number, total: number, label: string): Promise<Verdict>
  log(job: string, attempt: number, line: string): Promise<Verdict>
  /**
   * Reports how attempts ended; safe to repeat. Returns for each whether it was still the running one (or had ended the
   * same way).
   */
  end(attempts: readonly EndedAttempt[]): Promise<boolean[]>

  /** Waits until the job ends or the time is up (25 s at most). */
  wait(job: string, milliseconds: number): Promise<JobRecord | null>
  get(job: string): Promise<JobDetail | null>
  list(request: JobListRequest): Promise<JobList>
  count(filter: JobFilter): Promise<JobMatches>
  /** Names of every kind of job the ledger knows. */
  tasks(): Promise<string[]>
  stats(): Promise<QueueStats>
  /** Null while the queue runs. */
  currentPause(): Promise<QueuePause | null>
  minutes(since: number, until: number, stepMinutes?: number): Promise<MinuteCount[]>
  workers(includeGone?: boolean): Promise<WorkerRecord[]>
  /** Those of the named workers that this ledger knows, alive or gone. */
  workersNamed(names: readonly string[]): Promise<WorkerRecord[]>
  /** What a worker ran, newest first. */
  runs(worker: string, page: number, size: number): Promise<{ runs: RunRecord[]; total: number }>
  audit(before: number | null, size: number): Promise<AuditRecord[]>
  settings(): Promise<LedgerSettings>

  /** Scheduled and queued jobs are canceled; a running one is asked to stop. */
  cancel(job: string, by: string | null): Promise<Act>
  stop(job: string, by: string | null): Promise<Act>
  /** An ended job starts over; a scheduled one becomes due now. */
  requeue(job: string, by: string | null): Promise<Act>
  /** Deletes any job that is not running. */
  delete(job: string, by: string | null): Promise<Act>
  bulk(request: BulkRequest): Promise<BulkResult>
  /** Returns whether this changed anything: a queue may already be paused. */
  pause(by: string | null): Promise<boolean>
  resume(by: string | null): Promise<boolean>
  set(name: keyof LedgerSettings, value: number, by: string | null): Promise<Act>
  /** Closes the sockets with one of the tags; returns how many. */
  closeSockets(tags: string[]): Promise<number>
  /** The schedules of the minute cron, stored only in the ledger of `maintenance`. */
  schedules(): Promise<ScheduleState[]>
  noteSchedules(runs: ScheduleRun[]): Promise<void>
  /** Switches a schedule on or off; audited. */
  setSchedule(name: string, isEnabled: boolean, by: string | null): Promise<Act>
  /** The minute cron: expires leases, makes due what is due, sends messages again, repairs a lost alarm, prunes. */
  tick(): Promise<TickResult>
}
