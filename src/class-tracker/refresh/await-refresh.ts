import type * as z from 'zod/mini'
import type { JobRecord } from '../../jobs/job.ts'
import { jobUrl, waitForJob } from '../../jobs/ledgers.ts'
import { pausedQueues } from '../../jobs/paused-queues.ts'
import { orWarn } from '../../lib/fallbacks.ts'
import { conflict, outside } from '../../web/refusal.ts'
import type { JobHandle } from './contract.ts'
import { isTimeOut } from './require-answers.ts'

/** How long a call waits for its job, ms. */
const MAX_WAIT_MS = 25_000

/** The answer of a refresh call: 200 with the result, or 202 with empty lists while the job is still running. */
export interface RefreshAnswer<Shape> {
  status: 200 | 202
  answer: Shape & { job: JobHandle }
}

/**
 * Waits for a job, 25 s at most; it continues after that. `isLong`: it takes longer than a request may, so the answer
 * does not wait.
 * @throws outside when it failed (504: no school answered in time, else 502), conflict when it was canceled
 */
export async function answerRefresh<Shape extends object>(
  env: Env,
  asked: JobRecord,
  { shape, empty, isLong = false }: { shape: z.ZodMiniType<Shape>; empty: Shape; isLong?: boolean },
): Promise<RefreshAnswer<Shape>> {
  const job = (await (isLong ? ifPaused(env, asked) : whenEnded(env, asked))) ?? asked
  if (job.state === 'failed') {
    // An unexpected failure has its stack after the first line.
    const error = job.error?.split('\n')[0] ?? 'The refresh failed.'
    throw outside(isTimeOut(error) ? 504 : 502, error)
  }
  if (job.state === 'stopped' || job.state === 'canceled') throw conflict('The refresh was stopped before it was done.')
  const handle = { id: job.id, url: jobUrl(job), status: job.state, progress: job.progress }
  if (job.state !== 'finished') return { status: 202, answer: { ...empty, job: handle } }
  return { status: 200, answer: { ...shape.parse(job.result), job: handle } }
}

/** The job when the wait for it is over; null if the wait broke. */
function whenEnded(env: Env, job: JobRecord): Promise<JobRecord | null> {
  const ended = Promise.race([waitForJob(env, job.name, MAX_WAIT_MS), whenPaused(env, job)])
  return orWarn(ended, { event: 'wait_broken', job: job.name }, null)
}

/** Resolves with the job once its queue is known to be paused, which makes waiting pointless; otherwise never. */
async function whenPaused(env: Env, job: JobRecord): Promise<JobRecord> {
  return (await ifPaused(env, job)) ?? new Promise(() => undefined)
}

/** The job with a label saying that its queue is paused; null if it is not. */
async function ifPaused(env: Env, job: JobRecord): Promise<JobRecord | null> {
  const [pause] = await pausedQueues(env, [job.queue])
  if (!pause || job.state !== 'queued') return null
  return { ...job, progress: { ...job.progress, label: `The queue ${job.queue} is paused` } }
}
