import type { Bell } from './ledger-calls.ts'
import type { QueueName } from './job.ts'
import { nextLook, takeBells } from './ledger/bells.ts'
import { queueDue } from './ledger/due.ts'
import { expireLeases } from './ledger/endings.ts'
import type { Sql, Turn } from './ledger/sql.ts'

export interface TurnOutcome<Result> {
  result: Result
  /** Names of jobs that moved: their waiters are to be told. */
  touched: ReadonlySet<string>
  /** Messages to send once this turn's rows are durable. */
  bells: Bell[]
  /** When the next turn is due at the latest, ms since epoch; null when nothing waits for time. */
  look_at: number | null
}

/**
 * One turn of a ledger: first what time has brought (leases that ran out, jobs that came due), then the call, then which
 * doorbells to ring. All of its writes stay, or none.
 */
export function takeTurn<Result>(
  ledger: { sql: Sql; queue: QueueName },
  now: number,
  call: (turn: Turn) => Result,
): TurnOutcome<Result> {
  return ledger.sql.atomically(() => {
    const turn: Turn = { ...ledger, now, touched: new Set() }
    if ((nextLook(turn) ?? Infinity) <= now) {
      expireLeases(turn)
      queueDue(turn)
    }
    const result = call(turn)
    return { result, touched: turn.touched, bells: takeBells(turn), look_at: nextLook(turn) }
  })
}
