import { type JobRecord, type QueueName, queueNames } from './job.ts'
import { queueOfJob } from './job-name.ts'
import type { LedgerCalls } from './ledger/index.ts'
import { withTimeout } from '../lib/time.ts'

/** The ledger of a queue. Get a new stub before each call, because one that failed once may stay broken. */
export function ledgerOf(env: Env, queue: QueueName): LedgerCalls {
  // The platform's own type of a stub cannot express a field of type `unknown`.
  return env.LEDGER.get(env.LEDGER.idFromName(queue)) as unknown as LedgerCalls
}

/** The page of a job; with `Accept: application/json` it returns the job's progress. */
export const jobUrl = (job: { name: string }): string => `/scheduler/jobs/${job.name}/`

/** How much later than promised the answer to {@link waitForJob} may come, in ms. */
const MAX_DELAY_MS = 5000

/** The job once it has ended, or after `milliseconds` (25 s at most) as it is. Rejects without an answer. */
export async function waitForJob(env: Env, name: string, milliseconds: number): Promise<JobRecord | null> {
  const queue = queueOfJob(name)
  return queue && withTimeout(ledgerOf(env, queue).wait(name, milliseconds), milliseconds + MAX_DELAY_MS)
}

/** How long a tick may take, in ms: with the schedules before it, less than a minute. */
const TICK_MS = 15_000

/** The minute cron for all four ledgers. One that cannot be reached or does not answer does not affect the others. */
export async function tickLedgers(env: Env): Promise<void> {
  const tick = (queue: QueueName) =>
    withTimeout(ledgerOf(env, queue).tick(), TICK_MS).catch((error: unknown) =>
      console.error({ event: 'tick_failed', queue, error: String(error) }),
    )
  await Promise.all(queueNames.map(tick))
}

const delays = [100, 500, 2000]

/** Repeats a call that may be repeated, each time through a new stub; rejects after about 40 seconds. */
export async function reach<Result>(
  env: Env,
  queue: QueueName,
  call: (ledger: LedgerCalls) => Promise<Result>,
): Promise<Result> {
  for (const delay of delays) {
    try {
      return await withTimeout(call(ledgerOf(env, queue)))
    } catch {
      await scheduler.wait(delay)
    }
  }
  return withTimeout(call(ledgerOf(env, queue)))
}
