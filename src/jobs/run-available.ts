import { inTime } from '../lib/in-time.ts'
import type { AnyJob, QueueName } from './job.ts'
import type { Grant, WorkerName } from './ledger/calls.ts'
import { ledgerOf } from './ledgers.ts'
import { runJob } from './run-job.ts'
import { Together } from './together.ts'

/** Jobs one invocation runs at a time: the platform lets it wait for so many answers at once. */
export const MAX_AT_ONCE = 6
/** Jobs one invocation begins at most: it may ask D1 a thousand times, and a job rarely needs ten of them. */
const MAX_JOBS = 100
/** How often it looks for new jobs while some of its own still run, ms. */
const lookMilliseconds = 500

/** What runs jobs, as the dashboard shows it. @param id tells it from all others by its first thirteen characters */
export function nameWorker(id: string): WorkerName {
  return { worker: `worker-${id.slice(0, 13)}`, location: null }
}

/** Claims whatever is next in the ledger, `count` jobs at most; none when it could not be reached. */
export async function claimSome(env: Env, queue: QueueName, by: WorkerName, count: number): Promise<Grant[]> {
  if (count <= 0) return []
  try {
    return await inTime(ledgerOf(env, queue).claimNext(by, count))
  } catch (error) {
    console.warn({ event: 'claim_failed', queue, error: String(error) })
    return []
  }
}

/**
 * Runs jobs as long as there are any, six at a time and a hundred in all, so that a full queue drains without waiting for
 * the next message.
 * @param claim takes at most `count` jobs; of those that nobody sent a message for, at most `asked`
 * @param askUntil ms since epoch: from then on only messages are answered
 */
export async function runAvailable(
  env: Env,
  jobs: readonly AnyJob[],
  claim: (count: number, asked: number) => Promise<Grant[]>,
  askUntil: number,
): Promise<void> {
  const together = new Together(env)
  const running = new Set<Promise<void>>()
  let begun = 0
  for (;;) {
    const free = MAX_AT_ONCE - running.size
    const asked = Date.now() < askUntil ? Math.min(free, MAX_JOBS - begun) : 0
    const grants = free > 0 ? await claim(free, asked) : []
    begun += grants.length
    for (const grant of grants) {
      const job = jobs.find(({ name }) => name === grant.task)
      const run = runJob(env, grant, job, together).finally(() => running.delete(run))
      running.add(run)
    }
    if (grants.length > 0) continue
    if (running.size === 0) return
    await Promise.race([...running, ...(free > 0 ? [scheduler.wait(lookMilliseconds)] : [])])
  }
}
