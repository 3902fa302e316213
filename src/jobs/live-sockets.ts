import { queueNames, type QueueName } from './job.ts'
import { sessionTag, upgradeRequest, userTag, type Viewer } from './ledger/sockets.ts'
import { ledgerOf } from './ledgers.ts'

/** Longest that ending a session waits for a ledger, ms. Its sockets end by themselves within five minutes. */
const MAX_WAIT_MS = 2000

/** Hands an allowed viewer over to the ledger of a queue; its answer is the browser's: 101, or 429 when too many watch. */
export async function openSocket(env: Env, queue: QueueName, viewer: Viewer): Promise<Response> {
  return env.LEDGER.get(env.LEDGER.idFromName(queue)).fetch(upgradeRequest(viewer))
}

/**
 * Closes at once the sockets of superusers' scheduler pages: all of a person's, or those of some sessions. To be called once
 * the database says that they may watch no longer, so that none can come back. Never rejects.
 */
export async function closeSockets(
  env: Env,
  whose: { userId: number } | { sessionHashes: readonly string[] },
): Promise<void> {
  const tags = 'userId' in whose ? [userTag(whose.userId)] : whose.sessionHashes.map(sessionTag)
  if (tags.length === 0) return
  const late = scheduler.wait(MAX_WAIT_MS).then(() => Promise.reject(new Error('The ledger did not answer in time.')))
  const closing = queueNames.map((queue) => Promise.race([ledgerOf(env, queue).closeSockets(tags), late]))
  const ends = await Promise.allSettled(closing)
  for (const [index, ended] of ends.entries()) {
    if (ended.status === 'rejected')
      console.error({ event: 'sockets_not_closed', queue: queueNames[index], error: String(ended.reason) })
  }
}
