import type { MonthCost, SentTimes } from '../class-tracker/alerts/contract.ts'
import type { JobState } from '../lib/contract.ts'
import type { Pagination } from '../web/contract.ts'

/** In the order of the pages. */
export const registryNames = ['scheduled', 'queued', 'active', 'finished', 'failed', 'canceled'] as const
export type RegistryName = (typeof registryNames)[number]

/** A date: ISO 8601 in UTC. Durations are numbers of ms. */
type Moment = string

export const jobActions = ['enqueue', 'requeue', 'cancel', 'stop', 'delete'] as const
export type JobAction = (typeof jobActions)[number]

/** Everything that is known about a job. Its name is its id. */
export interface JobPage {
  id: string
  name: string
  queue: string
  task: string
  status: JobState
  progress: { done: number; total: number; label: string }
  created_at: Moment
  due_at: Moment
  queued_at: Moment | null
  started_at: Moment | null
  ended_at: Moment | null
  attempt: number
  worker: string | null
  result: unknown
  error: string | null
  input: unknown
  limit: { attempts: number; run_seconds: number; retry_seconds: readonly number[] }
  tries: number
  priority: number
  key: string | null
  exclusive: string | null
  asked_by: string | null
  heartbeat_at: Moment | null
  lease_until: Moment | null
  stop_asked: boolean
  lines: { at: Moment; line: string }[]
  runs: JobRun[]
  /** The actions that its state allows, in the order of the buttons. */
  actions: JobAction[]
}

export interface JobProps {
  job: JobPage
}

/** What a page of another area needs to follow its own job. */
export type JobProgress = Pick<JobPage, 'id' | 'name' | 'queue' | 'status' | 'progress' | 'result' | 'error'>

type JobTimes = 'created_at' | 'due_at' | 'queued_at' | 'started_at' | 'ended_at'

export interface JobRow extends Pick<
  JobPage,
  'id' | 'name' | 'queue' | 'task' | 'status' | 'progress' | JobTimes | 'attempt' | 'worker'
> {
  /** The first line, at most 200 characters. */
  error: string | null
  /** The input as JSON, at most 200 characters. */
  arguments: string
}

export interface QueueRow {
  name: string
  /** False if its ledger did not answer in time; every figure below is then 0 or null and means nothing. */
  is_reachable: boolean
  counts: Record<RegistryName, number>
  oldest_queued_at: Moment | null
  workers: number
  paused: boolean
  /** Null while it runs, and where it is not known. */
  paused_at: Moment | null
  paused_by: string | null
  /** What does not happen while it is paused. */
  stops: string
  last_tick_at: Moment | null
}

/** How far a chart goes back: an hour in steps of a minute, or a day in steps of a quarter of an hour. */
export type ChartSpan = 'hour' | 'day'

/** One step of a chart; null if nothing ran. */
export interface ChartStep {
  at: Moment
  enqueued: number
  finished: number
  failed: number
  wait_p50: number | null
  wait_p95: number | null
  run_p50: number | null
  run_p95: number | null
}

export interface ScheduleRow {
  name: string
  /** In words: "every minute", "daily at 3:17 AM UTC". */
  every: string
  /** False if the ledger that knows it did not answer in time; everything below then means nothing. */
  is_known: boolean
  is_enabled: boolean
  last_run_at: Moment | null
  next_run_at: Moment | null
  /** null before the first run; '': it succeeded. */
  last_error: string | null
}

/** The figures at the top: is everything on time? */
export interface Health {
  /** Sources with watched sections: how many were asked within twice their interval. */
  sources_watched: number
  sources_on_time: number
  unhealthy: { id: number; name: string; error: string; since: Moment | null }[]
  /** By channel and step: no figure mixes channels, and none counts a message that is unconfirmed. */
  sent_times: SentTimes[]
  month: MonthCost[]
  /** Messages of the last 24 hours, of the newest 5,000. */
  deliveries_24h: number
  deliveries_failed_24h: number
  database: {
    /** null if the database does not say. */
    bytes: number | null
    /** The setting `database_limit_gb`. */
    limit_bytes: number
    /** From 70% of the limit. */
    is_nearly_full: boolean
  }
}

