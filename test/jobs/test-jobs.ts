import * as z from 'zod'
import { jobs } from '../../src/background-jobs.ts'
import { defineJob, type AnyJob, type Job, type JobContext, type JobLimit, type QueueName } from '../../src/jobs/job.ts'

const quickly: JobLimit = { attempts: 3, run_seconds: 60, retry_seconds: [0] }

/** A test job that the consumers of the real queues know. */
export function testJob(
  queue: QueueName,
  run: (context: JobContext, input: Record<string, unknown>) => Promise<unknown>,
  limit: Partial<JobLimit> = {},
): Job<Record<string, unknown>> & AnyJob {
  const job = defineJob({
    name: `test-${crypto.randomUUID().slice(0, 8)}`,
    queue,
    input: z.record(z.string(), z.unknown()),
    limit: { ...quickly, ...limit },
    run,
  })
  jobs.push(job)
  return job
}

/** Polls a flag: a promise resolved by one invocation of a Worker does not reliably wake another. */
export async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await scheduler.wait(10)
}
