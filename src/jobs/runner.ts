import { DurableObject } from 'cloudflare:workers'
import type { AnyJob, QueueName } from './job.ts'
import type { WorkerName } from './ledger/calls.ts'
import { nameWorker, runAvailable, takeJobs } from './run-available.ts'

/**
 * One more invocation that runs jobs of a queue, with its own connections and jobs. Consumers share a
 * queue's runners by name, which bounds their number. It stores nothing: a runner that dies loses its leases, as a
 * consumer does.
 */
export class JobRunner extends DurableObject<Env> {
  readonly #jobs: readonly AnyJob[]
  readonly #by: WorkerName
  #run: Promise<void> | null = null

  constructor(context: DurableObjectState, env: Env, jobs: readonly AnyJob[]) {
    super(context, env)
    this.#jobs = jobs
    this.#by = nameWorker(context.id.toString())
  }

  /** Runs the queue's jobs until none are left. A caller that arrives in the meantime waits for the same run. */
  async run(queue: QueueName, askUntil: number): Promise<void> {
    this.#run ??= runAvailable(
      this.env,
      queue,
      this.#jobs,
      async (ended, { asked, running }) =>
        (await takeJobs(this.env, queue, this.#by, { ended, messages: [], count: asked, running })) ?? [],
      askUntil,
    ).finally(() => (this.#run = null))
    return this.#run
  }
}
