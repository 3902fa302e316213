import { prepared, query, read, type RowOfFields, parameter } from '../../db/query.ts'
import { delivery } from '../../db/schema/index.ts'
import { enqueueMany } from '../../jobs/enqueue.ts'
import { MAX_MAILS } from '../../notify/email/resend.ts'
import { sendAlertEmails } from './send-alert-emails.ts'
import { deliveryJob, NEW_MESSAGE_PRIORITY, sendDelivery } from './send-delivery.ts'
import { isIn } from '../../db/json-argument.ts'

/** The columns of a delivery that queueing needs. */
export const queueFields = {
  id: delivery.id,
  poll_id: delivery.pollId,
  channel: delivery.channel,
  address: delivery.address,
  state: delivery.state,
  attempts: delivery.attempts,
  batch_key: delivery.batchKey,
  created_at: delivery.createdAt,
}
export type DeliveryToQueue = RowOfFields<typeof queueFields>

const findToQueue = prepared(() =>
  query
    .select(queueFields)
    .from(delivery)
    .where(isIn(delivery.id, parameter('ids'))),
)

/**
 * Queues new deliveries; one with an active job joins it. If this fails, the next minute's sweep finds the rows.
 * @param keySuffix sets its jobs apart from earlier ones, which may be scheduled for later
 */
export async function queueDeliveries(env: Env, ids: readonly number[], keySuffix = ''): Promise<void> {
  if (ids.length === 0) return
  await queueFound(env, await read(env.DB, findToQueue({ ids: JSON.stringify(ids) })), NEW_MESSAGE_PRIORITY, keySuffix)
}

/** The same for deliveries already read. First tries of a flow's emails share requests if the provider allows it. */
export async function queueFound(
  env: Env,
  deliveries: readonly DeliveryToQueue[],
  priority = 0,
  keySuffix = '',
): Promise<void> {
  const first = deliveries.filter((one) => isFirstMail(one, env))
  // A single email of its flow needs no batch request.
  const flows = [...Map.groupBy(first, ({ poll_id }) => poll_id)].filter(([, mails]) => mails.length > 1)
  const shared = new Set(flows.flatMap(([, mails]) => mails))
  const own = deliveries.filter((one) => one.batch_key === null && !shared.has(one))
  await enqueueMany(env, sendAlertEmails, [...batchJobs(deliveries, priority), ...flowJobs(flows, priority, keySuffix)])
  const ownJobs = own.map((one) => deliveryJob(one, { priority }, keySuffix))
  await enqueueMany(env, sendDelivery, ownJobs)
}

/** One job for each request that the provider may have accepted. */
function batchJobs(deliveries: readonly DeliveryToQueue[], priority: number) {
  const batches = new Map(
    deliveries.flatMap(({ batch_key, poll_id }) => (batch_key === null ? [] : [[batch_key, poll_id] as const])),
  )
  return [...batches].map(([batch_key, poll_id]) => ({
    input: { poll_id, batch_key },
    options: { key: `mail-batch:${batch_key}`, priority },
  }))
}

/** One job for each request that the flow's first tries need; each continues until none are left. */
function flowJobs(flows: readonly [string, DeliveryToQueue[]][], priority: number, keySuffix: string) {
  return flows.flatMap(([poll_id, mails]) =>
    Array.from({ length: Math.ceil(mails.length / MAX_MAILS) }, (_, number) => ({
      input: { poll_id },
      // One such job carries as many messages as a hundred others.
      options: { key: `mails:${poll_id}:${number}${keySuffix}`, priority: priority + 1 },
    })),
  )
}

/** Not one that may have arrived, which a person's Retry sends on its own. */
function isFirstMail({ channel, state, attempts, batch_key }: DeliveryToQueue, env: Env): boolean {
  const isFirst = state !== 'unconfirmed' && attempts === 0 && batch_key === null
  return channel === 'email' && isFirst && env.MAIL_PROVIDER === 'resend'
}
