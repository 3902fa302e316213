import { env } from 'cloudflare:workers'
import type { JobContext } from '../../src/jobs/job.ts'
import type { JobRequest } from '../../src/jobs/ledger/calls.ts'
import { CallBatcher } from '../../src/jobs/call-batcher.ts'

let count = 0

/** The context of a job that a test runs itself: nothing it reports is stored. */
export function runContext(parts: Partial<JobContext> = {}): JobContext {
  count += 1
  const { now = Date.now, env: given = env } = parts
  const batcher = new CallBatcher(given)
  return {
    env,
    job: { id: `test-${count}`, attempt: 1, queue: 'alerts' },
    now,
    // A clock may count how often it is read.
    deadline: parts.deadline ?? now() + 15_000,
    checkpoint: async () => {},
    progress: async () => {},
    log: async () => {},
    batched: (...asked) => batcher.call(...asked),
    connected: (work) => work(),
    ...parts,
  }
}

/** Ledgers that run nothing: what is enqueued stays where it is written. */
export const unheard = {
  idFromName: () => '',
  get: () => ({ enqueue: async (requests: readonly object[]) => requests }),
} as unknown as Env['LEDGER']

/** Ledgers that run nothing, and the keys of what was enqueued. */
export function listening(): { LEDGER: Env['LEDGER']; keys: string[]; requests: JobRequest[] } {
  const requests: JobRequest[] = []
  const keys: string[] = []
  const enqueue = async (asked: JobRequest[]) => {
    requests.push(...asked)
    return asked.map(({ key = '' }) => keys.push(key))
  }
  return { LEDGER: { idFromName: () => '', get: () => ({ enqueue }) } as unknown as Env['LEDGER'], keys, requests }
}
