import { eq, type SQL, sql } from 'drizzle-orm'
import { integer, primaryKey, real, type SQLiteColumn, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import type { JobState } from '../../lib/contract.ts'

/*
 * The columns of a ledger's tables as the steps in schema.ts made them; a test compares the two. Indexes are only there.
 * Rows go to callers under these keys, the columns' names except for `sent_at`. All times are ms since epoch.
 */

export const job = sqliteTable('job', {
  /** In the order of creation. */
  seq: integer().primaryKey(),
  id: text().notNull(),
  task: text().notNull(),
  key: text(),
  state: text().$type<JobState>().notNull(),
  registry: text().generatedAlwaysAs(
    sql`CASE state WHEN 'started' THEN 'active' WHEN 'stopped' THEN 'finished' ELSE state END`,
    { mode: 'virtual' },
  ),
  priority: integer().notNull(),
  exclusive_name: text(),
  when_held: text().$type<'wait' | 'skip'>(),
  /** JSON */
  input: text().notNull(),
  attempts_limit: integer().notNull(),
  run_seconds: real().notNull(),
  retry_seconds: text({ mode: 'json' }).$type<number[]>().notNull(),
  attempt: integer().notNull().default(1),
  tries: integer().notNull().default(0),
  asked_by: text(),
  created_at: integer().notNull(),
  due_at: integer().notNull(),
  queued_at: integer(),
  started_at: integer(),
  ended_at: integer(),
  heartbeat_at: integer(),
  lease_until: integer(),
  deadline: integer(),
  /** When its message was sent; null before that, and if it must be sent again. */
  sent_at: integer('rung_at'),
  stop_asked: integer({ mode: 'boolean' }).notNull().default(false),
  /** Since when no version that claimed the job has known its task. */
  returned_at: integer(),
  worker: text(),
  progress_done: integer().notNull().default(0),
  progress_total: integer().notNull().default(0),
  progress_label: text().notNull().default(''),
  /** JSON */
  result: text(),
  error: text(),
})

export type StoredJob = typeof job.$inferSelect

/** Whether a job has this state. The state is part of the text: with a parameter, SQLite would use no partial index. */
export function inState(state: JobState, of: { state: SQLiteColumn } = job): SQL {
  return eq(of.state, state).inlineParams()
}

export const task = sqliteTable('task', { name: text().primaryKey() })

/** One row per claimed attempt. */
export const run = sqliteTable(
  'run',
  {
    job: integer().notNull(),
    attempt: integer().notNull(),
    worker: text().notNull(),
    /** Always null. */
    location: text(),
    started_at: integer().notNull(),
    ended_at: integer(),
    /**
     * null while it runs; `again` = not done yet, `retried` = failed with another try to come, `lost` = its lease ran
     * out, `returned` = the version that claimed it does not know its task.
     */
    outcome: text().$type<'finished' | 'failed' | 'retried' | 'again' | 'stopped' | 'lost' | 'returned'>(),
    error: text(),
  },
  (table) => [primaryKey({ columns: [table.job, table.attempt] })],
)

export type Outcome = NonNullable<typeof run.$inferSelect.outcome>

export const line = sqliteTable(
  'line',
  {
    job: integer().notNull(),
    number: integer().notNull(),
    at: integer().notNull(),
    line: text().notNull(),
  },
  (table) => [primaryKey({ columns: [table.job, table.number] })],
)

export const worker = sqliteTable('worker', {
  name: text().primaryKey(),
  /** Always null. */
  location: text(),
  born_at: integer().notNull(),
  seen_at: integer().notNull(),
  running: integer().notNull().default(0),
  busy_since: integer(),
  /** Time with at least one job running, in ms. */
  busy_ms: integer().notNull().default(0),
  successful: integer().notNull().default(0),
  failed: integer().notNull().default(0),
})

/** Figures of one minute. `bucket`: 0 for counts, a step of a logarithmic scale for durations. */
export const tally = sqliteTable(
  'tally',
  {
    minute: integer().notNull(),
    what: text().notNull(),
    bucket: integer().notNull(),
    jobs: integer().notNull(),
  },
  (table) => [primaryKey({ columns: [table.minute, table.what, table.bucket] })],
)

export const audit = sqliteTable('audit', {
  seq: integer().primaryKey({ autoIncrement: true }),
  at: integer().notNull(),
  /** Null for the system. */
  who: text(),
  act: text().notNull(),
  /** null for an action on many jobs or none. */
  job: text(),
  jobs: integer().notNull(),
  detail: text().notNull(),
})

export const setting = sqliteTable('setting', { name: text().primaryKey(), value: integer().notNull() })

/** The number of jobs in each state, maintained by triggers. */
export const counter = sqliteTable('counter', {
  state: text().$type<JobState>().primaryKey(),
  jobs: integer().notNull(),
})

/** The schedules of the minute cron, stored only in the ledger of `maintenance`. */
export const schedule = sqliteTable('schedule', {
  name: text().primaryKey(),
  is_enabled: integer({ mode: 'boolean' }).notNull().default(true),
  last_run_at: integer(),
  /** '': it succeeded; null before the first run. */
  last_error: text(),
  /** When it was last switched on again: runs missed while it was off are not made up. Null when it was never off. */
  enabled_at: integer(),
})
