import type { Actor } from '../../web/audit.ts'
import { auditRows } from '../../web/audit-rows.ts'
import { conflict, notThere } from '../../web/refusal.ts'
import { ringDeliveries } from './ring-deliveries.ts'

interface Standing {
  id: number
  state: string
}

/**
 * The Retry button: a delivery that failed or became too old gets its time anew. One that may have arrived asks the provider first, and when
 * the provider cannot be asked, goes out once more.
 * @param actor who asks, for the audit
 * @throws notThere, conflict when it has not ended so
 */
export async function retryDelivery(env: Env, id: number, now: number, actor?: Actor): Promise<Standing> {
  const { retried, present } = await retryDeliveries(env, [id], now, actor)
  const [row] = present
  if (!row) throw notThere('This message is no longer there.')
  if (retried.length === 0)
    throw conflict(`This message is ${row.state}: only one that failed or became too old can be retried.`)
  return row
}

/** The same for many at once: those of them that are there now, and those that are sent again. */
export async function retryDeliveries(
  env: Env,
  ids: readonly number[],
  now: number,
  actor?: Actor,
): Promise<{ retried: Standing[]; present: Standing[] }> {
  const list = JSON.stringify(ids)
  const results = await env.DB.batch<Standing>([
    ...(actor ? [auditRetry(env.DB, list, now, actor)] : []),
    env.DB.prepare(
      `UPDATE delivery
       SET state = ${stateAnew}, due_at = ?1, asked_at = ?1, attempts = 0, is_repeated = 0, last_error = NULL
       WHERE id IN (SELECT value FROM json_each(?2)) AND state IN ${retriedStates} RETURNING id, state`,
    ).bind(now, list),
    env.DB.prepare('SELECT id, state FROM delivery WHERE id IN (SELECT value FROM json_each(?))').bind(list),
  ])
  const [retried = [], present = []] = results.slice(-2).map((result) => result.results)
  await ringDeliveries(
    env,
    retried.map(({ id }) => id),
    { priority: 10 },
  )
  return { retried, present }
}

/** States that a person may send again. */
const retriedStates = `('failed', 'expired')`
const stateAnew = `iif(body IS NULL, 'queued', 'unconfirmed')`

function auditRetry(db: D1Database, list: string, now: number, actor: Actor): D1PreparedStatement {
  return auditRows(
    db,
    actor,
    { act: 'retried', area: 'class_tracker', table: 'delivery' },
    {
      sql: `SELECT d.id AS row_key, r.name || ': ' || d.channel AS title,
          json_object('state', d.state, 'attempts', d.attempts, 'last_error', d.last_error) AS before,
          json_object('state', ${stateAnew}, 'attempts', 0) AS after
        FROM delivery d JOIN recipient r ON r.id = d.recipient_id
        WHERE d.id IN (SELECT value FROM json_each(?)) AND d.state IN ${retriedStates}`,
      values: [list],
    },
    now,
  )
}
