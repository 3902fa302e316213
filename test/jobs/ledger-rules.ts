import { runTransaction } from '../../src/jobs/ledger/transaction.ts'
import type { Ending, QueueMessage, ClaimedJob, JobRequest } from '../../src/jobs/ledger/calls.ts'
import { changeSettings } from '../../src/jobs/ledger/acts.ts'
import { claim } from '../../src/jobs/ledger/claims.ts'
import { endAll } from '../../src/jobs/ledger/endings.ts'
import { enqueueAll } from '../../src/jobs/ledger/intake.ts'
import { readSettings } from '../../src/jobs/ledger/settings.ts'
import type { LedgerSettings } from '../../src/jobs/ledger/views.ts'
import type { Sql, Transaction } from '../../src/jobs/ledger/sql.ts'
import type { JobRecord, QueueName } from '../../src/jobs/job.ts'
import { nodeSql } from './node-sql.ts'

export const start = Date.UTC(2026, 10, 21, 9)
export const second = 1000
export const minute = 60 * second
export const day = 24 * 60 * minute

/** A ledger in Node with a clock that the test moves. */
export class TestLedger {
  readonly sql: Sql = nodeSql()
  readonly queue: QueueName
  now = start

  constructor(queue: QueueName = 'refresh') {
    this.queue = queue
  }

  turn<Result>(call: (tx: Transaction) => Result) {
    return runTransaction(this, call)
  }

  do<Result>(call: (tx: Transaction) => Result): Result {
    return this.turn(call).result
  }

  enqueue(request: Partial<JobRequest> = {}): JobRecord {
    const [record] = this.do((tx) => enqueueAll(tx, [toRequest(request)]))
    if (!record) throw new Error('Nothing was enqueued.')
    return record
  }

  /** Enqueues several jobs of the same kind; returns their names. */
  fill(jobs: number, request = toRequest()): string[] {
    const requests = Array.from({ length: jobs }, () => request)
    return this.do((tx) => enqueueAll(tx, requests)).map(({ id }) => id)
  }

  /** Claims the job for `worker`; throws if it is refused. */
  claim(message: QueueMessage, worker = 'one'): ClaimedJob {
    const [claimed] = this.do((tx) => claim(tx, message, worker))
    if (!claimed) throw new Error(`${message.job} was refused.`)
    return claimed
  }

  /** Enqueues and claims. */
  begin(request: Partial<JobRequest> = {}, worker = 'one'): ClaimedJob {
    return this.claim({ job: this.enqueue(request).id, attempt: 1 }, worker)
  }
}

export function toRequest(request: Partial<JobRequest> = {}): JobRequest {
  return { task: 'fetch', input: '{}', limit: { attempts: 3, run_seconds: 10, retry_seconds: [5, 60] }, ...request }
}

/** Changes these settings, as staff do. */
export const setTo = (tx: Transaction, some: Partial<LedgerSettings>): unknown =>
  changeSettings(tx, { ...readSettings(tx), ...some }, null, 'staff')

type EndingOf<How extends Ending['how']> = Omit<Extract<Ending, { how: How }>, 'how'>

/** Reports how one attempt ended. */
export function end(tx: Transaction, job: string, attempt: number, ending: Ending): void {
  endAll(tx, [{ job, attempt, ending }])
}

export const finish = (tx: Transaction, job: string, attempt: number, result: string): void =>
  end(tx, job, attempt, { how: 'finished', result })

export const fail = (tx: Transaction, job: string, attempt: number, failure: EndingOf<'failed'>): void =>
  end(tx, job, attempt, { how: 'failed', ...failure })

export const again = (tx: Transaction, job: string, attempt: number, next: EndingOf<'again'>): void =>
  end(tx, job, attempt, { how: 'again', ...next })
