import type { QueueMessage } from './calls.ts'
import type { QueueName } from '../job.ts'
import { nextWakeUp, takeMessages } from './messages.ts'
import { queueDue } from './due.ts'
import { expireLeases } from './endings.ts'
import type { Sql, Turn } from './sql.ts'
import { writeTallies } from './tally.ts'
import { writeWorkers } from './workers.ts'

export interface TurnOutcome<Result> {
  result: Result
  touched: ReadonlySet<string>
  is_queue_touched: boolean
  /** Messages to send once this turn's rows are durable. */
  messages: QueueMessage[]
  /** When the next turn is due at the latest, ms since epoch; null if nothing is scheduled. */
  wake_at: number | null
}

/** One turn of a ledger, in one transaction: what has come due, then the call, then the messages to send. */
export function takeTurn<Result>(
  ledger: { sql: Sql; queue: QueueName },
  now: number,
  call: (turn: Turn) => Result,
): TurnOutcome<Result> {
  return ledger.sql.atomically(() => {
    const turn: Turn = {
      ...ledger,
      now,
      touched: new Set(),
      isQueueTouched: false,
      tallies: new Map(),
      workers: new Map(),
    }
    if ((nextWakeUp(turn) ?? Infinity) <= now) {
      expireLeases(turn)
      queueDue(turn)
    }
    const result = call(turn)
    writeTallies(turn)
    writeWorkers(turn)
    const { touched, isQueueTouched: is_queue_touched } = turn
    return { result, touched, is_queue_touched, messages: takeMessages(turn), wake_at: nextWakeUp(turn) }
  })
}
