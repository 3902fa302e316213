import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { expect, test } from 'vitest'
import type { SqlValue } from '../../src/db/own-database.ts'
import { pause, resume } from '../../src/jobs/ledger/acts.ts'
import { claimNext } from '../../src/jobs/ledger/claims.ts'
import type { Ledger } from '../../src/jobs/ledger/index.ts'
import { enqueueAll } from '../../src/jobs/ledger/intake.ts'
import type { Sql, Transaction } from '../../src/jobs/ledger/sql.ts'
import { listJobs } from '../../src/jobs/ledger/search.ts'
import { runTransaction } from '../../src/jobs/ledger/transaction.ts'

/** A ledger that counts the rows which its statements read. */
class CountingLedger {
  readonly queue = 'polls'
  readonly sql: Sql
  now = Date.UTC(2026, 10, 21, 9)
  #rowsRead = 0

  constructor(storage: DurableObjectStorage) {
    this.sql = {
      rows: <Row extends Record<string, SqlValue>>(text: string, ...values: SqlValue[]) => {
        const cursor = storage.sql.exec<Row>(text, ...values)
        const rows = cursor.toArray()
        this.#rowsRead += cursor.rowsRead
        return rows
      },
      atomically: (work) => storage.transactionSync(work),
    }
  }

  /** @returns how many rows the transaction read */
  cost(call: (tx: Transaction) => unknown): number {
    this.#rowsRead = 0
    runTransaction(this, call)
    return this.#rowsRead
  }
}

const limit = { attempts: 3, run_seconds: 10, retry_seconds: [5] }
const sources = 10
const ticks = 300

/** The polls of every source for one tick, as the minute cron enqueues them. */
const pollsOf = (tick: number) =>
  Array.from({ length: sources }, (_, source) => ({
    task: 'poll',
    input: '{}',
    limit,
    key: `poll:${source}:${tick}`,
    exclusive: { name: `poll:${source}`, when_held: 'skip' as const },
  }))

test('a page of ended jobs reads only the rows that it shows', async () => {
  const stub = (env.LEDGER as DurableObjectNamespace<Ledger>).get(env.LEDGER.idFromName('polls'))
  const cost = await runInDurableObject(stub, (_, { storage }) => {
    const ledger = new CountingLedger(storage)
    ledger.sql.rows('DELETE FROM job')
    ledger.cost((tx) => enqueueAll(tx, Array.from({ length: ticks }, (_, tick) => pollsOf(tick)).flat()))
    ledger.sql.rows(`UPDATE job SET state = 'failed', ended_at = seq`)
    return ledger.cost((tx) => listJobs(tx, { registry: 'failed' }))
  })
  expect(cost).toBeLessThan(150)
})

test('what waits in a paused queue costs nothing until it is resumed, and then each job a few rows', async () => {
  const stub = (env.LEDGER as DurableObjectNamespace<Ledger>).get(env.LEDGER.idFromName('polls'))
  const costs = await runInDurableObject(stub, (_, { storage }) => {
    const ledger = new CountingLedger(storage)
    // A repeated test finds what the first left.
    ledger.sql.rows('DELETE FROM job')
    ledger.cost((tx) => pause(tx, 'ada'))
    ledger.cost((tx) => enqueueAll(tx, Array.from({ length: ticks }, (_, tick) => pollsOf(tick)).flat()))
    return {
      enqueue: ledger.cost((tx) => enqueueAll(tx, pollsOf(ticks).slice(0, 1))),
      resume: ledger.cost((tx) => resume(tx, 'ada')),
      // All that wait for the same sources join what runs.
      claim: ledger.cost((tx) => claimNext(tx, 'one', sources)),
    }
  })
  expect(costs.enqueue).toBeLessThan(100)
  expect(costs.resume).toBeLessThan(10 * sources * ticks)
  expect(costs.claim).toBeLessThan(10 * sources * ticks)
})
