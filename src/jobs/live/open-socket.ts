import type { QueueName } from '../job.ts'
import { upgradeRequest, type Viewer } from './view.ts'

/** Hands an allowed viewer over to the ledger of a queue; its answer is the browser's: 101, or 429 when too many look. */
export async function openSocket(env: Env, queue: QueueName, viewer: Viewer): Promise<Response> {
  return env.LEDGER.get(env.LEDGER.idFromName(queue)).fetch(upgradeRequest(viewer))
}
