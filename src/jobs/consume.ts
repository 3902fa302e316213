import * as z from 'zod'
import type { AnyJob, QueueName } from './job.ts'
import { queueOfJob } from './job-name.ts'
import type { Bell, Grant, WorkerName } from './ledger-calls.ts'
import { ledgerOf } from './ledgers.ts'
import { inTime } from '../lib/in-time.ts'
import { runJob } from './run-job.ts'

/** Jobs one batch runs at a time. */
const lanes = 6
/** How long a batch goes on asking for jobs beyond its own messages, ms. */
const askingMilliseconds = 60_000
/** Jobs one batch begins at most: an invocation may ask D1 a thousand times, and a job rarely needs ten of them. */
const mostJobs = 100
/** How often it looks for new jobs while some of its own still run, ms. */
const lookMilliseconds = 500

const bellShape = z.object({ job: z.string(), attempt: z.number() })

let isolateName: string | null = null

/** This isolate's name as a worker, made when it first asks for a job. */
function workerName(): WorkerName {
  isolateName ??= `worker-${crypto.randomUUID().slice(0, 13)}`
  return { worker: isolateName, location: null }
}

/**
 * Answers the doorbells of one batch: claims each job, runs what was granted, six at a time, and goes on with whatever else
 * the ledger has, so that a full queue drains without waiting for the next message. A message is acknowledged whatever
 * becomes of its job (the ledger decides on retries), except when the ledger could not be reached.
 */
export async function consume(batch: MessageBatch, env: Env, catalogue: { jobs: readonly AnyJob[] }): Promise<void> {
  const by = workerName()
  const messages = [...batch.messages]
  const queues = new Set<QueueName>()
  const askUntil = Date.now() + askingMilliseconds
  const running = new Set<Promise<void>>()
  let begun = 0

  async function nextGrants(free: number): Promise<Grant[]> {
    const answers = await Promise.all(messages.splice(0, free).map((message) => claimFor(env, message, by)))
    for (const answer of answers) if (answer) queues.add(answer.queue)
    const grants = answers.flatMap((answer) => answer?.grant ?? [])
    const wanted = Math.min(free, mostJobs - begun) - grants.length
    const isAsking = messages.length === 0 && wanted > 0 && Date.now() < askUntil
    return isAsking ? [...grants, ...(await claimSome(env, queues, by, wanted))] : grants
  }

  for (;;) {
    const free = lanes - running.size
    const grants = free > 0 ? await nextGrants(free) : []
    begun += grants.length
    for (const grant of grants) {
      const job = catalogue.jobs.find(({ name }) => name === grant.task)
      const run = runJob(env, grant, job).finally(() => running.delete(run))
      running.add(run)
    }
    if (grants.length > 0 || (free > 0 && messages.length > 0)) continue
    if (running.size === 0) return
    await Promise.race([...running, ...(free > 0 ? [scheduler.wait(lookMilliseconds)] : [])])
  }
}

/** Claims the job a message is about; null when the message says nothing or its ledger could not be reached. */
async function claimFor(
  env: Env,
  message: Message,
  by: WorkerName,
): Promise<{ queue: QueueName; grant: Grant | null } | null> {
  const bell: Bell | undefined = bellShape.safeParse(message.body).data
  const queue = bell ? queueOfJob(bell.job) : null
  if (!bell || !queue) {
    console.error({ event: 'message_not_understood', message: message.id })
    message.ack()
    return null
  }
  try {
    const answer = await inTime(ledgerOf(env, queue).claim({ ...bell, ...by }))
    message.ack()
    return { queue, grant: answer.granted ? answer : null }
  } catch (error) {
    console.warn({ event: 'claim_failed', job: bell.job, error: String(error) })
    message.retry({ delaySeconds: 10 })
    return null
  }
}

/** Claims whatever is next in the ledgers this batch belongs to, `count` jobs at most. */
async function claimSome(env: Env, queues: ReadonlySet<QueueName>, by: WorkerName, count: number): Promise<Grant[]> {
  const grants: Grant[] = []
  for (const queue of queues) {
    try {
      if (grants.length < count)
        grants.push(...(await inTime(ledgerOf(env, queue).claimNext(by, count - grants.length))))
    } catch (error) {
      console.warn({ event: 'claim_failed', queue, error: String(error) })
    }
  }
  return grants
}
