import { Button, LinkButton } from '../../../client/components/button.tsx'
import { counted } from '../../../client/components/count-text.ts'
import { EmptyState } from '../../../client/components/empty-state.tsx'
import { PageHead } from '../../../client/components/page-head.tsx'
import { Pagination } from '../../../client/components/pagination.tsx'
import { PostForm } from '../../../client/components/post-form.tsx'
import { AbsoluteTime } from '../../../client/components/relative-time.tsx'
import { serverHref } from '../../../client/islands/classcords/server-text.ts'
import type { PageContext } from '../../web/contract.ts'
import type { ReportsProps } from '../contract.ts'
import { pageQuery } from '../../web/pagination.ts'

/** Reports waiting for a manager. Needs no script. */
export function ReportsPage({ props, context }: { props: ReportsProps; context: PageContext }) {
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
