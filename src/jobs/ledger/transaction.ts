import { nextWakeUp, takeMessages } from './messages.ts'
import { queueDue } from './due.ts'
import { expireLeases } from './endings.ts'
import type { Reader, Transaction } from './sql.ts'
import { writeTallies } from './tally.ts'
import { writeWorkers } from './workers.ts'

/**
 * One transaction of a ledger: first what has come due, then the call, then the messages to send.
 * @returns `messages`: to be sent once the rows are durable; `wake_at`: by when the next transaction must run,
 * ms since epoch, or null if nothing is scheduled
 */
export function runTransaction<Result>(ledger: Reader, call: (tx: Transaction) => Result) {
  return ledger.sql.atomically(() => {
    const tx: Transaction = {
      ...ledger,
      touched: new Set(),
      isQueueTouched: false,
      tallies: new Map(),
      workers: new Map(),
    }
    if ((nextWakeUp(tx) ?? Infinity) <= tx.now) {
      expireLeases(tx)
      queueDue(tx)
    }
    const result = call(tx)
    writeTallies(tx)
    writeWorkers(tx)
    const { touched, isQueueTouched } = tx
    return { result, touched, isQueueTouched, messages: takeMessages(tx), wake_at: nextWakeUp(tx) }
  })
}
