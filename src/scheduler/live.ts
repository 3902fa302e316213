import { and, eq, gt } from 'drizzle-orm'
import { Hono } from 'hono'
import { query, readFirst } from '../db/query.ts'
import { session, user } from '../db/schema/index.ts'
import { beginSession } from '../db/session.ts'
import { type QueueName, queueOfJob } from '../jobs/job.ts'
import { closeSockets, openSocket } from '../jobs/ledgers.ts'
import { forbidden, notFound, Refusal, tooMany, unauthorized } from '../web/refusal.ts'
import type { CurrentSession, SiteContext, SiteEnv } from '../web/site.ts'
import { askLedger } from './ask-ledgers.ts'
import { queueByName } from './path-parts.ts'

/**
 * GET /scheduler/live/?queue=, perhaps with `job`: a WebSocket that says `changed`, at most once a second, when a
 * page of that queue (or of that job) should ask for its data again. 101 for a superuser's own page; 401 for visitors,
 * 404 for other users, 403 for a page of another site, 426 without an upgrade, 429 if too many are watching, and 504 if
 * the queue does not answer; their pages then poll.
 */
export const liveRoutes = new Hono<SiteEnv>()

liveRoutes.get('/live/', async (c) => {
  const session = c.get('session')
  const user = c.get('user')
  if (!user || !session) throw unauthorized()
  if (!user.is_superuser) throw notFound()
  if (c.req.header('upgrade')?.toLowerCase() !== 'websocket')
    throw new Refusal(426, ['This address only accepts WebSocket connections.'], {
      headers: { upgrade: 'websocket', connection: 'Upgrade' },
    })
  // Browsers send cookies with a socket from any page, so only Origin, which no page can set, identifies our own.
  if (c.req.header('origin') !== new URL(c.req.url).origin)
    throw forbidden('Forbidden: this request came from another site.')
  const { queue, job } = watchedBy(c)
  const answer = await askLedger(c.env, queue, () => openSocket(c.env, queue, { sessionHash: session.idHash, job }))
  if (answer.status === 429)
    throw tooMany(60, `Too many pages watch the queue ${queue}. This page asks every few seconds instead.`)
  // If the person was logged out while the socket opened, it was not open yet when the others were closed.
  if (answer.status === 101 && !(await mayStillWatch(c.env, session)))
    await closeSockets(c.env, { sessionHashes: [session.idHash] })
  return answer
})

/** A list shows its whole queue's figures, so it changes with its queue. */
function watchedBy(c: SiteContext): { queue: QueueName; job: string | null } {
  const queue = queueByName(c.req.query('queue'))
  const job = c.req.query('job') ?? null
  if (job !== null && queueOfJob(job) !== queue) throw notFound('There is no job with this name.')
  return { queue, job }
}

/** Asks the primary, because a copy may not know what happened while the socket opened. */
async function mayStillWatch(env: Env, current: CurrentSession): Promise<boolean> {
  const row = await readFirst(
    beginSession(env.DB, 'first-primary'),
    query
      .select({ id: user.id })
      .from(session)
      .innerJoin(user, eq(user.id, session.userId))
      .where(
        and(
          eq(session.idHash, current.idHash),
          gt(session.expiresAt, Date.now()),
          eq(user.isActive, true),
          eq(user.isSuperuser, true),
        ),
      ),
  )
  return row !== null
}
