import { DurableObject } from 'cloudflare:workers'
import { orWarn } from '../lib/fallbacks.ts'
import { withTimeout } from '../lib/time.ts'
import { MAX_CONNECTIONS, MAX_RUNNERS } from './connections.ts'
import type { AnyJob, QueueName } from './job.ts'
import { ledgerOf } from './ledgers.ts'
import { nameWorker, runAvailable, takeJobs } from './run-available.ts'

/** Only this queue gets thousands of jobs for which people are waiting. */
const helped: QueueName = 'alerts'
/** How often a consumer checks whether more runners are needed, in ms; the first time sooner. */
const LOOK_MS = 250
const FIRST_LOOK_MS = 20
/** How long to wait for a runner after it stopped asking for jobs, in ms. */
const MAX_RUN_MS = 90_000

/**
 * One more invocation that runs jobs of a queue, with its own connections and jobs. Consumers share a queue's runners by
 * name, which bounds their number. It stores nothing: a runner that dies loses its leases, as a consumer does.
 */
export class JobRunner extends DurableObject<Env> {
  readonly #jobs: readonly AnyJob[]
  readonly #name: string
  #run: Promise<void> | null = null

  constructor(context: DurableObjectState, env: Env, jobs: readonly AnyJob[]) {
    super(context, env)
    this.#jobs = jobs
    this.#name = nameWorker(context.id.toString())
  }

  /** Runs the queue's jobs until none are left. A caller that arrives in the meantime waits for the same run. */
  async run(queue: QueueName, askUntil: number): Promise<void> {
    this.#run ??= runAvailable(
      this.env,
      queue,
      this.#jobs,
      async (ended, { unannounced, running }) =>
        (await takeJobs(this.env, queue, this.#name, { ended, messages: [], count: unannounced, running })) ?? [],
      askUntil,
    ).finally(() => (this.#run = null))
    return this.#run
  }
}

/**
 * While a consumer runs its own jobs, wakes as many runners as the rest of the queue needs; resolves when they are
 * done. A runner that fails or hangs only costs time, because the leases of its jobs expire.
 * @param own the end of the consumer's own jobs
 * @param askUntil when runners stop asking for jobs, ms since epoch
 */
export async function wakeRunners(env: Env, queue: string, own: Promise<unknown>, askUntil: number): Promise<void> {
  if (queue !== helped) return void (await own)
  const awake = new Map<number, Promise<void>>()
  let isOver = false
  const over = own.finally(() => (isOver = true))
  let wait = FIRST_LOOK_MS
  while (!isOver || awake.size > 0) {
    await Promise.race([isOver ? Promise.all(awake.values()) : over, scheduler.wait(wait)])
    wait = LOOK_MS
    if ((isOver && awake.size === 0) || Date.now() >= askUntil) continue
    let wanted = Math.ceil((await countQueued(env)) / MAX_CONNECTIONS)
    for (let number = 0; number < MAX_RUNNERS && wanted > 0; number += 1) {
      if (awake.has(number)) continue
      wanted -= 1
      awake.set(
        number,
        wake(env, number, askUntil).finally(() => awake.delete(number)),
      )
    }
  }
}

/** Ends when the runner has; never rejects. */
async function wake(env: Env, number: number, askUntil: number): Promise<void> {
  const runners = env.RUNNER as DurableObjectNamespace<JobRunner>
  const run = withTimeout(
    runners.get(runners.idFromName(`${helped}-${number}`)).run(helped, askUntil),
    askUntil - Date.now() + MAX_RUN_MS,
  )
  await orWarn(run, { event: 'runner_failed', queue: helped, number }, undefined)
}

/** How many jobs wait to be claimed; 0 if the ledger does not say. */
async function countQueued(env: Env): Promise<number> {
  try {
    const { counts, paused } = await withTimeout(ledgerOf(env, helped).stats())
    return paused ? 0 : counts.queued
  } catch {
    return 0
  }
}
