import { queueNames, type QueueName } from '../jobs/job.ts'
import type { LedgerCalls } from '../jobs/ledger/index.ts'
import { ledgerOf } from '../jobs/ledgers.ts'
import { orWarn } from '../lib/fallbacks.ts'
import { withTimeout } from '../lib/time.ts'
import { upstreamError } from '../web/refusal.ts'

/** How long a page waits for a ledger, in ms. */
export const MAX_LEDGER_WAIT_MS = 5000

/** What one queue answered; null if its ledger did not answer in time. */
export interface Answer<Result> {
  queue: QueueName
  answer: Result | null
}

/** Asks ledgers in parallel, default: all four. One that does not answer does not hide the others. */
export async function askLedgers<Result>(
  env: Env,
  question: (ledger: LedgerCalls, queue: QueueName) => Promise<Result>,
  queues: readonly QueueName[] = queueNames,
): Promise<Answer<Result>[]> {
  return Promise.all(
    queues.map(async (queue) => {
      const asked = withTimeout(question(ledgerOf(env, queue), queue), MAX_LEDGER_WAIT_MS)
      return { queue, answer: await orWarn(asked, { event: 'ledger_silent', queue }, null) }
    }),
  )
}

/** Asks one ledger. @throws upstreamError (504) when it does not answer in time */
export async function askLedger<Result>(
  env: Env,
  queue: QueueName,
  question: (ledger: LedgerCalls) => Promise<Result>,
): Promise<Result> {
  try {
    return await withTimeout(question(ledgerOf(env, queue)), MAX_LEDGER_WAIT_MS)
  } catch (error) {
    console.warn({ event: 'ledger_silent', queue, error: String(error) })
    throw upstreamError(504, `The queue ${queue} did not respond in time. Please try again.`)
  }
}

/** The queues whose ledgers did not answer. */
export const unreachableAmong = (answers: readonly Answer<unknown>[]): string[] =>
  answers.filter(({ answer }) => answer === null).map(({ queue }) => queue)
