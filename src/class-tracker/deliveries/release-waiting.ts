import { type SQL, sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/sqlite-core'
import * as z from 'zod/mini'
import { names, template, write } from '../../db/query.ts'
import { delivery, isWaitingOrHeld, recipient } from '../../db/schema/index.ts'
import { defineJob, runAgain } from '../../jobs/job.ts'
import { queueFound, queueFields } from './queue-deliveries.ts'
import { NEW_MESSAGE_PRIORITY } from './send-delivery.ts'
import { deliveryHeldUntil } from './of-contact.ts'

const other = alias(delivery, 'other')

/** The most texts that one run releases. */
const MAX_TEXTS = 500

/** Sends a poll's texts whose notification no one saw. If the job is lost, the next minute's sweep does it. */
export const releaseWaitingTexts = defineJob({
  name: 'release-waiting-texts',
  queue: 'alerts',
  input: z.object({ poll_id: z.string() }),
  limit: { attempts: 3, run_seconds: 15, retry_seconds: [2] },
  async run({ env, now }, { poll_id }) {
    const { released, isDone } = await releaseWaiting(env, now(), sql`${delivery.pollId} = ${poll_id}`)
    return isDone ? { released: released.length } : runAgain(now(), { poll_id })
  },
})

/**
 * Ends the wait of due texts: not needed if the alert was seen, held in quiet hours, otherwise sent.
 * @param among a condition; default: all texts
 * @returns the texts to send; `isDone` is false if more may be due
 */
export async function releaseWaiting(env: Env, now: number, among: SQL = sql`true`) {
  const { id, state, dueAt, restartedAt, pollId, recipientId, seenAt } = delivery
  const until = deliveryHeldUntil(now)
  const wasSeen = sql`EXISTS (SELECT 1 FROM ${delivery} ${other} WHERE ${other.pollId} = ${pollId}
    AND ${other.recipientId} = ${recipientId} AND ${other.seenAt} IS NOT NULL
    AND EXISTS (SELECT 1 FROM ${recipient} WHERE ${recipient.id} = ${recipientId} AND NOT ${recipient.isSmsAtOnce}))`
  const { rows } = await write(
    env.DB,
    template(
      { ...queueFields, seen_at: seenAt },
      (columns) => sql`UPDATE ${delivery}
        SET ${names(state)} = iif(${wasSeen}, 'not_needed', iif(${until} > ${now}, 'held', 'queued')),
          ${names(dueAt)} = max(${now}, ${until}), ${names(restartedAt)} = iif(${until} > ${now}, ${until}, ${restartedAt})
        WHERE ${id} IN (SELECT ${id} FROM ${delivery}
          WHERE ${isWaitingOrHeld} AND ${state} = 'waiting' AND ${dueAt} <= ${now} AND ${among}
          ORDER BY ${dueAt} LIMIT ${MAX_TEXTS})
        RETURNING ${columns}`,
    ),
  )
  const released = rows.filter((row) => row.state === 'queued')
  await queueFound(env, released, NEW_MESSAGE_PRIORITY)
  return { released, isDone: rows.length < MAX_TEXTS }
}
