import { type AnyJob, type QueueName, queueOfJob } from './job.ts'
import type { EndedAttempt, ClaimedJob, QueueMessage } from './ledger/calls.ts'
import { type Capacity, nameWorker, runAvailable, takeJobs } from './run-available.ts'
import { wakeRunners } from './runners.ts'

import * as z from 'zod/mini'

/** How long a batch keeps asking for jobs beyond its own messages, in ms. */
const ASKING_MS = 60_000

const messageShape = z.object({ job: z.string(), attempt: z.number() })

/** This isolate's name as a worker, given when it first requests a job. */
let isolate: string | null = null

/**
 * Consumes one batch of messages: claims and runs their jobs, then continues with the ledger's other jobs, waking
 * runners if there are many. Every message is acknowledged, whatever happens to its job (the ledger decides on
 * retries), unless the ledger could not be reached.
 */
export async function consume(batch: MessageBatch, env: Env, jobs: readonly AnyJob[]): Promise<void> {
  isolate ??= nameWorker(crypto.randomUUID())
  const worker = isolate
  const askUntil = Date.now() + ASKING_MS
  const queues = Map.groupBy(batch.messages.flatMap(readMessage), ({ queue }) => queue)
  const own = Promise.all(
    [...queues].map(([queue, messages]) =>
      runAvailable(env, queue, jobs, (...asked) => takeFor({ env, queue, worker, messages }, ...asked), askUntil),
    ),
  )
  await Promise.all([own, wakeRunners(env, batch.queue, own, askUntil)])
}

interface ReadMessage {
  queue: QueueName
  body: QueueMessage
  message: Message
}

/** Nothing for a message that names no job, which is acknowledged. */
function readMessage(message: Message): ReadMessage[] {
  const body: QueueMessage | undefined = messageShape.safeParse(message.body).data
  const queue = body ? queueOfJob(body.job) : null
  if (body && queue) return [{ queue, body, message }]
  console.error({ event: 'message_not_understood', message: message.id })
  message.ack()
  return []
}

/** Takes jobs for the next messages; when none are left, as many as may be requested without a message. */
async function takeFor(
  { env, queue, worker, messages }: { env: Env; queue: QueueName; worker: string; messages: ReadMessage[] },
  ended: readonly EndedAttempt[],
  { total, unannounced, running }: Capacity,
): Promise<ClaimedJob[]> {
  const claimed: ClaimedJob[] = []
  let unreported = ended
  do {
    const some = messages.splice(0, total - claimed.length)
    const bodies = some.map(({ body }) => body)
    const taken = claimed.length
    const answer = await takeJobs(env, queue, worker, {
      ended: unreported,
      messages: bodies,
      count: Math.max(0, unannounced - taken),
      running: running + taken,
    })
    for (const { message } of some) {
      if (answer === null) message.retry({ delaySeconds: 10 })
      else message.ack()
    }
    claimed.push(...(answer ?? []))
    unreported = []
  } while (messages.length > 0 && claimed.length < total)
  return claimed
}
