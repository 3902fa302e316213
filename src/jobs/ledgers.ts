import { type JobRecord, type QueueName, queueNames, queueOfJob } from './job.ts'
import type { LedgerCalls } from './ledger/index.ts'
import { withTimeout } from '../lib/time.ts'
import { sessionTag, upgradeRequest, type Viewer } from './ledger/sockets.ts'

/** The locations that D1 and Durable Objects have in common (Cloudflare, "Data location"). */
const locations = ['wnam', 'enam', 'weur', 'eeur', 'apac', 'oc'] as const

/** A ledger stays for good where it was when it was first called, which for a cron may be anywhere. */
function stubOf({ LEDGER, DATABASE_LOCATION }: Env, queue: QueueName) {
  const locationHint = locations.find((one) => one === DATABASE_LOCATION)
  return LEDGER.get(LEDGER.idFromName(queue), locationHint && { locationHint })
}

/** The ledger of a queue. Get a new stub before each call, because one that failed once may stay broken. */
export function ledgerOf(env: Env, queue: QueueName): LedgerCalls {
  // The platform's own type of a stub cannot express a field of type `unknown`.
  return stubOf(env, queue) as unknown as LedgerCalls
}

/** The page of a job; with `Accept: application/json` it returns the job's progress. */
export const jobUrl = (job: { id: string }): string => `/scheduler/jobs/${job.id}/`

/** How much later than promised the answer to {@link waitForJob} may come, in ms. */
const MAX_DELAY_MS = 5000

/** The job once it has ended, or after `milliseconds` (25 s at most) as it is. Rejects without an answer. */
export async function waitForJob(env: Env, name: string, milliseconds: number): Promise<JobRecord | null> {
  const queue = queueOfJob(name)
  return queue && withTimeout(ledgerOf(env, queue).wait(name, milliseconds), milliseconds + MAX_DELAY_MS)
}

/** How long a tick may take, in ms: with the schedules before it, less than a minute. */
const TICK_MS = 15_000

/** Makes a call to all four ledgers. One that cannot be reached or does not answer does not affect the others. */
async function callEvery(env: Env, event: string, timeoutMs: number, call: (ledger: LedgerCalls) => Promise<unknown>) {
  const callOne = (queue: QueueName) =>
    withTimeout(call(ledgerOf(env, queue)), timeoutMs).catch((error: unknown) =>
      console.error({ event, queue, error: String(error) }),
    )
  await Promise.all(queueNames.map(callOne))
}

/** The minute cron for all four ledgers. */
export const tickLedgers = (env: Env): Promise<void> =>
  callEvery(env, 'tick_failed', TICK_MS, (ledger) => ledger.tick())

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

/** How long ending a session waits for a ledger, in ms. Its sockets close on their own within five minutes. */
const MAX_WAIT_MS = 2000

/**
 * Passes an allowed viewer to the ledger of a queue and returns its answer: 101, or 429 if too many are watching. Rejects
 * without an answer, because a page whose socket neither opens nor fails would not ask for its data either.
 */
export async function openSocket(env: Env, queue: QueueName, viewer: Viewer): Promise<Response> {
  return withTimeout(stubOf(env, queue).fetch(upgradeRequest(viewer)))
}

/** Call it after the database says that they may no longer watch, so that they cannot reconnect. Never rejects. */
export async function closeSockets(env: Env, { sessionHashes }: { sessionHashes: readonly string[] }): Promise<void> {
  const tags = sessionHashes.map(sessionTag)
  if (tags.length === 0) return
  await callEvery(env, 'sockets_not_closed', MAX_WAIT_MS, (ledger) => ledger.closeSockets(tags))
}
