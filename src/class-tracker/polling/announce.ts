import { enqueue } from '../../jobs/enqueue.ts'
import { ringDeliveries } from '../deliveries/ring-deliveries.ts'
import { sweepAlerts } from '../deliveries/sweep-alerts.ts'
import type { Recorded } from './record-observations.ts'

/** Rings for what was recorded, and plans the release of what is held. Should this fail, the minute sweep makes up for it. */
export async function announce(env: Env, recorded: Recorded): Promise<void> {
  await ringDeliveries(env, recorded.delivery_ids, { priority: 10 })
  for (const at of recorded.held_until) await enqueue(env, sweepAlerts, {}, { key: `sweep:${at}`, at })
}
