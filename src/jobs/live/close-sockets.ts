import { queueNames } from '../job.ts'
import { ledgerOf } from '../ledgers.ts'
import { sessionTag, userTag } from './view.ts'

/** Longest that ending a session waits for a ledger, ms. Its sockets end by themselves within five minutes. */
const patience = 2000

/**
 * Closes at once what superusers have open on the scheduler: all of a person's sockets, or those of some sessions. To be
 * called once the database says that they may look no longer, so that none can come back. Never rejects.
 */
export async function closeSockets(
  env: Env,
  whose: { userId: number } | { sessionHashes: readonly string[] },
): Promise<void> {
  const tags = 'userId' in whose ? [userTag(whose.userId)] : whose.sessionHashes.map(sessionTag)
  if (tags.length === 0) return
  const late = scheduler.wait(patience).then(() => Promise.reject(new Error('The ledger did not answer in time.')))
  const closing = queueNames.map((queue) => Promise.race([ledgerOf(env, queue).closeSockets(tags), late]))
  const ends = await Promise.allSettled(closing)
  for (const [index, end] of ends.entries()) {
    if (end.status === 'rejected')
      console.error({ event: 'sockets_not_closed', queue: queueNames[index], error: String(end.reason) })
  }
}
