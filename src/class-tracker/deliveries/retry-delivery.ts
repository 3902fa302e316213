import { and, type SQL, sql } from 'drizzle-orm'
import { isIn } from '../../db/json-argument.ts'
import { query, type Query, type RowOfFields, writeThenRead } from '../../db/query.ts'
import { delivery, recipient, isFailed } from '../../db/schema/index.ts'
import { type Actor, auditRows } from '../../web/audit.ts'
import { conflict, notFound } from '../../web/refusal.ts'
import { hasDoubt } from '../alerts/seen-open.ts'
import { refuseUnlessSuperuser, type TrackerActor } from '../tracker-actor.ts'
import { queueDeliveries } from './queue-deliveries.ts'

const foundFields = { id: delivery.id, state: delivery.state }
type FoundDelivery = RowOfFields<typeof foundFields>

/**
 * If a failed message may have arrived, the provider is asked first; when it cannot be asked, it is sent once more.
 * @throws forbidden, notFound, conflict when it did not fail
 */
export async function retryDelivery(env: Env, by: TrackerActor, id: number, now: number): Promise<FoundDelivery> {
  const { retried, present } = await retryDeliveries(env, by, [id], now)
  const [row] = present
  if (!row) throw notFound('This message no longer exists.')
  if (retried.length === 0) throw conflict(whyNotRetried(row))
  return row
}

export const whyNotRetried = ({ state }: FoundDelivery): string =>
  `This message is ${state.replaceAll('_', ' ')}: only failed or expired messages can be retried.`

/** The same for many deliveries. @returns those that are sent again, and all that exist @throws forbidden */
export async function retryDeliveries(
  env: Env,
  by: TrackerActor,
  ids: readonly number[],
  now: number,
): Promise<{ retried: FoundDelivery[]; present: FoundDelivery[] }> {
  refuseUnlessSuperuser(by)
  const isNamed = isIn(delivery.id, ids)
  const [retried, present] = await writeThenRead(
    env.DB,
    [auditRetry(isNamed, now, by.audit)],
    query
      .update(delivery)
      .set({
        state: stateAfterRetry(now),
        dueAt: now,
        restartedAt: now,
        attempts: 0,
        isRepeated: false,
        lastError: null,
        // Reports about a copy that did not arrive are not about the next one.
        providerId: sql`iif(${delivery.body} IS NULL, NULL, ${delivery.providerId})`,
        // The next sweep queues it if this call cannot.
        lookAt: null,
      })
      .where(and(isNamed, isFailed))
      .returning(foundFields),
    query.select(foundFields).from(delivery).where(isNamed),
  )
  await queueDeliveries(
    env,
    retried.flatMap(({ id, state }) => (state === 'held' ? [] : [id])),
    `:${now}`,
  )
  return { retried, present }
}

/** One that would be new waits, like a held one, until the school has recently said that the seats are open. */
const stateAfterRetry = (now: number): SQL =>
  sql`iif(${delivery.body} IS NOT NULL, 'unconfirmed', iif(${hasDoubt(now)}, 'held', 'queued'))`

function auditRetry(isNamed: SQL, now: number, actor: Actor): Query {
  return auditRows(
    actor,
    { act: 'retried', area: 'class_tracker', table: 'delivery' },
    sql`SELECT ${delivery.id} AS row_key, ${recipient.name} || ': ' || ${delivery.channel} AS title,
        json_object('state', ${delivery.state}, 'attempts', ${delivery.attempts}, 'last_error', ${delivery.lastError}) AS before,
        json_object('state', ${stateAfterRetry(now)}, 'attempts', 0) AS after
      FROM ${delivery} JOIN ${recipient} ON ${recipient.id} = ${delivery.recipientId}
      WHERE ${isNamed} AND ${isFailed}`,
    now,
  )
}
