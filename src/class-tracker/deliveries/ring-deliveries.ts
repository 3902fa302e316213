import { enqueueMany } from '../../jobs/enqueue.ts'
import { sendDelivery } from './send-delivery.ts'

/**
 * Has deliveries sent; one whose job is alive already joins it. Should this fail, the minute's sweep finds the rows.
 * @param options.priority higher comes first: what somebody waits for, before what was left over
 */
export async function ringDeliveries(
  env: Env,
  ids: readonly number[],
  options: { priority?: number } = {},
): Promise<void> {
  await enqueueMany(
    env,
    sendDelivery,
    ids.map((id) => ({ input: { delivery_id: id }, options: { key: `delivery:${id}`, ...options } })),
  )
}
