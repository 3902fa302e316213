import { Hono } from 'hono'
import { showIsland } from '../../web/island.tsx'
import type { SiteEnv } from '../../web/site.ts'
import { placeOf, readAudit } from './read-audit.ts'

export const auditRoutes = new Hono<SiteEnv>()

auditRoutes.get('/audit/', async (c) => {
  const props = await readAudit(c.env, placeOf(c.req.query('before')))
  return showIsland(c, 'scheduler/audit', { page: 'Audit', title: 'Who did what', props })
})
