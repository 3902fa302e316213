import * as z from 'zod/mini'
import { inTime } from '../lib/in-time.ts'
import type { AnyJob, QueueName } from './job.ts'
import { queueOfJob } from './job-name.ts'
import type { QueueMessage, Grant, WorkerName } from './ledger/calls.ts'
import { ledgerOf } from './ledgers.ts'
import { claimSome, nameWorker, runAvailable } from './run-available.ts'
import { wakeRunners } from './wake-runners.ts'

/** How long a batch goes on asking for jobs beyond its own messages, ms. */
const askingMilliseconds = 60_000

const messageShape = z.object({ job: z.string(), attempt: z.number() })

/** This isolate as a worker, named when it first asks for a job. */
let isolate: WorkerName | null = null

/**
 * Takes the messages of one batch: claims the job of each, runs what was granted, and goes on with whatever else the ledger has,
 * with the help of runners where that is much. A message is acknowledged whatever becomes of its job (the ledger decides on
 * retries), except when the ledger could not be reached.
 */
export async function consume(batch: MessageBatch, env: Env, catalogue: { jobs: readonly AnyJob[] }): Promise<void> {
  isolate ??= nameWorker(crypto.randomUUID())
  const by = isolate
  const messages = [...batch.messages]
  const queues = new Set<QueueName>()
  const askUntil = Date.now() + askingMilliseconds

  async function claim(count: number, asked: number): Promise<Grant[]> {
    const grants: Grant[] = []
    while (messages.length > 0 && grants.length < count) {
      const some = messages.splice(0, count - grants.length)
      const answers = await Promise.all(some.map((message) => claimFor(env, message, by)))
      for (const answer of answers) if (answer) queues.add(answer.queue)
      grants.push(...answers.flatMap((answer) => answer?.grant ?? []))
    }
    for (const queue of queues) grants.push(...(await claimSome(env, queue, by, asked - grants.length)))
    return grants
  }

  const own = runAvailable(env, catalogue.jobs, claim, askUntil)
  await Promise.all([own, wakeRunners(env, batch.queue, own, askUntil)])
}

/** Claims the job a message is about; null when the message says nothing or its ledger could not be reached. */
async function claimFor(
  env: Env,
  message: Message,
  by: WorkerName,
): Promise<{ queue: QueueName; grant: Grant | null } | null> {
  const body: QueueMessage | undefined = messageShape.safeParse(message.body).data
  const queue = body ? queueOfJob(body.job) : null
  if (!body || !queue) {
    console.error({ event: 'message_not_understood', message: message.id })
    message.ack()
    return null
  }
  try {
    const answer = await inTime(ledgerOf(env, queue).claim({ ...body, ...by }))
    message.ack()
    return { queue, grant: answer.granted ? answer : null }
  } catch (error) {
    console.warn({ event: 'claim_failed', job: body.job, error: String(error) })
    message.retry({ delaySeconds: 10 })
    return null
  }
}
