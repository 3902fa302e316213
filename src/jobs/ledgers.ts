import { queueNames, type JobRecord, type QueueName } from './job.ts'
import { queueOfJob } from './job-name.ts'
import type { LedgerCalls } from './ledger/calls.ts'

/** The ledger of a queue. Get a new stub before each call, because one that failed once may stay broken. */
export function ledgerOf(env: Env, queue: QueueName): LedgerCalls {
  // The class implements the interface. The platform's own type of a stub cannot express a field of type `unknown`.
  return env.LEDGER.get(env.LEDGER.idFromName(queue)) as unknown as LedgerCalls
}

/** The page of a job; with `Accept: application/json` it returns the job's progress. */
export const jobUrl = (job: { name: string }): string => `/scheduler/jobs/${job.name}/`

/**
 * The job once it has ended, or as it is after `milliseconds` (25 s at most); null when there is none. Rejects if the
 * connection to the ledger breaks; the job continues.
 */
export async function waitForJob(env: Env, name: string, milliseconds: number): Promise<JobRecord | null> {
  const queue = queueOfJob(name)
  return queue && ledgerOf(env, queue).wait(name, milliseconds)
}

/** The minute cron for all four ledgers. One that cannot be reached does not affect the others. */
export async function tickLedgers(env: Env): Promise<void> {
  const ticks = await Promise.allSettled(queueNames.map((queue) => ledgerOf(env, queue).tick()))
  for (const [index, tick] of ticks.entries()) {
    if (tick.status === 'rejected')
      console.error({ event: 'tick_failed', queue: queueNames[index], error: String(tick.reason) })
  }
}
