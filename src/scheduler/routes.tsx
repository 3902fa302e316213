import { Hono } from 'hono'
import { requireSuperuser } from '../accounts/roles.ts'
import type { Schedule } from '../jobs/job.ts'
import type { SiteEnv } from '../web/site.ts'
import { auditRoutes } from './audit.ts'
import { figureRoutes } from './figures/routes.ts'
import { jobRoutes } from './jobs/routes.tsx'
import { listRoutes } from './lists/routes.tsx'
import { liveRoutes } from './live.ts'
import { queueRoutes } from './queues/routes.tsx'
import { workerRoutes } from './workers.tsx'

/** The dashboard of all background jobs. `schedules` are those of the minute cron. */
export function schedulerRoutes(schedules: readonly Schedule[]): Hono<SiteEnv> {
  const scheduler = new Hono<SiteEnv>()
  // Registered before the guard, because a monitor has a token and no session.
  scheduler.route('/', figureRoutes)
  // A refused socket gets a status, not a redirect to the login page.
  scheduler.route('/', liveRoutes)
  scheduler.use('*', requireSuperuser({ area: 'scheduler' }))
  // A queue's own pages come before its registries.
  for (const routes of [queueRoutes(schedules), workerRoutes, listRoutes, jobRoutes, auditRoutes]) {
    scheduler.route('/', routes)
  }
  return scheduler
}
