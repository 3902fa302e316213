import { enqueue, enqueueMany } from '../../jobs/enqueue.ts'
import { sendDelivery } from '../deliveries/send-delivery.ts'
import { sweepAlerts } from '../sweep/sweep-alerts.ts'
import type { Recorded } from './record-observations.ts'

/** Rings for what was recorded, and plans the release of what is held. Should this fail, the minute sweep makes up for it. */
export async function announce(env: Env, recorded: Recorded): Promise<void> {
  await enqueueMany(
    env,
    sendDelivery,
    recorded.delivery_ids.map((id) => ({
      input: { delivery_id: id },
      options: { key: `delivery:${id}`, priority: 10 },
    })),
  )
  for (const at of recorded.held_until) await enqueue(env, sweepAlerts, {}, { key: `sweep:${at}`, at })
}
