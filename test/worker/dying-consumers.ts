import { evictDurableObject, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { vi } from 'vitest'
import { enqueue } from '../../src/jobs/enqueue.ts'
import type { EnqueueOptions, AnyJob, JobKind, JobContext, QueueName } from '../../src/jobs/job.ts'
import type { ClaimedJob } from '../../src/jobs/ledger/calls.ts'
import type { Ledger } from '../../src/jobs/ledger/index.ts'
import { ledgerOf } from '../../src/jobs/ledgers.ts'
import { CallBatcher } from '../../src/jobs/call-batcher.ts'
import { rows } from './rows.ts'
import { Killed, watchedDatabase } from './watched-database.ts'
import { tick } from './world.ts'

/** Consumers that die during a job, queues that lose or duplicate messages, and the time that repairs it. */

const stubOf = (queue: QueueName) => (env.LEDGER as DurableObjectNamespace<Ledger>).get(env.LEDGER.idFromName(queue))

const jobWorker = 'doomed'

/** Every step of a run to the outside, in order: the database, a ledger, an external server. */
class Steps {
  readonly taken: string[] = []
  readonly #mostSteps: number

  constructor(mostSteps: number) {
    this.#mostSteps = mostSteps
  }

  /** Throws if the runner is dead: nothing more of it happens. */
  take(what: string): void {
    if (this.taken.length >= this.#mostSteps) throw new Killed()
    this.taken.push(what)
  }
}

function watchedEnv(steps: Steps): Env {
  const namespace = {
    idFromName: (name: string) => env.LEDGER.idFromName(name),
    get: (id: DurableObjectId) =>
      new Proxy(
        {},
        {
          get:
            (_, call: string) =>
            async (...values: unknown[]) => {
              steps.take(`ledger ${call}`)
              const stub = env.LEDGER.get(id) as unknown as Record<string, (...values: unknown[]) => Promise<unknown>>
              return stub[call]?.(...values)
            },
        },
      ),
  }
  const DB = watchedDatabase({ before: () => steps.take('database') })
  return { ...env, DB, LEDGER: namespace as unknown as Env['LEDGER'] }
}

/**
 * A consumer claims the job, takes at most this many steps and disappears without reporting to the ledger.
 *
 * @returns the number of steps it took
 */
export async function runAndDie<Given>(
  job: JobKind<Given> & AnyJob,
  asked: { input: NoInfer<Given>; options?: EnqueueOptions },
  mostSteps: number,
): Promise<string[]> {
  const ledger = ledgerOf(env, job.queue)
  await ledger.pause(null)
  const { id: name } = await enqueue(env, job, asked.input, asked.options)
  const [claimed] = await claimPaused(job.queue, name)
  if (!claimed) throw new Error(`${name} was not claimed.`)
  const steps = new Steps(mostSteps)
  const { fetch } = globalThis
  const spy = vi.spyOn(globalThis, 'fetch').mockImplementation(async (...call) => {
    steps.take('fetch')
    return fetch(...call)
  })
  const watched = watchedEnv(steps)
  const batcher = new CallBatcher(watched)
  const context: JobContext = {
    env: watched,
    job: { id: name, attempt: 1, queue: job.queue },
    now: () => Date.now(),
    deadline: claimed.deadline,
    checkpoint: async () => steps.take('checkpoint'),
    progress: async () => steps.take('progress'),
    log: async () => steps.take('log'),
    batched: (...asked) => batcher.call(...asked),
    connected: (work) => work(),
  }
  try {
    await job.runWithRawInput(context, asked.input)
  } catch (error) {
    if (!(error instanceof Killed)) throw error
  } finally {
    spy.mockRestore()
  }
  return steps.taken
}

/** Ends the pause and claims the job before anyone else can, such as a consumer looking for more. */
async function claimPaused(queue: QueueName, job: string): Promise<ClaimedJob[]> {
  return runInDurableObject(stubOf(queue), async (instance: Ledger, state) => {
    // Without a turn of the ledger, which would send messages for waiting jobs.
    state.storage.sql.exec(`UPDATE setting SET value = 0 WHERE name = 'paused'`)
    return instance.take(jobWorker, { ended: [], messages: [{ job, attempt: 1 }], count: 1 })
  })
}

/** A minute passes for jobs and messages, and the cron fires. Nothing else happens. */
export async function minuteLater(): Promise<void> {
  for (const queue of ['polls', 'alerts'] as const) {
    await runInDurableObject(stubOf(queue), (_, state) => {
      state.storage.sql.exec(
        `UPDATE job SET rung_at = rung_at - 61000, due_at = CASE state WHEN 'scheduled' THEN due_at - 61000 ELSE due_at END,
           lease_until = CASE worker WHEN ? THEN lease_until - 61000 ELSE lease_until END
         WHERE state IN ('scheduled', 'queued', 'started')`,
        jobWorker,
      )
    })
  }
  await rows(
    `UPDATE delivery
     SET tried_at = tried_at - 61000, due_at = due_at - 61000, look_at = look_at - 61000, created_at = created_at - 61000
     WHERE state IN ('queued', 'sending', 'unconfirmed')`,
  )
  await rows('UPDATE watch SET last_alert_at = last_alert_at - 61000')
  await rows('UPDATE section_group SET asked_at = asked_at - 61000, read_at = read_at - 61000')
  await tick()
}

/** Minutes pass until these people's deliveries are done and no job of theirs is left. */
export async function untilSettled(recipients: readonly number[]): Promise<void> {
  for (let minutes = 0; minutes < 40; minutes += 1) {
    const [row] = await rows<{ deliveries: number; unsettled: number }>(
      `SELECT count(*) AS deliveries, coalesce(sum(state IN ('queued', 'sending', 'unconfirmed')), 0) AS unsettled
       FROM delivery WHERE recipient_id IN (SELECT value FROM json_each(?))`,
      JSON.stringify(recipients),
    )
    if (row && row.deliveries > 0 && row.unsettled === 0 && !(await isBusy())) return
    if (minutes > 0 && (await isBusy())) await scheduler.wait(100)
    else await minuteLater()
    await scheduler.wait(50)
  }
  const deliveries = await rows('SELECT id, state, due_at, last_error FROM delivery ORDER BY id DESC LIMIT 4')
  const lists = await Promise.all((['polls', 'alerts'] as const).map((queue) => ledgerOf(env, queue).list({ size: 5 })))
  const jobs = lists.flatMap((list) => list.jobs.map(({ id, state, attempt, error }) => [id, state, attempt, error]))
  throw new Error(`Not settled: ${JSON.stringify({ deliveries, jobs })}`)
}

/** Whether anything waits or runs, except for its time. */
async function isBusy(): Promise<boolean> {
  const stats = await Promise.all((['polls', 'alerts'] as const).map((queue) => ledgerOf(env, queue).stats()))
  return stats.some(({ counts }) => counts.queued + counts.started > 0)
}

/** The ledger's queue treats its messages in this way until {@link repairQueue}. */
export async function breakQueue(
  queue: 'polls' | 'alerts',
  sendBatch: (messages: MessageSendRequest[]) => Promise<unknown>,
): Promise<void> {
  const binding = queue === 'polls' ? 'POLLS_QUEUE' : 'ALERTS_QUEUE'
  await runInDurableObject(stubOf(queue), (instance: Ledger) => {
    Object.defineProperty(instance, 'env', { value: { ...env, [binding]: { sendBatch } }, configurable: true })
  })
}

export async function repairQueue(queue: 'polls' | 'alerts'): Promise<void> {
  await evictDurableObject(stubOf(queue))
}

export async function loseAlarm(queue: 'polls' | 'alerts'): Promise<void> {
  await runInDurableObject(stubOf(queue), (_, state) => state.storage.deleteAlarm())
  await evictDurableObject(stubOf(queue))
}
