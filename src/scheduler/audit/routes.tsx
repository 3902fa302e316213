import { Hono } from 'hono'
import { Island } from '../../web/island.tsx'
import { contextOf } from '../../web/page-context.ts'
import { showPage } from '../../web/page.tsx'
import type { SiteEnv } from '../../web/site.ts'
import { placeOf, readAudit } from './read-audit.ts'

export const auditRoutes = new Hono<SiteEnv>()

auditRoutes.get('/audit/', async (c) => {
  const props = await readAudit(c.env, placeOf(c.req.query('before')))
  const island = 'scheduler/audit'
  const body = <Island name={island} props={props} context={contextOf(c)} />
  return showPage(c, { page: 'Audit', title: 'Who did what', props, body, island })
})
