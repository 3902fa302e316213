import { Hono } from 'hono'
import { flash } from '../../web/session/flash.ts'
import { contextOf, showPage } from '../../web/page/page.tsx'
import { formOf, pathId, queryPage, textField } from '../../web/parse.ts'
import { badRequest } from '../../web/refusal.ts'
import type { SiteEnv } from '../../web/site.ts'
import { managersOnly } from '../access.ts'
import { ReportsPage } from '../pages/reports.tsx'
import { requireMember } from '../viewer.ts'
import { handleReport, openReport, type ReportOutcome } from './handle-report.ts'
import { listReports } from './list-reports.ts'
import { Button, LinkButton } from '../../../client/components/button.tsx'
import { PostForm } from '../../../client/components/post-form.tsx'
import { pageQuery } from '../../web/pagination.ts'

const reportsPath = '/classcords/reports/'
const outcomes: readonly ReportOutcome[] = ['dismissed', 'unlisted']

export const reportRoutes = new Hono<SiteEnv>()

reportRoutes.get('/reports/', managersOnly, async (c) => {
  const props = await listReports(c.env, requireMember(c), queryPage(c))
  const body = <ReportsPage props={props} context={contextOf(c)} />
  return showPage(c, { page: 'Reports', title: 'Reported servers', props, body })
})

reportRoutes.post('/reports/:report_id/', managersOnly, async (c) => {
  const reportId = pathId(c, 'report_id')
  const typed = textField(await formOf(c), 'outcome')
  const outcome = outcomes.find((one) => one === typed)
  if (outcome === undefined) throw badRequest('Choose what to do with the server.')
  const { name, is_listed } = await handleReport(c.env.DB, requireMember(c), { reportId, outcome }, Date.now())
  const kept = is_listed ? `${name} stays listed.` : `The report about ${name} was closed.`
  flash(c, 'success', outcome === 'unlisted' ? `${name} was removed from the list.` : kept)
  return c.redirect(reportsPath + pageQuery(queryPage(c)), 303)
})

reportRoutes.get('/reports/:report_id/remove/', managersOnly, async (c) => {
  const reportId = pathId(c, 'report_id')
  const { server, reason } = await openReport(c.env.DB, requireMember(c), reportId)
  const query = pageQuery(queryPage(c))
  const body = (
    <div className="medium stack">
      <h1>
        Remove <bdi>{server}</bdi> from the list?
      </h1>
      <PostForm
        context={contextOf(c)}
        action={`/classcords/reports/${reportId}/${query}`}
        className="card card-body stack"
      >
        <p>Its open reports are closed, and only a superuser can list it again.</p>
        <p className="notes">{reason}</p>
        <p className="row">
          <Button kind="danger" type="submit" name="outcome" value="unlisted">
            Remove server
          </Button>
          <LinkButton href={reportsPath + query}>Go back</LinkButton>
        </p>
      </PostForm>
    </div>
  )
  return showPage(c, { page: 'RemoveServer', title: `Remove ${server}`, props: { server, reason }, body })
})
