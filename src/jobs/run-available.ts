import { withTimeout } from '../lib/time.ts'
import { Connections, MAX_CONNECTIONS } from './connections.ts'
import type { AnyJob, QueueName } from './job.ts'
import type { EndedAttempt, ClaimedJob, TakeRequest } from './ledger/calls.ts'
import { ledgerOf, reach } from './ledgers.ts'
import { runJob } from './run-job.ts'
import { GATHER_MS, CallBatcher } from './call-batcher.ts'

/**
 * How many jobs one invocation runs at a time. More than its six connections only for deliveries: while some wait for
 * their providers, the next ones are prepared in shared calls. Fewer for polls, so that a second look, which waits for
 * two seconds at most, finds a connection even when all schools are slow. The ledger gives no worker more than its share.
 */
const concurrency: Readonly<Record<QueueName, number>> = { polls: 4, refresh: 6, alerts: 24, maintenance: 6 }
/** While more jobs wait, new ones are requested once half of the places are free, or after this time, in ms. */
const MAX_LEFT_FREE_MS = 250
/** The most jobs that one invocation starts: it may query D1 1,000 times, and a job rarely needs ten queries. */
const MAX_JOBS = 100
/** How often it checks for new jobs while some of its own still run, in ms. */
const LOOK_MS = 500

/** A worker's name, as the dashboard shows it. @param id whose first thirteen characters are unique */
export const nameWorker = (id: string): string => `worker-${id.slice(0, 13)}`

/** Reports to a ledger and requests jobs; null if there was no answer: the report is then repeated if possible. */
export async function takeJobs(
  env: Env,
  queue: QueueName,
  worker: string,
  request: TakeRequest,
): Promise<ClaimedJob[] | null> {
  if (request.ended.length + request.messages.length + request.count === 0) return []
  try {
    return await withTimeout(ledgerOf(env, queue).take(worker, request))
  } catch (error) {
    console.warn({ event: 'claim_failed', queue, messages: request.messages.length, error: String(error) })
    if (request.ended.length > 0) await reportEnds(env, queue, request.ended)
    return null
  }
}

/** Never rejects: if it fails, the leases expire and the jobs are tried again safely. */
async function reportEnds(env: Env, queue: QueueName, ended: readonly EndedAttempt[]): Promise<void> {
  try {
    await reach(env, queue, (ledger) => ledger.end(ended))
  } catch (error) {
    const jobs = ended.map(({ job, attempt }) => `${job} ${attempt}`)
    console.error({ event: 'job_ends_not_reported', jobs, error: String(error) })
  }
}

export interface Capacity {
  /** The most jobs in total. */
  total: number
  /** The most jobs that no message announced. */
  unannounced: number
  /** The jobs that are still running. */
  running: number
}

/**
 * Runs jobs of one queue as long as there are any, several at a time and a hundred in total, so that a full queue
 * drains without waiting for the next message.
 * @param take reports how jobs ended and takes new ones
 * @param askUntil ms since epoch: from then on only messages are answered
 */
export async function runAvailable(
  env: Env,
  queue: QueueName,
  jobs: readonly AnyJob[],
  take: (ended: readonly EndedAttempt[], capacity: Capacity) => Promise<ClaimedJob[]>,
  askUntil: number,
): Promise<void> {
  const running = new Set<Promise<void>>()
  const invocation = { batcher: new CallBatcher(env, running), connections: new Connections() }
  const ended: EndedAttempt[] = []
  let begun = 0
  let isMore = false
  async function run(claimed: ClaimedJob): Promise<void> {
    const job = jobs.find(({ name }) => name === claimed.task)
    const ending = await runJob(env, claimed, job, invocation)
    if (ending !== null) ended.push({ job: claimed.job, attempt: claimed.attempt, ending })
  }
  for (;;) {
    const free = concurrency[queue] - running.size
    const unannounced = Date.now() < askUntil ? Math.min(free, MAX_JOBS - begun) : 0
    const taken = free > 0 ? await take(ended.splice(0), { total: free, unannounced, running: running.size }) : []
    begun += taken.length
    if (free > 0) isMore = unannounced > 0 && taken.length >= Math.min(unannounced, MAX_CONNECTIONS)
    for (const claimed of taken) {
      const one = run(claimed).finally(() => running.delete(one))
      running.add(one)
    }
    if (ended.length > 0) continue
    if (running.size === 0) return
    await Promise.race([...running, ...(free > 0 ? [scheduler.wait(LOOK_MS)] : [])])
    // Jobs that end at about the same time are reported in one call, which brings as many new ones.
    await Promise.race([Promise.all(running), scheduler.wait(GATHER_MS)])
    await awaitFree(running, isMore ? concurrency[queue] / 2 : Infinity)
  }
}

/** Waits until at most this many jobs run, or for a short time. */
async function awaitFree(running: ReadonlySet<Promise<void>>, atMost: number): Promise<void> {
  const until = Date.now() + MAX_LEFT_FREE_MS
  while (running.size > atMost && Date.now() < until)
    await Promise.race([...running, scheduler.wait(until - Date.now())])
}
