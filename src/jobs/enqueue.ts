import type { EnqueueOptions, Job, JobRecord } from './job.ts'
import { ledgerOf } from './ledgers.ts'

/** Adds one job to its ledger; returns it, or the unfinished job with the same key. */
export async function enqueue<Input>(
  env: Env,
  job: Job<Input>,
  input: Input,
  options: EnqueueOptions = {},
): Promise<JobRecord> {
  const [record] = await enqueueMany(env, job, [{ input, options }])
  if (!record) throw new Error(`The ledger of ${job.queue} returned no record of ${job.name}.`)
  return record
}

/** Adds many jobs of one kind to their ledger, at most 1,000 per RPC. */
export async function enqueueMany<Input>(
  env: Env,
  job: Job<Input>,
  requests: readonly { input: Input; options?: EnqueueOptions }[],
): Promise<JobRecord[]> {
  const records: JobRecord[] = []
  for (let start = 0; start < requests.length; start += 1000) {
    const slice = requests.slice(start, start + 1000)
    records.push(
      ...(await ledgerOf(env, job.queue).enqueue(
        slice.map(({ input, options }) => ({
          task: job.name,
          input: JSON.stringify(input),
          limit: job.limit,
          ...options,
        })),
      )),
    )
  }
  return records
}
