import { queueOfJob } from '../../src/jobs/job.ts'
import { ledgerOf } from '../../src/jobs/ledgers.ts'
import type { JobDetail } from '../../src/jobs/ledger/views.ts'

/** The job with this name in any queue; null if there is none. */
export async function findJob(env: Env, name: string): Promise<JobDetail | null> {
  const queue = queueOfJob(name)
  return queue && ledgerOf(env, queue).get(name)
}
