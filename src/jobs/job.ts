import type { JobState } from '../lib/contract.ts'
import type { BatchCall } from './call-batcher.ts'

import type * as z from 'zod/mini'

/** Each queue has one ledger (a Durable Object of that name) and one Cloudflare Queue that only wakes consumers. */
export const queueNames = ['polls', 'refresh', 'alerts', 'maintenance'] as const
export type QueueName = (typeof queueNames)[number]

export interface JobContext {
  env: Env
  job: { id: string; attempt: number; queue: QueueName }
  /** ms since epoch */
  now(): number
  /** The job should return before this moment (ms since epoch). */
  deadline: number
  /** Renews the lease. Throws {@link JobStopped} if a person stopped the job or another worker has the lease. */
  checkpoint(): Promise<void>
  /** Shown live to callers and pages that wait for the job. `total` 0: not known yet. */
  progress(done: number, total: number, label: string): Promise<void>
  /** One line for people, kept with the job (the newest 200). */
  log(line: string): Promise<void>
  /**
   * Adds one item to a call that other jobs of this invocation may be making too: the call is made once for all of
   * them.
   * @param canWait whether the call may wait up to 250 ms for more items; only the first item's value counts
   */
  batched<Item, Result>(shared: BatchCall<Item, Result>, item: Item, canWait?: boolean): Promise<Result>
  /** Runs `work` when a connection of this invocation is free; null if none was free within seconds. */
  connected<Result>(work: () => Promise<Result>): Promise<Result | null>
}

export interface JobLimit {
  /** The most tries, including the first. */
  attempts: number
  /** Longest run of one attempt, seconds; at most 20. The lease is a little longer. */
  run_seconds: number
  /** Seconds before each retry: the last one repeats. */
  retry_seconds: readonly number[]
}

/** What one needs to know to enqueue a job. */
export interface JobKind<Given> {
  name: string
  queue: QueueName
  /** Of what is enqueued; `run` gets it with the defaults. */
  input: z.ZodMiniType<unknown, Given>
  limit: JobLimit
}

/**
 * A kind of job. `run` may be called twice with the same input (a lost lease, a duplicated message), so it must be safe
 * to repeat. It returns the result that {@link JobRecord} shows (JSON, up to 100 kB), or {@link runAgain}.
 */
export interface Job<Given, Input = Given> extends JobKind<Given> {
  input: z.ZodMiniType<Input, Given>
  run(context: JobContext, input: Input): Promise<unknown>
}

/** Any kind of job, its input not parsed yet. */
export interface AnyJob {
  name: string
  queue: QueueName
  limit: JobLimit
  /** Parses `input` and runs; a ZodError is a failure without a retry. */
  runWithRawInput(context: JobContext, input: unknown): Promise<unknown>
}

export function defineJob<Given, Input>(job: Job<Given, Input>): Job<Given, Input> & AnyJob {
  return { ...job, runWithRawInput: async (context, input) => job.run(context, job.input.parse(input)) }
}

/** Recurring work, started by the minute cron. A person can switch it off or run it now. */
export interface Schedule {
  name: string
  /** When it runs, in words: "every minute", "daily at 3:17 AM UTC". */
  every: string
  /** Its first time after `now`, ms since epoch; null if its data decides: `plan` is then called every minute. */
  readonly nextAt: (now: number) => number | null
  /** Whether its jobs delete data: it does not run while nobody knows whether it is switched off. */
  deletes?: true
  /** Enqueues what is due in this minute (its start, ms). Must be safe to call twice for the same minute. */
  plan(env: Env, minute: number): Promise<void>
  /** What "Run now" does, when `plan` would first check whether anything is due. */
  planNow?(env: Env, minute: number): Promise<void>
}

/** Returned by `run` if the job is due again at `at` with `input`; its attempts start over. */
export class RunAgain {
  readonly at: number
  readonly input: unknown
  /** The new priority; null: unchanged. */
  readonly priority: number | null
  constructor(at: number, input: unknown, priority: number | null) {
    this.at = at
    this.input = input
    this.priority = priority
  }
}
export const runAgain = (at: number, input: unknown, priority: number | null = null): RunAgain =>
  new RunAgain(at, input, priority)

/** Thrown by `run` if the next try should wait until `retry_at` (ms) instead of the usual back-off. */
export class RetryAt extends Error {
  override readonly name = 'RetryAt'
  readonly retry_at: number
  constructor(message: string, retryAt: number) {
    super(message)
    this.retry_at = retryAt
  }
}

/** Thrown by `run` if trying again cannot help. */
export class PermanentFailure extends Error {
  override readonly name = 'PermanentFailure'
}

/** Thrown by {@link JobContext.checkpoint}. Jobs must not catch it. */
export class JobStopped extends Error {
  override readonly name = 'JobStopped'
}

export const isEnded = (state: JobState): boolean => ['finished', 'failed', 'stopped', 'canceled'].includes(state)

/** A job as the ledger returns it. Times are ms since epoch. */
export interface JobRecord {
  id: string
  /** The name of the kind of job. */
  task: string
  queue: QueueName
  state: JobState
  input: unknown
  attempt: number
  progress: { done: number; total: number; label: string }
  result: unknown
  error: string | null
  created_at: number
  due_at: number
  queued_at: number | null
  started_at: number | null
  ended_at: number | null
  worker: string | null
}

export interface EnqueueOptions {
  /**
   * While a job with this key is unfinished, enqueueing again returns that job instead of a new one. If a person asks for
   * it (`asked_by`) while it is being stopped, it is not stopped.
   */
  key?: string
  /** Due time, ms since epoch; default: now. */
  at?: number
  /**
   * At most one job with this name runs at a time in the queue. If it becomes due while another runs, it waits, or with
   * `when_held: 'skip'` finishes immediately with the result "joined" if the other one has `skip` too. A job that has
   * not run yet also joins one with `skip` that has asked to run again within five minutes, but not one that is retried.
   */
  exclusive?: { name: string; when_held: 'wait' | 'skip' }
  /** Higher goes first among queued jobs; default: 0. A person's own request has 10. */
  priority?: number
  /** The user who asked, for the audit; null for the system. */
  asked_by?: string | null
}

const letterOf: Readonly<Record<QueueName, string>> = { polls: 'p', refresh: 'r', alerts: 'a', maintenance: 'm' }

/** `{task}-{time}{number}{queue's letter}`, numbers in base 32: names of one task sort by time and fit into a URL. */
export function nameJob(task: string, queue: QueueName, createdAt: number, number: number): string {
  const slug = task.toLowerCase().replace(/[^a-z0-9]+/g, '-')
  const time = Math.max(0, Math.trunc(createdAt)).toString(32).padStart(9, '0')
  return `${slug}-${time}${number.toString(32).padStart(5, '0')}${letterOf[queue]}`
}

const MAX_NAME_LENGTH = 200

/** The queue whose ledger holds the job of this name; null for an impossible name. */
export function queueOfJob(name: string): QueueName | null {
  if (name.length > MAX_NAME_LENGTH || !/^[a-z0-9-]*-[0-9a-v]{14,24}[pram]$/.test(name)) return null
  return queueNames.find((queue) => name.endsWith(letterOf[queue])) ?? null
}
