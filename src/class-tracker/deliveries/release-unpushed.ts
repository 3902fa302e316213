import { sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/sqlite-core'
import { names, template, write } from '../../db/query.ts'
import { delivery } from '../../db/schema/index.ts'
import type { Shared } from '../../jobs/together.ts'
import { deliveryHeldUntil } from './of-contact.ts'

const text = alias(delivery, 'text')
const push = alias(delivery, 'push')

/** A push message that ended without being accepted. */
interface EndedPush {
  poll_id: string
  recipient_id: number
  /** ms since epoch */
  now: number
}

/** A text that no longer has to wait. */
interface ReleasedText {
  id: number
  poll_id: string
  address: string
}

/** Found through the recipient, because a poll may have thousands of texts. Quiet hours that have begun since apply. */
function release(ended: string, now: number) {
  const { id, state, dueAt, pollId, recipientId, address } = delivery
  return template(
    { id, poll_id: pollId, recipient_id: recipientId, address },
    (columns) => sql`UPDATE ${delivery} SET ${names(state)} = 'queued', ${names(dueAt)} = min(${dueAt}, ${now})
      WHERE ${id} IN (
        SELECT ${text.id} FROM json_each(${ended}) j
        CROSS JOIN ${delivery} ${text} ON ${text.recipientId} = j.value ->> 1 AND +${text.pollId} = j.value ->> 0
          AND ${text.state} = 'waiting'
        WHERE NOT EXISTS (
          SELECT 1 FROM ${delivery} ${push} WHERE ${push.recipientId} = ${text.recipientId} AND +${push.pollId} = ${text.pollId}
            AND ${push.channel} = 'push' AND ${push.state} NOT IN ('failed', 'gone', 'expired', 'canceled')))
        AND ${deliveryHeldUntil(now)} <= ${now}
      RETURNING ${columns}`,
  )
}

/**
 * When the last of a recipient's push messages about the same openings fails, their texts stop waiting.
 * @returns for each notification the texts to send now; each text is returned once
 */
export const releaseUnpushed: Shared<EndedPush, readonly ReleasedText[]> = async ({ DB }, ended) => {
  const list = ended.map(({ poll_id, recipient_id }) => [poll_id, recipient_id])
  const now = Math.max(...ended.map((one) => one.now))
  const released = new Set((await write(DB, release(JSON.stringify(list), now))).rows)
  return ended.map(({ poll_id, recipient_id }) => {
    const own = [...released].filter((row) => row.poll_id === poll_id && row.recipient_id === recipient_id)
    for (const row of own) released.delete(row)
    return own
  })
}
