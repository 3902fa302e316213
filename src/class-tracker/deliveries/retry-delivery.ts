import { enqueue } from '../../jobs/enqueue.ts'
import { conflict, notThere } from '../../web/refusal.ts'
import { sendDelivery } from './send-delivery.ts'

/**
 * The Retry button: a failed delivery gets all its tries anew. One that may have arrived asks the provider first, and when
 * the provider cannot be asked, goes out once more.
 * @throws notThere, conflict when it has not failed
 */
export async function retryDelivery(env: Env, id: number, now: number): Promise<{ id: number; state: string }> {
  const [retried, present] = await env.DB.batch<{ state: string }>([
    env.DB.prepare(
      `UPDATE delivery
       SET state = iif(body IS NULL, 'queued', 'unconfirmed'), due_at = ?, attempts = 0, is_repeated = 0, last_error = NULL
       WHERE id = ? AND state = 'failed' RETURNING state`,
    ).bind(now, id),
    env.DB.prepare('SELECT state FROM delivery WHERE id = ?').bind(id),
  ])
  const row = present?.results[0]
  if (!row) throw notThere('This message is no longer there.')
  if (retried?.results.length !== 1) throw conflict(`This message is ${row.state}: only a failed one can be retried.`)
  // Should this fail, the minute's sweep finds the row.
  await enqueue(env, sendDelivery, { delivery_id: id }, { key: `delivery:${id}`, priority: 10 })
  return { id, state: row.state }
}