export interface QueuesProps {
  queues: QueueRow[]
  /** What is not well with queues, jobs and schedules, in sentences. */
  problems: string[]
  /** null if the database did not answer in time. */
  health: Health | null
  /** All queues together, oldest step first. */
  chart: ChartStep[]
  chart_span: ChartSpan
  /** The newest failures of all queues, five at most. */
  failures: JobRow[]
  schedules: ScheduleRow[]
}

/** The search in a list's URL; '' and null mean that a part is not given. */
export interface ListSearch {
  q: string
  task: string
  /** For a registry with several states (finished, stopped). */
  status: string
  /** Created since: '', '15m', '1h', '24h', '7d'. */
  age: string
}

export interface JobListProps {
  queue: QueueRow
  registry: RegistryName
  search: ListSearch
  tasks: string[]
  jobs: JobRow[]
  /** How many a search finds among the newest, and whether there are older jobs; null without a search. */
  matches: { jobs: number; is_more: boolean } | null
  /** null for a search, which continues by cursor. */
  pagination: Pagination | null
  /** Where a search continued (?cursor=); null at its beginning and if there are page numbers. */
  cursor: number | null
  /** Where to continue (?cursor=); null at the end and if there are page numbers. */
  next_cursor: number | null
  /** True for a search by cursor that stopped before the end: "searched the newest N so far". */
  is_partial: boolean
  /** Of this queue, as on the first page. */
  chart: ChartStep[]
  chart_span: ChartSpan
  /**
   * A bulk action on this list that is still running, to be followed; null otherwise. `is_paused`: it waits until its own
   * queue, maintenance, is resumed.
   */
  running: { job: string; done: number; total: number; label: string; is_paused: boolean } | null
}

export interface WorkerRow {
  name: string
  queues: string[]
  state: 'busy' | 'idle' | 'gone'
  /** Nothing says where a worker runs. */
  location: null
  born_at: Moment
  seen_at: Moment
  current_jobs: string[]
  successful: number
  failed: number
  /** Time with at least one job running, in ms. */
  busy_ms: number
}

export interface WorkersProps {
  /** null: all queues */
  queue: string | null
  workers: WorkerRow[]
  /** Whether workers that are gone are listed too (?gone=1). */
  with_gone: boolean
  /** Whether a queue has more workers than the 500 that are listed. */
  is_cut: boolean
  /** Queues whose ledger did not answer in time: their workers are missing here. */
  unreachable: string[]
}

/** One attempt, with what its job's row has. */
export interface RunRow {
  /** The job's, as are `name` and `job`. */
  id: string
  name: string
  job: string
  /** Of the job, which may have run again since. */
  status: JobState
  task: string
  attempt: number
  outcome: string | null
  /** Of the job. */
  created_at: Moment
  /** null for attempts before the job's newest. */
  queued_at: Moment | null
  started_at: Moment
  ended_at: Moment | null
  ran_ms: number | null
  error: string | null
  /** What it returned, as JSON of at most 200 characters; null if nothing was stored. */
  result: string | null
  worker: string
}

export interface WorkerProps {
  worker: WorkerRow
  /** What it ran, newest first. */
  jobs: RunRow[]
  /** Continues with ?p= */
  pagination: Pagination
  total: number
}

export type JobRun = Pick<RunRow, 'attempt' | 'outcome' | 'started_at' | 'ended_at' | 'error' | 'worker'>

export interface AuditRow {
  queue: string
  at: Moment
  who: string
  act: string
  job: string | null
  jobs: number
  detail: string
}

export interface AuditProps {
  entries: AuditRow[]
  /** Where to continue (?before=); null at the end. */
  next_before: string | null
  /** Queues whose ledger did not answer in time: their entries are missing here. */
  unreachable: string[]
}

/** The confirmation page; it has no island. */
export interface ConfirmProps {
  action: string
  /** The selected jobs, or the first 20 of everything that matches. */
  job_names: string[]
  next_url: string
}

/** The settings of one queue as text, so that refused input comes back as it was typed. The page has no island. */
export interface SettingsProps {
  queue: string
  settings: { ahead: string; keep_days: string; keep_rows: string }
  /** One without a field is about all of them. */
  errors: { field?: keyof SettingsProps['settings']; message: string }[]
  /** The settings when the form was opened; the form sends it back. */
  was: string
}
