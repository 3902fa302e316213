import { withTimeout } from '../lib/time.ts'
import { queueNames, type QueueName } from './job.ts'
import { sessionTag, upgradeRequest, type Viewer } from './ledger/sockets.ts'
import { ledgerOf } from './ledgers.ts'

/** How long ending a session waits for a ledger, in ms. Its sockets close on their own within five minutes. */
const MAX_WAIT_MS = 2000

/**
 * Passes an allowed viewer to the ledger of a queue and returns its answer: 101, or 429 if too many are watching. Rejects
 * without an answer, because a page whose socket neither opens nor fails would not ask for its data either.
 */
export async function openSocket(env: Env, queue: QueueName, viewer: Viewer): Promise<Response> {
  return withTimeout(env.LEDGER.get(env.LEDGER.idFromName(queue)).fetch(upgradeRequest(viewer)))
}

/** Call it after the database says that they may no longer watch, so that they cannot reconnect. Never rejects. */
export async function closeSockets(env: Env, { sessionHashes }: { sessionHashes: readonly string[] }): Promise<void> {
  const tags = sessionHashes.map(sessionTag)
  if (tags.length === 0) return
  const close = (queue: QueueName) =>
    withTimeout(ledgerOf(env, queue).closeSockets(tags), MAX_WAIT_MS).catch((error: unknown) =>
      console.error({ event: 'sockets_not_closed', queue, error: String(error) }),
    )
  await Promise.all(queueNames.map(close))
}
