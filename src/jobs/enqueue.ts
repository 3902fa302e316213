import { chunk } from '../lib/collections.ts'
import { withTimeout } from '../lib/time.ts'
import type { EnqueueOptions, JobKind, JobRecord } from './job.ts'
import { ledgerOf } from './ledgers.ts'

/** Adds one job to its ledger; returns it, or the unfinished job with the same key. Rejects if it takes too long. */
export async function enqueue<Given>(
  env: Env,
  job: JobKind<Given>,
  input: NoInfer<Given>,
  options: EnqueueOptions = {},
): Promise<JobRecord> {
  const [record] = await enqueueMany(env, job, [{ input, options }])
  if (!record) throw new Error(`The ledger of ${job.queue} returned no record of ${job.name}.`)
  return record
}

/** The most jobs that one RPC adds. */
const MAX_JOBS = 1000

export async function enqueueMany<Given>(
  env: Env,
  job: JobKind<Given>,
  requests: readonly { input: NoInfer<Given>; options?: EnqueueOptions }[],
): Promise<JobRecord[]> {
  const records: JobRecord[] = []
  for (const slice of chunk(requests, MAX_JOBS)) {
    const added = slice.map(({ input, options }) => ({
      task: job.name,
      input: JSON.stringify(input),
      limit: job.limit,
      ...options,
    }))
    records.push(...(await withTimeout(ledgerOf(env, job.queue).enqueue(added))))
  }
  return records
}
