import type { QueueName } from '../job.ts'
import type { Tallies } from './tally.ts'
import type { WorkerChange } from './workers.ts'

export type SqlValue = string | number | null

/**
 * What the ledger needs from SQLite: synchronous, one connection. A Durable Object's storage and Node's own SQLite both
 * fit behind it, so the same rules run in production and in a property test.
 */
export interface Sql {
  /** Runs one statement and returns its rows (none for a plain write). */
  rows<Row extends Record<string, SqlValue>>(statement: string, ...values: SqlValue[]): Row[]
  atomically<Result>(act: () => Result): Result
}

export function storageSql(storage: DurableObjectStorage): Sql {
  return {
    rows: <Row extends Record<string, SqlValue>>(statement: string, ...values: SqlValue[]) =>
      storage.sql.exec<Row>(statement, ...values).toArray(),
    atomically: (act) => storage.transactionSync(act),
  }
}

/** A ledger at one moment. */
export interface Reader {
  sql: Sql
  queue: QueueName
  /** ms since epoch */
  now: number
}

/** One uninterrupted visit to a ledger: everything in it happens at the same moment. */
export interface Turn extends Reader {
  /** The jobs that changed in this turn: callers that wait for them, and pages that show them, are notified. */
  touched: Set<string>
  /** Set when something else changed that pages of the queue show: a pause, a setting, a schedule, a tick. */
  isQueueTouched: boolean
  /** Counts and durations, written once at the end of the turn. */
  tallies: Tallies
  /** Changes of workers by name, also written at the end. */
  workers: Map<string, WorkerChange>
}

export function first<Row extends Record<string, SqlValue>>(
  sql: Sql,
  statement: string,
  ...values: SqlValue[]
): Row | null {
  return sql.rows<Row>(statement, ...values)[0] ?? null
}

/** The figure a statement selects as `figure`; null when there is none. */
export function figure(sql: Sql, statement: string, ...values: SqlValue[]): number | null {
  return first<{ figure: number | null }>(sql, statement, ...values)?.figure ?? null
}
