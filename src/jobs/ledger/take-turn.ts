import { nextWakeUp, takeMessages } from './messages.ts'
import { queueDue } from './due.ts'
import { expireLeases } from './endings.ts'
import type { Reader, Turn } from './sql.ts'
import { writeTallies } from './tally.ts'
import { writeWorkers } from './workers.ts'

/**
 * One turn of a ledger, in one transaction: what has come due, then the call, then the messages to send.
 * @returns `messages`: to be sent once this turn's rows are durable; `wake_at`: when the next turn is due at the latest,
 * ms since epoch, or null if nothing is scheduled
 */
export function takeTurn<Result>(ledger: Reader, call: (turn: Turn) => Result) {
  return ledger.sql.atomically(() => {
    const turn: Turn = { ...ledger, touched: new Set(), isQueueTouched: false, tallies: new Map(), workers: new Map() }
    if ((nextWakeUp(turn) ?? Infinity) <= turn.now) {
      expireLeases(turn)
      queueDue(turn)
    }
    const result = call(turn)
    writeTallies(turn)
    writeWorkers(turn)
    const { touched, isQueueTouched } = turn
    return { result, touched, isQueueTouched, messages: takeMessages(turn), wake_at: nextWakeUp(turn) }
  })
}
