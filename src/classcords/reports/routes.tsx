import { Hono } from 'hono'
import { sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/sqlite-core'
import { flash } from '../../web/session/flash.ts'
import { contextOf, showPage } from '../../web/page/page.tsx'
import { formOf, pathId, queryPage, textField } from '../../web/parse.ts'
import { paginate } from '../../web/pagination.ts'
import { badRequest } from '../../web/refusal.ts'
import type { SiteEnv } from '../../web/site.ts'
import { managersOnly } from '../access.ts'
import { type DirectoryActor, requireMember, refuseUnlessReviewer } from '../viewer.ts'
import { handleReport, openReport, type Outcome } from './handle-report.ts'
import { Button, LinkButton } from '../../../client/components/button.tsx'
import { EmptyState } from '../../../client/components/empty-state.tsx'
import { PageHead } from '../../../client/components/page-head.tsx'
import { PostForm } from '../../../client/components/post-form.tsx'
import { Pagination } from '../../../client/components/pagination.tsx'
import { AbsoluteTime } from '../../../client/components/relative-time.tsx'
import { counted } from '../../../client/components/count-text.ts'
import { serverHref } from '../../../client/islands/classcords/server-text.ts'
import type { PageContext } from '../../web/contract.ts'
import type { ReportsProps } from '../contract.ts'
import { pageOffset, prepared, read, template, parameter } from '../../db/query.ts'
import { discordServer, discordUser, serverReport } from '../../db/schema/index.ts'
import { iso } from '../../lib/time.ts'
import { isListed, serverName } from '../servers/server-row.ts'

const reportsPath = '/classcords/reports/'
const pageQuery = (page: number) => (page > 1 ? `?page=${page}` : '')
const outcomes: readonly Outcome[] = ['dismissed', 'unlisted']

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

/** Reports waiting for a manager. Needs no script. */
function ReportsPage({ props, context }: { props: ReportsProps; context: PageContext }) {
  const { reports, report_count: count, pagination } = props
  return (
    <div className="stack">
      <PageHead title="Reported servers" about="Reports from members, oldest first">
        {count > 0 && <p className="muted">{counted(count, 'open report')}</p>}
      </PageHead>
      {reports.length === 0 ? (
        <div className="card">
          <EmptyState title="No open reports">
            <p>Every report has been handled.</p>
          </EmptyState>
        </div>
      ) : (
        <ul className="stack">
          {reports.map(({ id, reason, reporter, server, datetime_created: created }) => (
            <li key={id} className="card card-body stack">
              <h2>
                {server.is_listed ? (
                  <a href={serverHref(server)}>
                    <bdi>{server.display_name}</bdi>
                  </a>
                ) : (
                  <bdi>{server.display_name}</bdi>
                )}
              </h2>
              {!server.is_listed && (
                <p>
                  {server.is_active
                    ? 'This server is not listed, because none of its invites works.'
                    : 'This server is no longer listed.'}
                </p>
              )}
              <p className="notes">{reason}</p>
              <p className="muted small">
                Reported by <bdi>{reporter}</bdi> on <AbsoluteTime at={created} timeZone={context.time_zone} />
              </p>
              <PostForm
                context={context}
                action={`/classcords/reports/${id}/${pageQuery(pagination.current_page)}`}
                className="row"
              >
                <Button type="submit" name="outcome" value="dismissed">
                  {server.is_listed ? 'Keep the server' : 'Close the report'}
                  <span className="hidden-visually"> {server.display_name}</span>
                </Button>
                {server.is_active && (
                  <LinkButton
                    kind="danger"
                    href={`/classcords/reports/${id}/remove/${pageQuery(pagination.current_page)}`}
                  >
                    Remove from the list
                    <span className="hidden-visually">: {server.display_name}</span>
                  </LinkButton>
                )}
              </PostForm>
            </li>
          ))}
        </ul>
      )}
      <Pagination pagination={pagination} hrefOf={(page) => `?page=${page}`} />
    </div>
  )
}

const REPORTS_PER_PAGE = 50

const s = alias(discordServer, 's')
const d = alias(discordUser, 'd')

const openTotal = sql<number>`(SELECT count(*) FROM ${serverReport} WHERE ${serverReport.handledAt} IS NULL)`

const findOpen = prepared(() =>
  template(
    {
      id: serverReport.id,
      reason: serverReport.reason,
      created_at: serverReport.createdAt,
      server_id: s.id,
      server_name: serverName,
      is_active: s.isActive,
      is_listed: isListed,
      reporter: d.displayName,
      total: openTotal,
    },
    (
      columns,
    ) => sql`SELECT ${columns} FROM ${serverReport} JOIN ${discordServer} ${s} ON ${s.id} = ${serverReport.serverId}
      JOIN ${discordUser} ${d} ON ${d.id} = ${serverReport.reporterId}
      WHERE ${serverReport.handledAt} IS NULL ORDER BY ${serverReport.createdAt}, ${serverReport.id}
      LIMIT ${REPORTS_PER_PAGE} OFFSET ${pageOffset(REPORTS_PER_PAGE, parameter('page'), openTotal)}`,
  ),
)

/** A page of open reports, oldest first. One round trip. @throws forbidden */
async function listReports(env: Env, by: DirectoryActor, page: number): Promise<ReportsProps> {
  refuseUnlessReviewer(by)
  const rows = await read(env.DB, findOpen({ page }))
  const total = rows[0]?.total ?? 0
  return {
    reports: rows.map((row) => ({
      id: row.id,
      reason: row.reason,
      reporter: row.reporter,
      server: { id: row.server_id, display_name: row.server_name, is_active: row.is_active, is_listed: row.is_listed },
      datetime_created: iso(row.created_at),
    })),
    report_count: total,
    pagination: paginate({ page, size: REPORTS_PER_PAGE, total }),
  }
}
