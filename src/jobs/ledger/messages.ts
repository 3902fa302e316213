import { and, count, desc, eq, isNotNull, isNull, lte, min, not, or, sql } from 'drizzle-orm'
import { union } from 'drizzle-orm/sqlite-core'
import { runIn } from '../../db/own-database.ts'
import { constant, parameter, parameters, prepared, query, template } from '../../db/query.ts'
import type { QueueName } from '../job.ts'
import type { QueueMessage } from './calls.ts'
import { changing } from './rows.ts'
import { isPaused, readValue, readSettings, writeValue } from './settings.ts'
import { scalar, type Transaction } from './sql.ts'
import { inState, job } from './tables.ts'
import { chunk } from '../../lib/collections.ts'
import { withTimeout } from '../../lib/time.ts'
import { isIn } from '../../db/json-argument.ts'

/** A message that no one claimed is sent again after this time, in ms. */
const UNCLAIMED_MS = 60_000

/** Whether a queued job has a message that was not claimed yet. */
export const isSent = and(inState('queued'), isNotNull(job.sent_at))

const expireSent = prepared(() =>
  query
    .update(job)
    .set({ sent_at: null })
    .where(and(isSent, lte(job.sent_at, parameter('at')))),
)

const countSent = prepared(() => query.select({ value: count() }).from(job).where(isSent))

const findUnsent = prepared(() => {
  const isFree = not(isIn(job.exclusive_name, parameter('taken')))
  return query
    .select({ seq: job.seq, id: job.id, attempt: job.attempt, exclusive_name: job.exclusive_name })
    .from(job)
    .where(and(inState('queued'), isNull(job.sent_at), or(isNull(job.exclusive_name), isFree)))
    .orderBy(desc(job.priority), job.due_at, job.seq)
    .limit(sql.placeholder('limit'))
})

const markSent = changing({ sent_at: parameter('now') })

/**
 * The messages to send now, which are marked as sent: as many as the setting allows before they are claimed, refilled
 * once half are claimed, so that a busy queue gets its messages in batches. Held jobs get none, because they would be
 * refused.
 */
export function takeMessages(tx: Transaction): QueueMessage[] {
  const { sql: db, now } = tx
  if (isPaused(tx) || (readValue(tx, 'send_after') ?? 0) > now) return []
  runIn(db, expireSent({ at: now - UNCLAIMED_MS }))
  const { ahead } = readSettings(tx)
  const waiting = scalar(db, countSent()) ?? 0
  if (waiting > ahead / 2) return []
  const messages: QueueMessage[] = []
  const taken = new Set(namesTaken(tx))
  while (messages.length < ahead - waiting) {
    const limit = ahead - waiting - messages.length
    const candidates = runIn(db, findUnsent({ taken: JSON.stringify([...taken]), limit }))
    if (candidates.length === 0) break
    for (const { seq, id, attempt, exclusive_name } of candidates) {
      if (exclusive_name !== null && taken.has(exclusive_name)) continue
      if (exclusive_name !== null) taken.add(exclusive_name)
      runIn(db, markSent({ now, seq }))
      messages.push({ job: id, attempt })
    }
  }
  return messages
}

const findTaken = prepared(() => {
  const select = () => query.select({ name: job.exclusive_name }).from(job)
  const isExclusive = isNotNull(job.exclusive_name)
  return union(select().where(and(inState('started'), isExclusive)), select().where(and(isSent, isExclusive)))
})

/** Exclusive names of jobs that are running, or have a message and will run soon; another job would only be refused. */
function namesTaken(tx: Transaction): (string | null)[] {
  return runIn(tx.sql, findTaken()).map(({ name }) => name)
}

const markUnsent = prepared(() =>
  query
    .update(job)
    .set({ sent_at: null })
    .where(and(eq(job.id, parameter('job')), eq(job.attempt, parameter('attempt')), inState('queued'))),
)

/** Records messages that could not be sent: they are sent again after `until` (ms). */
export function returnMessages(tx: Transaction, messages: readonly QueueMessage[], until: number): void {
  for (const message of messages) runIn(tx.sql, markUnsent({ ...message }))
  writeValue(tx, 'send_after', until)
}

const findWakeUp = prepared(() => {
  const { sendsFrom, waitsUntil } = parameters('sendsFrom', 'waitsUntil')
  // While sends fail, no message is sent before the pause is over, so nothing can happen earlier.
  return template(
    { value: sql<number | null>`min(at)` },
    (columns) => sql`SELECT ${columns} FROM (
      SELECT ${min(job.due_at)} AS at FROM ${job} WHERE ${inState('scheduled')}
      UNION ALL SELECT ${min(job.lease_until)} FROM ${job} WHERE ${inState('started')}
      UNION ALL SELECT max(${min(job.sent_at)} + ${constant(UNCLAIMED_MS)}, ${sendsFrom}) FROM ${job} WHERE ${isSent}
      UNION ALL SELECT ${waitsUntil})`,
  )
})

/** When the ledger must wake up on its own, ms since epoch; null if nothing can become due. */
export function nextWakeUp(tx: Transaction): number | null {
  const sendsFrom = readValue(tx, 'send_after') ?? 0
  const isWaiting = sendsFrom > tx.now && !isPaused(tx)
  return scalar(tx.sql, findWakeUp({ sendsFrom, waitsUntil: isWaiting ? sendsFrom : null }))
}

/** The most a batch may hold, by the platform's limits. */
const BATCH_SIZE = 100

/**
 * Sends the messages; returns those that may not have been sent. A send has been seen to hang for a minute
 * (workerd#6053); since a message costs little, the send is given up sooner and repeated.
 */
export async function sendMessages(
  env: Env,
  queue: QueueName,
  messages: readonly QueueMessage[],
): Promise<QueueMessage[]> {
  const binding: Queue = env[`${queue.toUpperCase() as Uppercase<QueueName>}_QUEUE`]
  const unsent: QueueMessage[] = []
  for (const batch of chunk(messages, BATCH_SIZE)) {
    try {
      await withTimeout(binding.sendBatch(batch.map((body) => ({ body }))))
    } catch (error) {
      console.warn({ event: 'messages_not_sent', queue, messages: batch.length, error: String(error) })
      unsent.push(...batch)
    }
  }
  return unsent
}
