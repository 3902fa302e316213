import { inTime } from '../lib/in-time.ts'
import type { QueueName } from './job.ts'
import type { LedgerCalls } from './ledger/calls.ts'
import { ledgerOf } from './ledgers.ts'

/** Waits before each further try, ms. */
const delays = [100, 500, 2000]

/**
 * Calls a ledger, and repeats the call after a failure or without an answer, each time through a new stub. Only for
 * calls that may be repeated. Rejects when it could not be reached within about 40 seconds.
 */
export async function reach<Result>(
  env: Env,
  queue: QueueName,
  call: (ledger: LedgerCalls) => Promise<Result>,
): Promise<Result> {
  for (const delay of delays) {
    try {
      return await inTime(call(ledgerOf(env, queue)))
    } catch {
      await scheduler.wait(delay)
    }
  }
  return inTime(call(ledgerOf(env, queue)))
}
