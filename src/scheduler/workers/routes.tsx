import { workersTitle } from '../../../client/islands/scheduler/texts.ts'
import { Hono } from 'hono'
import { showIsland } from '../../web/page/island.tsx'
import { positiveInteger } from '../../web/parse.ts'
import { notFound } from '../../web/refusal.ts'
import type { SiteContext, SiteEnv } from '../../web/site.ts'
import { pathQueue } from '../path-parts.ts'
import type { WorkersProps } from '../contract.ts'
import { readWorker, readWorkers } from './read-workers.ts'

export const workerRoutes = new Hono<SiteEnv>()

workerRoutes.get('/queues/:queue/workers/', async (c) =>
  showWorkers(c, 'QueueWorkers', await readWorkers(c.env, pathQueue(c), includesGone(c))),
)

workerRoutes.get('/workers/', async (c) => showWorkers(c, 'Workers', await readWorkers(c.env, null, includesGone(c))))

workerRoutes.get('/workers/:name/', async (c) => {
  const props = await readWorker(c.env, c.req.param('name'), positiveInteger(c.req.query('p')) ?? 1)
  if (!props) throw notFound('There is no worker with this name.')
  return showIsland(c, 'scheduler/worker', { page: 'Worker', title: `Worker ${props.worker.name}`, props })
})

const includesGone = (c: SiteContext) => c.req.query('gone') === '1'

function showWorkers(c: SiteContext, page: string, props: WorkersProps): Promise<Response> {
  return showIsland(c, 'scheduler/workers', { page, title: workersTitle(props), props })
}
