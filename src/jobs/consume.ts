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
      const byQueue = Map.groupBy(messages.splice(0, count - grants.length), queueOfMessage)
      for (const [queue, some] of byQueue) {
        if (queue === null) continue
        queues.add(queue)
        grants.push(...(await claimFor(env, queue, some, by)))
      }
    }
    for (const queue of queues) grants.push(...(await claimSome(env, queue, by, asked - grants.length)))
    return grants
  }

  const own = runAvailable(env, catalogue.jobs, claim, askUntil)
  await Promise.all([own, wakeRunners(env, batch.queue, own, askUntil)])
}

/** The queue that a message belongs to; null for one that says nothing, which is acknowledged. */
function queueOfMessage(message: Message): QueueName | null {
  const body = bodyOf(message)
  const queue = body ? queueOfJob(body.job) : null
  if (queue === null) {
    console.error({ event: 'message_not_understood', message: message.id })
    message.ack()
  }
  return queue
}

const bodyOf = (message: Message): QueueMessage | undefined => messageShape.safeParse(message.body).data

/** Claims the jobs that messages are about; none when their ledger could not be reached. */
async function claimFor(env: Env, queue: QueueName, messages: readonly Message[], by: WorkerName): Promise<Grant[]> {
  try {
    const bodies = messages.flatMap((message) => bodyOf(message) ?? [])
    const answers = await inTime(ledgerOf(env, queue).claim(bodies, by))
    for (const message of messages) message.ack()
    return answers.filter((answer) => answer.granted)
  } catch (error) {
    console.warn({ event: 'claim_failed', queue, messages: messages.length, error: String(error) })
    for (const message of messages) message.retry({ delaySeconds: 10 })
    return []
  }
}
