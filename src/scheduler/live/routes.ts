import { Hono } from 'hono'
import { queueNames, type QueueName } from '../../jobs/job.ts'
import { queueOfJob } from '../../jobs/job-name.ts'
import { closeSockets } from '../../jobs/live/close-sockets.ts'
import { openSocket } from '../../jobs/live/open-socket.ts'
import type { LiveView } from '../../jobs/live/view.ts'
import { forbidden, malformed, notThere, Refusal, signInFirst } from '../../web/refusal.ts'
import type { CurrentSession, SiteContext, SiteEnv } from '../../web/site.ts'
import { registryNames } from '../contract.ts'

/**
 * GET /scheduler/live/?queue= with `registry` or `job`: what changes there, as frames of `contract.ts`. 101 for a superuser's
 * own page; 401 to nobody, 404 to others, 403 to a page of another site, 426 to what is no upgrade.
 */
export const liveRoutes = new Hono<SiteEnv>()

liveRoutes.get('/live/', async (c) => {
  const session = c.get('session')
  const user = c.get('user')
  if (!user || !session) throw signInFirst()
  if (!user.is_superuser) throw notThere()
  if (c.req.header('upgrade')?.toLowerCase() !== 'websocket')
    throw new Refusal(426, ['This address only speaks WebSocket.'], { upgrade: 'websocket', connection: 'Upgrade' })
  // Cookies go along with a socket from any page: only Origin, which no page can set, tells our own.
  if (c.req.header('origin') !== new URL(c.req.url).origin)
    throw forbidden('Forbidden: this request came from another site.')
  const { queue, view } = asked(c)
  const answer = await openSocket(c.env, queue, { userId: user.id, sessionHash: session.idHash, view })
  // Who was signed out while the socket opened was not there yet when the others were closed.
  if (answer.status === 101 && !(await mayStillLook(c.env, session)))
    await closeSockets(c.env, { sessionHashes: [session.idHash] })
  return answer
})

function asked(c: SiteContext): { queue: QueueName; view: LiveView } {
  const queue = queueNames.find((name) => name === c.req.query('queue'))
  if (!queue) throw notThere('There is no queue of this name.')
  const job = c.req.query('job')
  const wanted = c.req.query('registry')
  if (job !== undefined) {
    if (queueOfJob(job) !== queue) throw notThere('There is no job of this name.')
    return { queue, view: { of: 'job', job } }
  }
  if (wanted === undefined) return { queue, view: { of: 'queue' } }
  const registry = registryNames.find((name) => name === wanted)
  if (!registry) throw malformed('There is no such list of jobs.')
  return { queue, view: { of: 'list', registry } }
}

async function mayStillLook(env: Env, session: CurrentSession): Promise<boolean> {
  const row = await env.DB.prepare(
    `SELECT 1 AS may FROM session JOIN user ON user.id = session.user_id
     WHERE id_hash = ? AND expires_at > ? AND is_active AND is_superuser`,
  )
    .bind(session.idHash, Date.now())
    .first()
  return row !== null
}
