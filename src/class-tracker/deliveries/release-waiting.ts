import { sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/sqlite-core'
import { names, template, write } from '../../db/query.ts'
import { delivery, isWaitingOrHeld, recipient } from '../../db/schema/index.ts'
import { queueFound, queueFields } from './queue-deliveries.ts'
import { NEW_MESSAGE_PRIORITY } from './send-delivery.ts'
import { deliveryHeldUntil } from './of-contact.ts'

const other = alias(delivery, 'other')

/** The most texts that one run releases. */
const MAX_TEXTS = 500

/**
 * Ends the wait of due texts: not needed if the alert was seen, held in quiet hours, otherwise sent.
 * @returns the texts to send; `isDone` is false if more may be due
 */
export async function releaseWaiting(env: Env, now: number) {
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
          WHERE ${isWaitingOrHeld} AND ${state} = 'waiting' AND ${dueAt} <= ${now}
          ORDER BY ${dueAt} LIMIT ${MAX_TEXTS})
        RETURNING ${columns}`,
    ),
  )
  const released = rows.filter((row) => row.state === 'queued')
  await queueFound(env, released, NEW_MESSAGE_PRIORITY)
  return { released, isDone: rows.length < MAX_TEXTS }
}
