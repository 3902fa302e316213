import { firstIn, type OwnDatabase, ownDatabase } from '../../db/own-database.ts'
import type { Query } from '../../db/query.ts'
import type { QueueName } from '../job.ts'
import type { Tallies } from './tally.ts'
import type { WorkerChange } from './workers.ts'

/**
 * What the ledger needs from SQLite: synchronous, one connection. A Durable Object's storage and Node's own SQLite both
 * fit behind it, so the same rules run in production and in a property test.
 */
export interface Sql extends OwnDatabase {
  atomically<Result>(work: () => Result): Result
}

export function storageSql(storage: DurableObjectStorage): Sql {
  return { ...ownDatabase(storage), atomically: (work) => storage.transactionSync(work) }
}

/** A ledger at one moment. */
export interface Reader {
  sql: Sql
  queue: QueueName
  /** ms since epoch */
  now: number
}

/** One transaction of a ledger: everything in it happens at the same time. */
export interface Transaction extends Reader {
  /** The jobs that changed in this transaction: callers that wait for them, and pages that show them, are notified. */
  touched: Set<string>
  /** Set when something else changed that pages of the queue show: a pause, a setting, a schedule, a tick. */
  isQueueTouched: boolean
  /** Counts and durations, written once at the end of the transaction. */
  tallies: Tallies
  /** Changes of workers by name, also written at the end. */
  workers: Map<string, WorkerChange>
}

type ScalarQuery = Query & { readonly _: { readonly result: readonly { value: number | null }[] } }

/** The number that a query selects as `value`; null when there is none. */
export function scalar(sql: Sql, one: ScalarQuery): number | null {
  return firstIn(sql, one)?.value ?? null
}
