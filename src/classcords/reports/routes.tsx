import { Hono } from 'hono'
import { flash } from '../../web/flash.ts'
import { contextOf } from '../../web/page-context.ts'
import { showPage } from '../../web/page.tsx'
import { formOf, pathId, textField } from '../../web/parse.ts'
import { malformed } from '../../web/refusal.ts'
import type { SiteEnv } from '../../web/site.ts'
import { managersOnly } from '../access.ts'
import { memberOf } from '../viewer.ts'
import { handleReport, type Outcome } from './handle-report.ts'
import { listReports } from './list-reports.ts'
import { ReportsPage } from './page.tsx'

const reportsPath = '/classcords/reports/'
const outcomes: readonly Outcome[] = ['dismissed', 'unlisted']

/** Reports from members, for managers. */
export const reportRoutes = new Hono<SiteEnv>()

reportRoutes.get('/reports/', managersOnly, async (c) => {
  const props = await listReports(c.env, memberOf(c))
  const body = <ReportsPage props={props} context={contextOf(c)} />
  return showPage(c, { page: 'Reports', title: 'Reported servers', props, body })
})

reportRoutes.post('/reports/:report_id/', managersOnly, async (c) => {
  const reportId = pathId(c, 'report_id')
  const typed = textField(await formOf(c), 'outcome')
  const outcome = outcomes.find((one) => one === typed)
  if (outcome === undefined) throw malformed('Choose what to do with the server.')
  const name = await handleReport(c.env.DB, memberOf(c), { reportId, outcome }, Date.now())
  flash(c, 'success', outcome === 'unlisted' ? `${name} was removed from the list.` : `${name} stays listed.`)
  return c.redirect(reportsPath, 303)
})
