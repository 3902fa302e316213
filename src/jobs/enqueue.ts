import type { EnqueueOptions, Job, JobRecord } from './job.ts'
import { ledgerOf } from './ledgers.ts'

/** Puts one job into its ledger; answers the job, or the one with the same key that has not ended. */
export async function enqueue<Input>(
  env: Env,
  job: Job<Input>,
  input: Input,
  options: EnqueueOptions = {},
): Promise<JobRecord> {
  const [record] = await enqueueMany(env, job, [{ input, options }])
  if (!record) throw new Error(`The ledger of ${job.queue} answered nothing for ${job.name}.`)
  return record
}

/** Puts many jobs of one kind into their ledger (at most 1 000 at a time are sent in one RPC). */
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
